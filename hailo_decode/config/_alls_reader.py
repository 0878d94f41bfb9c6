"""The reader behind `alls`: tokens in one pass, then one statement after the other, each token used once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hailo_decode.config._json_scalars import TYPOGRAPHIC
from hailo_decode.config.alls import Argument, ScriptFault, ScriptKind, Statement, Value

# One fault is usual; these bounds only stop what is no script.
MAX_FAULTS, MAX_DEPTH = 50, 20

_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r]+)
    |(?P<newline>\n)
    |(?P<comment>\#[^\n]*)
    |(?P<string>"[^"\n]*"|'[^'\n]*')
    |(?P<curled>["'{TYPOGRAPHIC}][^\n"'{TYPOGRAPHIC}]*["'{TYPOGRAPHIC}])
    |(?P<unclosed>["'{TYPOGRAPHIC}][^\n,)]*)
    |(?P<set>\{{[^{{}}\n]*\}})
    |(?P<word>[\w./*+-]+)
    |(?P<mark>[()\[\],=])
    |(?P<backslash>\\)
    |(?P<other>[^\s\w()\[\],=\#./*+-]+|.)""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]{0,3})")
_CLOSING = {"(": ")", "[": "]"}


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


class _Broken(Exception):
    """The statement cannot be read on."""


class Reader:
    """Reads one text; see `alls.read_script`."""

    def __init__(self, text: str) -> None:
        self.statements: list[Statement] = []
        self.faults: list[ScriptFault] = []
        self.comments: list[tuple[int, int]] = []
        self.tokens = list(self.scan(text))
        self.at = 0
        self.unclosed = False

    def scan(self, text: str) -> Iterator[_Token]:
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            if kind == "comment":
                self.comments.append(match.span())
            elif kind != "space":
                yield _Token(kind, match[0], *match.span())
        yield _Token("newline", "", len(text), len(text))

    def fault(
        self, token: _Token, message: str, hint: str | None = None, kind: ScriptKind | None = None
    ) -> None:
        self.faults.append(ScriptFault(kind or ScriptKind.SYNTAX, token.start, token.end, message, hint))

    def read(self) -> None:
        """Read every statement."""
        while self.at < len(self.tokens) and len(self.faults) < MAX_FAULTS:
            if self.peek().kind in ("newline", "backslash"):
                self.step_over(self.take())
                continue
            before = self.at
            try:
                self.statement()
            except _Broken:
                self.skip_line(before)

    def step_over(self, token: _Token) -> None:
        if token.kind == "backslash":
            hint = "remove it: inside brackets a line may simply go on"
            self.fault(token, "a backslash stands in the script", hint, ScriptKind.BACKSLASH)

    def peek(self, ahead: int = 0) -> _Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> _Token:
        token = self.peek()
        self.at += 1
        return token

    def skip_line(self, before: int) -> None:
        """Go on behind the line that could not be read; at least one token is left behind."""
        self.at = max(self.at, before + 1)
        while self.at < len(self.tokens) and self.tokens[self.at - 1].kind != "newline":
            self.at += 1

    def statement(self) -> None:
        names = [self.name("a command")]
        while self.peek().text == ",":
            self.take()
            names.append(self.name("a name"))
        targets: tuple[str, ...] = ()
        if self.peek().text == "=":
            self.take()
            targets, names = tuple(token.text for token in names), [self.name("a command")]
        command = names[-1]
        if len(names) > 1 or self.peek().text != "(":
            self.fault(command, f"{command.text!r} is not followed by its arguments in brackets")
            raise _Broken
        opening, self.unclosed = self.take(), False
        arguments = tuple(self.arguments(opening, command))
        self.statements.append(Statement(command.text, arguments, targets, command.start, command.end))
        if not self.unclosed:
            self.line_end()

    def name(self, wanted: str) -> _Token:
        token = self.peek()
        if token.kind != "word" or not (token.text[0].isalpha() or token.text[0] == "_"):
            self.fault(
                token,
                f"{wanted} must stand here, not {token.text!r}"
                if token.text.strip()
                else f"the line ends where {wanted} must stand",
            )
            raise _Broken
        return self.take()

    def line_end(self) -> None:
        """See that nothing stands behind a statement."""
        while (token := self.peek()).kind != "newline":
            if token.text in (")", "]"):
                self.take()
                hint = "remove it"
                self.fault(token, f"one {token.text!r} too many", hint, ScriptKind.EXTRA_BRACKET)
            elif token.kind == "backslash":
                self.step_over(self.take())
            else:
                self.fault(token, f"{token.text!r} stands behind the statement", "begin a new line for it")
                if token.kind == "word" and self.peek(1).text in ("(", "="):
                    return
                raise _Broken

    def arguments(self, opening: _Token, command: _Token) -> Iterator[Argument]:
        """Yield the arguments between the brackets of a command."""
        while self.between(opening, command):
            key: _Token | None = None
            if self.peek().kind == "word" and self.peek(1).text == "=":
                key = self.take()
                self.take()
                self.lines()
                if self.peek().text in (",", ")"):
                    self.fault(key, f"{key.text!r} has no value")
                    continue
            value = self.value(opening, command, 0)
            if value is not None:
                yield Argument(key.text if key else None, value, key.start if key else value.start, value.end)

    def lines(self) -> None:
        """Step over line breaks inside brackets."""
        while self.at < len(self.tokens) and self.peek().kind in ("newline", "backslash"):
            self.step_over(self.take())

    def between(self, opening: _Token, command: _Token) -> bool:
        """Whether another item follows inside these brackets; steps over commas and the closing bracket."""
        previous = self.tokens[self.at - 1]
        comma = previous.text in (opening.text, ",")
        self.lines()
        while self.at < len(self.tokens):
            token = self.peek()
            if token.text == _CLOSING[opening.text]:
                self.take()
                return False
            if token.text == ",":
                if comma:
                    self.fault(token, "nothing stands before this comma")
                comma = True
                self.take()
                self.lines()
            elif self.at_statement():
                break
            elif token.text == ")":
                self.fault(token, "']' is missing before this ')'")
                return False
            elif token.text in ("]", "="):
                self.take()
                self.fault(token, f"{token.text!r} has no place here")
            else:
                if not comma:
                    hint = f"write a comma in front of {token.text}"
                    self.fault(token, "a comma is missing before this", hint)
                return True
        if not self.unclosed:
            self.fault(opening, f"this {opening.text!r} of {command.text} is never closed")
        self.unclosed = True
        return False

    def at_statement(self) -> bool:
        """Whether a new statement begins here: values are no calls."""
        assigned = 2 if self.peek(1).text == "=" and self.peek(2).kind == "word" else 0
        return self.peek().kind == "word" and self.peek(assigned + 1).text == "("

    def value(self, opening: _Token, command: _Token, depth: int) -> Value | None:
        token = self.take()
        if token.kind == "word":
            return _word(token)
        if token.kind == "string":
            return Value("string", token.text[1:-1], token.start, token.end)
        if token.kind == "curled":
            hint = f'write "{token.text[1:-1]}" with straight quotes; word processors and forums curl them'
            self.fault(token, "typographic quotes stand around this", hint, ScriptKind.QUOTES)
            return Value("string", token.text[1:-1], token.start, token.end)
        if token.kind == "unclosed":
            self.fault(token, "the closing quote of this is missing")
            return Value("string", token.text[1:], token.start, token.end)
        if token.kind == "set":
            return _set(token)
        if token.text in ("[", "(") and depth < MAX_DEPTH:
            if token.text == "(":
                self.fault(token, "round brackets stand around a list", "a list has square ones: [...]")
            members = []
            while self.between(token, command):
                if (member := self.value(token, command, depth + 1)) is not None:
                    members.append(member)
            end = self.tokens[min(self.at, len(self.tokens)) - 1].end
            return Value("list", tuple(members), token.start, end)
        self.fault(token, f"{token.text[:20]!r} is no value")
        return None


def _word(token: _Token) -> Value:
    number = _NUMBER.fullmatch(token.text) if len(token.text) < 60 else None
    if number:
        plain = number[1].lstrip("+-").isdigit()
        value = int(number[1]) if plain else float(number[1])
        return Value("number", value, token.start, token.end, number[2])
    if token.text in ("True", "False"):
        return Value("bool", token.text == "True", token.start, token.end)
    return Value("name", token.text, token.start, token.end)


def _set(token: _Token) -> Value:
    members = []
    for match in re.finditer(r"[^,\s][^,]*", token.text[1:-1]):
        start = token.start + 1 + match.start()
        glob = match[0].strip()
        members.append(Value("name", glob, start, start + len(glob)))
    return Value("set", tuple(members), token.start, token.end)
