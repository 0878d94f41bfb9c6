"""The compiler's own table of NMS steps: what each reads, where it runs, what it wants of a network.

The names here are words of the model script (``nms_postprocess(..., meta_arch=NAME, ...)``), not families of
networks: one step serves several families. They stand here alone; all else asks for a step's properties.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shape(str, Enum):
    """What the entries of a configuration hold; each has a file in `shapes`."""

    BINS = "box layers with bins, class layers"
    COMBINED = "one layer with classes and bins"
    DISTANCES = "box layers with four distances, class layers"
    OBJECTNESS = "box, objectness and class layers"
    ANCHORS = "one layer for each scale, with anchors in pixels"
    ANCHOR_MASKS = "one layer for each scale, with anchors in pixels, and a mask prototype"
    DEFAULT_BOXES = "box and class layers, with anchors as fractions of the image"
    CENTRE = "height, width and class layers of one scale"


@dataclass(frozen=True, slots=True)
class MetaArch:
    """One NMS step of the compiler.

    Attributes
    ----------
    name : str
        As the script's ``meta_arch`` has it.
    shapes : tuple of Shape
        Configurations it reads; the first is the usual one.
    engines : tuple of str
        Where it can run; the first is what to write.
    bare : bool
        Whether ``engine=auto`` and no engine at all work.
    unit_input : bool or None
        Its networks are trained on 0..1, so that the script has to divide by 255 (True); on 0..255 (False);
        on either (None).
    sigmoid : tuple of str
        Roles whose layers must end in a sigmoid, as HailoRT applies none.
    automatic : bool
        Whether the compiler puts that sigmoid there by itself.
    serves : tuple of str
        What people also write for it: the families whose heads it decodes, and its former names.
    """

    name: str
    shapes: tuple[Shape, ...]
    engines: tuple[str, ...]
    bare: bool
    unit_input: bool | None
    sigmoid: tuple[str, ...] = ()
    automatic: bool = False
    serves: tuple[str, ...] = ()


_BINS_SERVES = (
    *("yolov9", "yolov10", "yolov11", "yolov12", "yolo8", "yolo9", "yolo10", "yolo11", "yolo12"),
    *("yolo_v8", "yolov8n", "yolov8s", "yolov8m", "yolo_world", "nanodet", "nanodet_v8", "ultralytics"),
)

# Engines: the compiler's table as quoted for 3.34, and every script of its model zoo from v2.3 to v5.2.
# Sigmoid: HailoRT 5.2 applies one in its masks step only (nms_post_process.hpp, yolov5_seg). The compiler
# adds it for distances with bins (its log: "activation function of layer ... was replaced by a Sigmoid").
# Input: the zoo's scripts; those for objectness and plain distances have no normalization.
META_ARCHS = (
    MetaArch(
        "yolov8",
        (Shape.BINS, Shape.COMBINED),
        ("cpu",),
        bare=False,
        unit_input=True,
        sigmoid=("cls_layer",),
        automatic=True,
        serves=_BINS_SERVES,
    ),
    MetaArch(
        "yolov5",
        (Shape.ANCHORS,),
        ("cpu", "nn_core"),
        bare=True,
        unit_input=True,
        sigmoid=("encoded_layer",),
        serves=("yolo", "yolov3", "yolov4", "yolov7", "yolo5", "yolo7", "yolo_v5", "yolov5s", "yolov5m"),
    ),
    MetaArch(
        "yolov5_seg",
        (Shape.ANCHOR_MASKS,),
        ("cpu",),
        bare=False,
        unit_input=True,
        serves=("yolov5seg", "yolov5-seg"),
    ),
    MetaArch(
        "yolox",
        (Shape.OBJECTNESS,),
        ("cpu",),
        bare=False,
        unit_input=False,
        sigmoid=("objectness_layer", "cls_layer"),
        serves=("yolo_x",),
    ),
    MetaArch("yolov6", (Shape.DISTANCES,), ("nn_core",), bare=True, unit_input=False, serves=("yolo6",)),
    MetaArch(
        "ssd",
        (Shape.DEFAULT_BOXES,),
        ("nn_core", "cpu"),
        bare=True,
        unit_input=None,
        serves=("mobilenet_ssd", "efficientdet"),
    ),
    MetaArch("centernet", (Shape.CENTRE,), ("nn_core",), bare=True, unit_input=None),
    MetaArch("damoyolo", (), ("cpu",), bare=False, unit_input=False, serves=("damo_yolo",)),
)

# What of a box HailoRT's step divides by the image's size that the file states; the others take the grid for the whole
# picture and never use that size (5.2, yolov8_post_process.cpp and yolov5_post_process.cpp against yolox, ssd).
DIVIDED = {Shape.BINS: "place and size", Shape.ANCHORS: "size", Shape.ANCHOR_MASKS: "size"}

# The name that scripts of the zoo's releases 2.3 to 2.6 have for a step that is called otherwise today.
FORMER_NAMES = {"yolo": "yolov5"}


def find_meta_arch(name: str) -> MetaArch | None:
    """Return the step of that name, its former names included, or None.

    Examples
    --------
    >>> find_meta_arch("yolo").name
    'yolov5'
    >>> find_meta_arch("") is None
    True
    """
    wanted = FORMER_NAMES.get(name, name)
    return next((arch for arch in META_ARCHS if arch.name == wanted), None)


def meta_arch_of_step(kind: str) -> MetaArch | None:
    """Return what a model file's step of that kind is, or None where it is none that decodes boxes."""
    return next((arch for arch in META_ARCHS if kind in (arch.name, *arch.serves)), None)


def guess_meta_arch(name: str) -> str | None:
    """Return the step that someone means who wrote a name there is no step of, or None.

    Examples
    --------
    >>> guess_meta_arch("YOLOv11")
    'yolov8'
    >>> guess_meta_arch("resnet") is None
    True
    """
    spoken = {other: arch.name for arch in META_ARCHS for other in (arch.name, *arch.serves)}
    import difflib

    near = difflib.get_close_matches(name.lower(), spoken, n=1, cutoff=0.8)
    return spoken[near[0]] if near else None


def meta_arch_of(shape: Shape) -> MetaArch:
    """Return the step that reads configurations of a shape."""
    return next(arch for arch in META_ARCHS if shape in arch.shapes)
