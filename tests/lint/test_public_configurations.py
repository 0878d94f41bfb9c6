"""Public configurations get the verdict that is known of them: the model zoo's by name, broken ones rebuilt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lint.examples import network
from lint.texts import SNAIL, codes, remarks, told, with_changes

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "nms"
ZOO = "hailo_model_zoo__"

# What the zoo ships and a check may only warn of: names that are left to the compiler, suppression that is off,
# and one file without its image size. Each name stands for all releases of that file.
EMPTY_NAMES = (
    *("yolov12n", "yolov12s", "yolov12m", "yolov12l", "yolov12x", "yolo_world_v2s", "yolo_world_v2m"),
    *("yolov8s_bbox_decoding_only", "nanodet", "nanodet_repvgg_a1_640", "yolov6n_0_2_1"),
    *("yolox_hailo_nms.json", "yolox_hailo_pas_nms.json"),
)
NO_SUPPRESSION = tuple(f"yolov5xs_wo_spp_nms_config_{n}class" for n in (1, 5, 10, 20))
ONLY_ONE_RELEASE = {"yolov5xs_wo_spp_nms_config@v2.11": "HD201"}
NO_IMAGE_SIZE = ("mobilenet_ssd_nms_visdrone_postprocess_config",)
# Decoders that are named after the layers of a smaller network, which no one is bothered with.
FOREIGN_NAMES = ("hailo_yolov8m_384_640", "hailo_yolov8m_480_640", "yolov10b", "yolov10x", "yolov9e")
SCORE_ZERO = ("yolov5l_bbox_decoding_only", "centernet_res18_with_division_nms_for_AP_test_threshold_0")


def zoo_files() -> list[Path]:
    if not CORPUS.is_dir():
        pytest.skip(f"the public configurations are not at {CORPUS}")
    return sorted(p for p in CORPUS.iterdir() if p.name.startswith(ZOO))


def base(path: Path) -> str:
    """The name of a zoo file without its release and its usual endings."""
    name = path.name.removeprefix(ZOO).removesuffix(".json").partition("@")[0]
    return name.removesuffix("_nms_config")


def is_one_of(path: Path, names: tuple[str, ...]) -> bool:
    own = base(path)
    return any(own == name.removesuffix(".json").removesuffix("_nms_config") for name in names)


def expected_warnings(path: Path) -> set[str]:
    found = {code for name, code in ONLY_ONE_RELEASE.items() if path.name == f"{ZOO}{name}.json"}
    if is_one_of(path, EMPTY_NAMES):
        found.add("HD118")
    if is_one_of(path, NO_SUPPRESSION):
        found.add("HD201")
    if is_one_of(path, NO_IMAGE_SIZE):
        found.add("HD114")
    return found


def test_no_file_of_the_model_zoo_has_an_error_and_only_the_known_ones_a_warning():
    files = zoo_files()
    assert len(files) == 183
    for path in files:
        found = remarks(path.read_text())
        assert not codes(found, "error"), path.name
        assert codes(found, "warning") == expected_warnings(path), path.name


def test_every_name_in_the_tables_is_that_of_a_file():
    files = zoo_files()
    for table in (EMPTY_NAMES, NO_SUPPRESSION, NO_IMAGE_SIZE, FOREIGN_NAMES, SCORE_ZERO):
        for name in table:
            assert any(is_one_of(path, (name,)) for path in files), name


def test_decoders_named_after_another_networks_layers_get_a_note():
    for path in zoo_files():
        assert ("HD225" in codes(remarks(path.read_text()), "note")) == is_one_of(path, FOREIGN_NAMES), (
            path.name
        )


def test_a_score_threshold_of_zero_gets_a_note():
    for path in zoo_files():
        assert ("HD202" in codes(remarks(path.read_text()), "note")) == is_one_of(path, SCORE_ZERO), path.name


def test_a_zoo_file_named_after_one_family_with_the_keys_of_another_is_only_warned_of():
    if not CORPUS.is_dir():
        pytest.skip(f"the public configurations are not at {CORPUS}")
    for name in ("yolox_hailo_nms.json", "yolox_hailo_pas_nms.json"):
        text = (CORPUS / f"{ZOO}{name}").read_text()
        found = remarks(text, script=f'nms_postprocess("{name}", yolox, engine=cpu)')
        assert [d.severity.value for d in found if d.code == "HD318"] == ["warning"]
        assert not codes(found, "error")


@pytest.mark.parametrize("name", ["nms_config_yolov6n.json", "nms_config_nanodet_repvgg_a12.json"])
def test_content_tells_the_shape_whatever_the_name_says(name):
    if not CORPUS.is_dir():
        pytest.skip(f"the public configurations are not at {CORPUS}")
    found = remarks(
        (CORPUS / f"{ZOO}{name}").read_text(), script=f'nms_postprocess("{name}", yolox, engine=cpu)'
    )
    assert told(found) == []


# --- broken files, rebuilt from what is known of them


def test_a_configuration_wrapped_twice_with_foreign_keys():
    text = json.dumps(
        {
            "nms_postprocess": {
                "nms_config": {
                    "bbox_decoders": [
                        {"bbox_layers": "conv41", "scores_layers": "conv41", "anchors": [10, 13]},
                    ]
                }
            }
        },
        indent=2,
    )
    found = remarks(text)
    assert {"HD111", "HD113"} <= codes(found, "error")
    assert "HD115" in codes(found, "warning")
    assert "'nms_postprocess.nms_config'" in next(d.message for d in found if d.code == "HD111")


def test_a_configuration_with_the_step_inside_and_blocks_of_its_own():
    found = remarks(
        {
            "meta_arch": "yolo_v8",
            "nms": {"score_threshold": 0.3, "iou_threshold": 0.5},
            "classes": 2,
            "bbox_decoders": [{"boxes": "conv41", "scores": "conv41"}],
        }
    )
    assert "HD113" in codes(found, "error")
    hints = {d.path[0]: d.hint for d in found if d.code == "HD115"}
    assert hints["meta_arch"] == "it is an argument of nms_postprocess, in the model script"


def test_thresholds_with_long_names_and_no_decoders():
    found = remarks(
        {
            "nms_scores_threshold": 0.3,
            "nms_iou_threshold": 0.45,
            "max_proposals_per_class": 100,
            "classes": 1,
            "labels": ["drone"],
            "cross_classes_nms": False,
        }
    )
    assert {"HD112", "HD113"} <= codes(found, "error")
    hints = {d.path[0]: d.hint for d in found if d.code == "HD115"}
    assert hints["nms_scores_threshold"] == "did you mean 'nms_scores_th'?"
    assert hints["nms_iou_threshold"] == "did you mean 'nms_iou_th'?"


def test_a_here_document_without_decoders():
    text = 'cat > nms.json << EOF\n{"nms_scores_th": 0.3, "meta_arch": "yolov8", "classes": 1}\nEOF\n'
    assert {"HD106", "HD112", "HD113"} <= codes(remarks(text), "error")


def test_comments_are_named_with_line_and_column():
    text = '{\n  "nms_scores_th": 0.25,  // lower for recall\n  "classes": 1\n}\n'
    comment = next(d for d in remarks(text) if d.code == "HD102")
    assert (comment.span.line, comment.span.column) == (2, 27)


def test_eighty_classes_are_an_error_only_where_the_network_has_others():
    config = with_changes(SNAIL, classes=80, image_dims=[640, 640])
    assert codes(remarks(config), "error") == set()
    one_class = network(
        "input 640x640\nsnail/conv41 80x80x64\nsnail/conv42 80x80x1\nsnail/conv52 40x40x64\n"
        "snail/conv53 40x40x1\nsnail/conv62 20x20x64\nsnail/conv63 20x20x1"
    )
    found = remarks(config, network=one_class)
    assert told(found) == ["error HD404"]
    assert "80 are the classes of COCO" in found[0].hint


def test_four_channel_boxes_are_an_error_for_bins():
    heads = [(8, 71, 74, 80), (16, 87, 90, 40), (32, 101, 104, 20)]
    config = with_changes(
        SNAIL,
        image_dims=[640, 640],
        bbox_decoders=[
            {"stride": s, "reg_layer": f"conv{reg}", "cls_layer": f"conv{cls}"} for s, reg, cls, _ in heads
        ],
    )
    assert codes(remarks(config), "error") == set()
    lines = [f"conv{r} {g}x{g}x4\nconv{c} {g}x{g}x3" for _, r, c, g in heads]
    assert codes(remarks(config, network=network("\n".join(["input 640x640", *lines]))), "error") == {"HD405"}


def test_a_network_cut_at_its_concat_has_no_such_outputs():
    config = with_changes(SNAIL, image_dims=[640, 640], bbox_decoders=SNAIL["bbox_decoders"][:1])
    cut = network(
        "input 640x640\nsnail/conv41 80x80x64 inner\nsnail/conv42 80x80x3 inner\n"
        "snail/concat17 80x80x67 <- snail/conv41"
    )
    assert {"HD411", "HD412"} <= codes(remarks(config, network=cut), "error")


def test_names_of_a_stock_network_are_no_fault_by_themselves():
    assert told(remarks(with_changes(SNAIL, image_dims=[320, 320], classes=1))) == []


def test_two_boxes_a_class_are_warned_of():
    config = with_changes(SNAIL, classes=2, max_proposals_per_class=2)
    found = remarks(config)
    assert told(found) == ["warning HD203"]
    assert "the number of classes, too" in found[0].message


def test_placeholder_names_are_an_error():
    decoders = [
        {"stride": 8, "reg_layer": "<REG_8>", "objectness_layer": "<OBJ_8>", "cls_layer": "<CLS_8>"},
    ]
    changed = {k: v for k, v in SNAIL.items() if k not in ("regression_length", "background_removal")}
    config = with_changes(changed, number_of_detection_heads=1, bbox_decoders=decoders)
    assert codes(remarks(config), "error") == {"HD119"}


def test_numbers_that_fall_are_warned_of_and_told_by_shapes_where_there_are_any():
    decoders = [
        {"stride": s, "reg_layer": f"conv{r}", "cls_layer": f"conv{c}"}
        for s, r, c in ((8, 138, 139), (16, 110, 111), (32, 81, 83))
    ]
    config = with_changes(SNAIL, image_dims=[640, 640], classes=1, bbox_decoders=decoders)
    assert told(remarks(config)) == ["warning HD223"]

    def as_network(grids: dict[int, int]) -> str:
        pairs = {138: 139, 110: 111, 81: 83}
        lines = [
            f"conv{r} {grids[r]}x{grids[r]}x64\nconv{c} {grids[r]}x{grids[r]}x1" for r, c in pairs.items()
        ]
        return "\n".join(["input 640x640", *lines])

    agreeing = network(as_network({138: 80, 110: 40, 81: 20}))
    assert told(remarks(config, network=agreeing)) == []
    contradicting = network(as_network({138: 20, 110: 40, 81: 80}))
    assert told(remarks(config, network=contradicting)) == ["error HD401", "error HD401"]
