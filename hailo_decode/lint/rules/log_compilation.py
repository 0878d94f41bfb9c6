"""HD720 to HD728: messages of optimization and compilation."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.lint._log import Log
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity


@rule("HD720", confidence=Confidence.LIKELY)
def map_at(log: Log) -> Iterator[Finding]:
    """The compiler failed to find something by its name or number while it wrote the HEF.

    `map::at` is what the C++ library says when a table has no such key. With an NMS step in the script, the
    likely cause is a class activation that optimization split off its layer: the step is then fed by
    `ne_activation_conv111`, and the configuration names `conv111`. That is an inference: there is no public
    stack trace, and one public case.

    What settles it: `validate-nms nms.json --script model.alls --network optimized.har` compares what feeds
    the step with the names (HD420), and checks strides, classes and normalization at the same time. What
    helps, in order: normalise the input; calibrate with 1024 representative images; optimize again from the
    parsed HAR; treat all class layers alike. Raw outputs without an NMS step did compile in that case.

    ```bad
    [info] Building HEF...
    [error] Compilation failed: map::at
    ```
    ```good
    [info] Building HEF...
    [info] Successful Compilation
    ```
    """
    for hit in log.hits("map::at"):
        split = next(log.hits("ne_activation_", r"ne_activation_(\w+)"), None)
        named = f"; {split[0]!r} occurs in this log" if split else ""
        what = f"a lookup failed while the HEF was written{named}"
        hint = (
            "with an NMS step: `validate-nms nms.json --script model.alls --network optimized.har` shows "
            "whether a split-off activation feeds it"
        )
        yield Finding(hit.span, what, hint)


@rule("HD721", confidence=Confidence.POSSIBLE)
def compiler_crashed(log: Log) -> Iterator[Finding]:
    """The compiler's own process ended without a message of its own.

    The text says nothing about the cause. What does: a line with `Assertion` on the console or in
    `allocator.log`. Seen causes are formats of shortcuts when a network leaves a single context, and 16-bit
    layers of attention blocks; a split-off activation in front of an NMS step is possible (HD720).

    ```bad
    [error] Compilation failed with unexpected crash
    ```
    ```good
    [info] Successful Compilation
    ```
    """
    for hit in log.hits("unexpected crash"):
        asserted = next(log.hits("Assertion", r"\S*:?\d*:?.*Assertion.*"), None)
        if asserted:
            yield Finding(asserted.span, f"the compiler stopped at: {asserted[0].strip()[:160]}")
            return
        contexts = next(log.hits("Applying selected partition to", r"partition to (\d+) contexts"), None)
        hint = "look for a line with 'Assertion' on the console and in allocator.log"
        if contexts:
            hint += f"; {contexts[1]} contexts were chosen before, so other performance settings may help"
        yield Finding(hit.span, "the compiler's process crashed; its cause is not in this line", hint)


@rule("HD722", confidence=Confidence.LIKELY)
def network_does_not_fit(log: Log) -> Iterator[Finding]:
    """The network does not fit the device as it was asked to.

    It is about resources, not about the NMS configuration: size of the network, of its input, of its layers
    in 16 bits, and the settings for performance.

    ```bad
    [error] Compilation failed: Agent infeasible
    ```
    ```bad
    [error] Mapping failed: could not find a valid partition
    ```
    ```good
    [info] Found valid partition to 3 contexts
    ```
    """
    for word in ("infeasible", "find a valid partition", "microcode exceeded"):
        for hit in log.hits(word):
            hint = "a smaller input or model, fewer 16-bit layers, or other performance_param settings"
            yield Finding(hit.span, "the compiler found no way to place the network", hint)
            return


@rule("HD723", confidence=Confidence.LIKELY)
def slope_cannot_be_held(log: Log) -> Iterator[Finding]:
    """A layer's output range is too narrow, or its input range too wide, for one 8-bit step.

    The numbers that quantization measured are out of proportion. Seen causes, the most frequent first: the
    script does not normalise the input (so the network sees 0..255 instead of 0..1); calibration images
    that are random, synthetic, or divided by 255 although the script divides too; a head with one class,
    whose scores are all near 0.

    ```bad
    NegativeSlopeExponentNonFixable: Quantization failed in layer net/conv80 due to unsupported required
    slope.
    ```
    ```good
    [info] Model Optimization is done
    ```
    """
    seen = False
    for word in ("unsupported required slope", "NegativeSlopeExponentNonFixable"):
        for hit in log.hits(word, rf"(?:failed in layer (\S+).*)?{word}") if not seen else ():
            seen = True
            where = f" of {hit[1]!r}" if hit[1] else ""
            hint = (
                "add normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0]) and calibrate "
                "with real images of 0..255; HD340 tells more"
            )
            yield Finding(hit.span, f"the ranges{where} are out of proportion", hint)


@rule("HD724", severity=Severity.WARNING)
def optimization_level_reduced(log: Log) -> Iterator[Finding]:
    """The compiler lowered the optimization level.

    It has fewer than 1024 calibration images, or no GPU. Boxes suffer first: a network has kept its classes
    and lost its box sizes this way.

    ```bad
    [warning] Reducing optimization level to 0 (the accuracy won't be optimized) because there's no
    available GPU
    ```
    ```good
    [info] Using default optimization level of 2
    ```
    """
    for hit in log.hits("Reducing optimization level", r"Reducing optimization level(?: to (\S+))?(.*)"):
        level = f" to {hit[1]}" if hit[1] else ""
        why = "; it says why" if "because" in hit[2] else ""
        what = f"the optimization level was lowered{level}{why}"
        yield Finding(
            hit.span, what, "give 1024 images or more, and calibset_size=1024, on a machine with a GPU"
        )


@rule("HD725", severity=Severity.NOTE)
def sigmoid_was_added(log: Log) -> Iterator[Finding]:
    """The compiler put the sigmoid on the class layers by itself.

    That is what its NMS command does for heads with bins. There is one line for each scale; fewer lines than
    scales would leave logits in the others.

    ```bad
    The activation function of layer net/conv42 was replaced by a Sigmoid
    ```
    ```good
    [info] Loading model script commands
    ```
    """
    hits = list(log.hits("replaced by a Sigmoid", r"layer (\S+) was replaced by a Sigmoid"))
    if hits:
        layers = ", ".join(hit[1] for hit in hits)
        yield Finding(hits[0].span, f"the compiler put a sigmoid on {layers}", "one for each scale is right")


@rule("HD726", severity=Severity.NOTE)
def default_anchors_loaded(log: Log) -> Iterator[Finding]:
    """The parser put the anchors of the stock network into its configuration.

    A network that was trained with anchors of its own then gives boxes at the right places and of the wrong
    sizes.

    ```bad
    Default values of NMS anchors were loaded to NMS config json
    ```
    ```good
    [info] Translation completed
    ```
    """
    for hit in log.hits("Default values of NMS anchors"):
        yield Finding(
            hit.span, "stock anchors are in the configuration", "compare them with those of the training"
        )
