"""Messages of the compiler and of HailoRT: each is told with its own words, once, and with no more than is known."""

from __future__ import annotations

import time

import pytest

from hailo_decode.lint import explain_log

MESSAGES = {
    "HailoNNException: The layer named conv70 doesn't exist in the HN": ("HD701", "'conv70'"),
    "HailoNNException: The layer named  doesn't exist in the HN": ("HD701", "a layer's name empty"),
    "Cannot infer bbox conv layers automatically. Please specify": ("HD702", "names no layers"),
    "NMSConfigPostprocessException: The layer yolov8n/conv41 doesn't have one output layer": (
        "HD703",
        "'yolov8n/conv41'",
    ),
    "Error in the last layers of the model, expected conv but found concat layer": ("HD704", "kind concat"),
    "retrying parsing with end node names: ['/model.22/Concat_3', '/model.22/Sigmoid'].": (
        "HD705",
        "Concat_3",
    ),
    "NMS structure of yolov6 (or equivalent architecture) was detected.": ("HD706", "yolov6"),
    "KeyError: 'bbox_decoders'": ("HD707", "no 'bbox_decoders'"),
    "No argument named nms_config_file_path": ("HD708", "'nms_config_file_path'"),
    "Both config path and config arguments were given": ("HD709", "a file and arguments"),
    "UnsupportedMetaArchError: The specified meta architecture yolov8 cannot be run on chip": (
        "HD710",
        "yolov8 does not run on the chip",
    ),
    "the specified meta architecture yolov6 cannot be run on host": (
        "HD710",
        "yolov6 does not run on the host",
    ),
    "Post-process config file isn't found in ../../postprocess_config/a.json": ("HD711", "a.json"),
    "'yolov8' is not a valid NMSMetaArchitectures": ("HD712", "no step 'yolov8'"),
    "Compilation failed: map::at": ("HD720", "a lookup failed"),
    "Compilation failed with unexpected crash": ("HD721", "not in this line"),
    "could not find a valid partition": ("HD722", "no way to place"),
    "Agent infeasible": ("HD722", "no way to place"),
    "NegativeSlopeExponentNonFixable: Quantization failed in layer net/conv80 due to unsupported required slope. "
    "Desired shift is 8.0, but op has only 8 data bits": ("HD723", "'net/conv80'"),
    "Reducing optimization level to 0 because there are fewer than 1024 images": (
        "HD724",
        "to 0; it says why",
    ),
    "Default values of NMS anchors were loaded to NMS config json": ("HD726", "stock anchors"),
    "Failed to extract_detections, cls conv42 buffer_size should be 512000 but is 19200": ("HD740", "512000"),
    "NMS op is not connected to core op": ("HD741", "leads to no output"),
    "Pad 3 of post-process nms is not connected to any core output stream": ("HD741", "leads to no output"),
    "number should be between 0.0 and 1.0": ("HD742", "logits"),
}


@pytest.mark.parametrize("line", MESSAGES)
def test_a_message_is_told_with_its_own_words_at_its_place(line):
    code, words = MESSAGES[line]
    found = explain_log(f"[info] before\n[error] {line}\n[info] behind\n")
    assert [d.code for d in found] == [code]
    assert words in found[0].message
    assert found[0].span.line == 2
    assert found[0].span.column >= len("[error] ")


def test_a_message_that_comes_again_and_again_is_told_once():
    found = explain_log("Compilation failed: map::at\n" * 10_000)
    assert [d.span.line for d in found] == [1]


def test_different_layers_are_told_apart_and_only_a_few_are_listed():
    lines = [f"The layer named conv{i} doesn't exist in the HN" for i in range(50)]
    assert [d.message.split("'")[1] for d in explain_log("\n".join(lines))] == ["conv0", "conv1", "conv2"]


def test_a_crash_with_an_assertion_shows_the_assertion():
    text = (
        "compiler: ../src/shortcut.cpp:412: Assertion `a.format == b.format' failed.\n"
        "[error] Compilation failed with unexpected crash\n"
    )
    (found,) = explain_log(text)
    assert (found.code, found.span.line, found.confidence.value) == ("HD721", 1, "possible")
    assert "a.format == b.format" in found.message


def test_a_crash_behind_a_choice_of_contexts_mentions_it():
    text = "Applying selected partition to 3 contexts...\nCompilation failed with unexpected crash\n"
    assert "3 contexts were chosen before" in explain_log(text)[0].hint


def test_a_split_activation_in_the_log_is_named_beside_the_failed_lookup():
    text = "layer net/ne_activation_conv111 was added\nCompilation failed: map::at\n"
    (found,) = explain_log(text)
    assert "'ne_activation_conv111' occurs in this log" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 1000,
        "x" * 5_000_000,
        "map::" * 200_000,
        "The layer named " * 100_000,
        "\x00\x1b[31m" * 1000,
    ],
)
def test_a_log_of_anything_is_searched_in_time(text):
    start = time.process_time()
    assert explain_log(text) == []
    assert time.process_time() - start < 5
