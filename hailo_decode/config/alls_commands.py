"""The words of model scripts: commands, features, and the arguments of the NMS command.

Read off the scripts of Hailo's model zoo (releases 2.3 to 5.2) and the compiler's own automatic scripts. A
word that is not here may be new; a word that is nearly one of these is a slip.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


COMMANDS = _words(
    """
    normalization input_conversion yuv_to_rgb resize resize_input transpose logits_layer change_output_activation
    nms_postprocess model_optimization_config model_optimization_flavor quantization_param
    pre_quantization_optimization post_quantization_optimization performance_param resources_param
    context_switch_param allocator_param compilation_param hef_param platform_param
    spatial_reshape_flow_params output_layer remove_node network_group context buffers defuse defuse_block
    shortcut format_conversion concat transpose_concat shape_splitter mux_demux join bucket portal l4_portal
    merge place
    """
)

# The first argument of these commands is a word that says which feature is meant.
FEATURES: Mapping[str, tuple[str, ...]] = {
    "model_optimization_config": ("calibration", "globals", "negative_exponent", "checker_cfg"),
    "pre_quantization_optimization": _words(
        """
        equalization weights_clipping activation_clipping dead_channels_removal dead_layers_removal
        ew_add_fusing matmul_correction matmul_equalization matmul_decomposition layer_norm_decomposition
        conv_decomposition defuse zero_static_channels quarot switch_concat_with_add se_optimization
        smart_softmax_stats
        global_avgpool_reduction add_shortcut_layer resolution_reduction depth_to_space_reduction
        split_ew_mult_by_bit_significance split_fused_activation ew_mult_input_splitting
        """
    ),
    "post_quantization_optimization": (
        "finetune",
        "bias_correction",
        "adaround",
        "train_encoding",
        "mix_precision_search",
    ),
}

# What people write into a feature command that belongs to another one.
FLAVOR_ARGUMENTS = ("optimization_level", "compression_level", "batch_size")

NMS_PATH, NMS_WORDS = "config_path", ("meta_arch", "engine", "bbox_decoding_only")
# The keys of the file may be given as arguments, where no file is named.
NMS_KEYS = _words(
    """
    nms_scores_th nms_iou_th image_dims max_proposals_per_class classes regression_length background_removal
    background_removal_index input_division_factor number_of_detection_heads centers_scale_factor
    bbox_dimensions_scale_factor max_total_proposals mask_threshold bbox_decoders proto
    """
)
NMS_ARGUMENTS = (NMS_PATH, *NMS_WORDS, *NMS_KEYS)


def nearest(word: str, words: Iterable[str], cutoff: float = 0.75) -> str | None:
    """Return the word that is most like another, or None.

    Examples
    --------
    >>> nearest("quantisation_param", COMMANDS)
    'quantization_param'
    >>> nearest("frobnicate", COMMANDS) is None
    True
    """
    near = difflib.get_close_matches(word, sorted(words), n=1, cutoff=cutoff)
    return near[0] if near else None
