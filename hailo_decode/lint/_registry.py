"""The rule decorator, what a rule yields, and the walk that finds and runs them."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hailo_decode.errors import OptionError, UnknownName
from hailo_decode.lint import _inputs
from hailo_decode.plugins import entries
from hailo_decode.values.diagnostic import Confidence, Diagnostic, Edit, Path, Severity, Span

_ROOM = "hailo_decode.lint.rules"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule yields: what is, where, and what to do.

    Attributes
    ----------
    at : path or Span
        A path in the rule's document, or the place in its text where it has one.
    message : str
        What is, with the user's own numbers.
    hint : str or None
        What to do about it.
    severity, confidence : or None
        Where this one differs from the rule's own.
    fix : tuple of Edit
        What makes the document right; given only where the files at hand prove it.
    on_key : bool
        Whether the key is meant, not its value.
    """

    at: Path | Span
    message: str
    hint: str | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    fix: tuple[Edit, ...] = ()
    on_key: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as `rule` makes it from a function.

    Attributes
    ----------
    code : str
        ``HD`` and three digits.
    slug : str
        The function's name: it states the fault.
    severity, confidence
        What its findings have unless they say otherwise.
    page : str
        The function's docstring: what `hailo-decode explain` prints.
    about : str
        The file it speaks of: ``"config"``, ``"script"``, ``"network"`` or ``"log"``.
    run : callable
    """

    code: str
    slug: str
    severity: Severity
    confidence: Confidence
    page: str
    about: str
    run: Callable[..., Iterable[Finding]]

    @property
    def title(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


def rule(
    code: str, *, severity: Severity = Severity.ERROR, confidence: Confidence = Confidence.PROVED
) -> Callable[[Callable[..., Iterable[Finding]]], Rule]:
    """Make a function a rule.

    Its name states the fault, its docstring is its page, documentation and test, and its parameters name what
    it needs: a rule whose inputs are absent is passed over. A parameter with the default None is given None
    instead. It yields a `Finding` for each fault, and speaks of the file of its first parameter.

    Parameters
    ----------
    code : str
        ``HD1xx`` schema, ``HD2xx`` values, ``HD3xx`` script, ``HD4xx`` config against network, ``HD5xx``
        model file, ``HD7xx`` compiler logs. Never used for another rule, not even when the rule is gone.

    Raises
    ------
    OptionError
        For a code of another form, or a function without docstring or parameters.
    UnknownName
        For a parameter that names no input.
    """
    if not re.fullmatch(r"HD\d{3}", code):
        raise OptionError(f"{code!r} is no rule code", wanted="HD and three digits")

    def build(function: Callable[..., Iterable[Finding]]) -> Rule:
        parameters = list(inspect.signature(function).parameters)
        for name in parameters:
            if name not in _inputs.known():
                raise UnknownName(f"input of rule {code}", name, _inputs.known())
        page = inspect.getdoc(function)
        if not parameters or not page:
            raise OptionError(f"rule {code} needs a parameter and a docstring")
        slug = function.__name__.replace("_", "-")
        return Rule(code, slug, severity, confidence, page, _inputs.about(parameters[0]), function)

    return build


@functools.cache
def all_rules(prefix: str | tuple[str, ...] = "") -> Mapping[str, Rule]:
    """Return every rule of ``lint/rules/`` by code, in the order of the codes.

    Parameters
    ----------
    prefix : str or tuple of str
        Only those of files whose names begin with it, or with one of them; no other file is imported.

    Raises
    ------
    OptionError
        When two rules carry one code.
    """
    names = [name for name in entries(_ROOM) if name.startswith(prefix)]
    modules = [importlib.import_module(f"{_ROOM}.{name}") for name in names]
    return by_code(value for module in modules for value in vars(module).values() if isinstance(value, Rule))


def by_code(found: Iterable[Rule]) -> Mapping[str, Rule]:
    """Return rules by code, in order; a code must be carried by one rule only."""
    table: dict[str, Rule] = {}
    for one in found:
        other = table.setdefault(one.code, one)
        if other is not one:
            raise OptionError(f"code {one.code} is taken by {other.slug}, {one.slug} needs another")
    return dict(sorted(table.items()))


def choose(select: Iterable[str], ignore: Iterable[str] = ()) -> list[Rule]:
    """Return the rules that `select` names and `ignore` does not.

    Parameters
    ----------
    select, ignore : iterable of str
        Codes, beginnings of codes (``"HD4"``) or names (``"stride-off-grid"``).

    Raises
    ------
    UnknownName
        For an entry that names no rule.
    """
    wanted = {code for entry in select for code in _named(entry.strip())}
    unwanted = {code for entry in ignore for code in _named(entry.strip())}
    return [one for code, one in all_rules().items() if code in wanted - unwanted]


def _named(entry: str) -> list[str]:
    begins = re.fullmatch(r"HD\d{1,3}", entry.upper())
    found = [
        c for c, one in all_rules().items() if one.slug == entry or (begins and c.startswith(entry.upper()))
    ]
    if not found and not (begins and len(entry) < 5):
        raise UnknownName("rule", entry, [name for c, one in all_rules().items() for name in (c, one.slug)])
    return found


def run_rules(
    chosen: Iterable[Rule], given: Mapping[str, Any], files: Mapping[str, str | None]
) -> list[Diagnostic]:
    """Run rules over the files of one check.

    Parameters
    ----------
    chosen : iterable of Rule
    given : mapping
        Inputs by name, as `lint._inputs` lists them; an absent one is left out or None.
    files : mapping of str to str or None
        ``"config"``, ``"script"``, ``"network"``, ``"log"`` to the file's name as the user gave it.

    Returns
    -------
    list of Diagnostic
        By file, place, code and message: the same for the same files.
    """
    inputs = _inputs.Inputs(given)
    found = [(one, finding) for one in chosen for finding in inputs.call(one.run) or ()]
    remarks = [_diagnostic(one, finding, inputs, files) for one, finding in found]
    order = list(files.values())
    return sorted(remarks, key=lambda d: (order.index(d.file) if d.file in order else -1, *_place(d)))


def _place(remark: Diagnostic) -> tuple[object, ...]:
    where = (remark.span.line, remark.span.column) if remark.span else (0, 0)
    return (*where, remark.code, [str(part) for part in remark.path], remark.message)


def _diagnostic(
    one: Rule, finding: Finding, inputs: _inputs.Inputs, files: Mapping[str, str | None]
) -> Diagnostic:
    span, path = (finding.at, ()) if isinstance(finding.at, Span) else (None, finding.at)
    document = inputs.get("document") if one.about == "config" else None
    if span is None and document is not None:
        span = document.key_span(path) if finding.on_key else document.span(path)
    return Diagnostic(
        code=one.code,
        severity=finding.severity or one.severity,
        message=finding.message,
        hint=finding.hint,
        file=files.get(one.about),
        span=span,
        path=path,
        confidence=finding.confidence or one.confidence,
        fix=finding.fix,
    )
