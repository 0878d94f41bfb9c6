"""HD101 to HD106: what keeps a text from being strict JSON."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.json_text import Document, Kind
from hailo_decode.lint._registry import Finding, rule


def _of_kind(document: Document, kind: Kind) -> Iterator[Finding]:
    for fault in document.faults:
        if fault.kind is kind:
            yield Finding(fault.span, fault.message, fault.hint)


@rule("HD101")
def text_is_not_json(document: Document) -> Iterator[Finding]:
    """The text is not JSON: a comma, a quote or a bracket is missing, or a word is none of its own.

    The compiler reads the file with a strict JSON reader and stops at the first such place. All of them are
    listed here, as reading goes on with what was meant.

    ```bad
    {"classes": 80 "image_dims": [640, 640]}
    ```
    ```bad
    {'classes': 80, 'background_removal': False}
    ```
    ```good
    {"classes": 80, "background_removal": false}
    ```
    """
    return _of_kind(document, Kind.SYNTAX)


@rule("HD102")
def comment_in_json(document: Document) -> Iterator[Finding]:
    """A comment stands in the JSON.

    JSON has no comments, neither `//` nor `#` nor `/* */`; the compiler refuses the file. Notes can go into
    the `name` of a decoder, which is free text.

    ```bad
    {"classes": 80 // COCO
    }
    ```
    ```good
    {"classes": 80}
    ```
    """
    return _of_kind(document, Kind.COMMENT)


@rule("HD103")
def comma_before_closing_bracket(document: Document) -> Iterator[Finding]:
    """A comma stands before a closing bracket.

    Python and JavaScript allow it, JSON does not; the compiler refuses the file.

    ```bad
    {"image_dims": [640, 640,]}
    ```
    ```good
    {"image_dims": [640, 640]}
    ```
    """
    return _of_kind(document, Kind.TRAILING_COMMA)


@rule("HD104")
def typographic_quotes(document: Document) -> Iterator[Finding]:
    """Typographic quotes stand where straight ones must.

    Word processors, chat programs and forums curl quotes when text is pasted into them; JSON knows the
    straight ones only.

    ```bad
    {“classes”: 80}
    ```
    ```good
    {"classes": 80}
    ```
    """
    return _of_kind(document, Kind.QUOTES)


@rule("HD105")
def key_stands_twice(document: Document) -> Iterator[Finding]:
    """A key stands twice in one object.

    Readers of JSON keep one of the two without a word, most of them the last. What the file says at the other
    place is lost.

    ```bad
    {"classes": 80, "nms_iou_th": 0.7, "classes": 3}
    ```
    ```good
    {"classes": 3, "nms_iou_th": 0.7}
    ```
    """
    return _of_kind(document, Kind.DUPLICATE)


@rule("HD106")
def text_around_the_json(document: Document) -> Iterator[Finding]:
    """Text that is not JSON stands in front of the first or behind the last bracket.

    A shell's here-document, a Markdown fence or an assignment was copied along with the configuration.

    ````bad
    cat > nms.json << EOF
    {"classes": 80}
    EOF
    ````
    ```good
    {"classes": 80}
    ```
    """
    return _of_kind(document, Kind.WRAPPER)
