"""Remarks about configurations, scripts and model files, before a device sees them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hailo_decode.errors import OptionError
from hailo_decode.lint._registry import Finding, Rule, all_rules, choose, rule, run_rules

if TYPE_CHECKING:
    from hailo_decode.errors import FormatError
    from hailo_decode.lint._case import Case as Case
    from hailo_decode.lint._case import read_case as read_case
    from hailo_decode.values.diagnostic import Diagnostic
    from hailo_decode.values.network import NetworkInfo

__all__ = [
    "Case",
    "Finding",
    "Rule",
    "all_rules",
    "check",
    "check_case",
    "check_network",
    "choose",
    "config_rules",
    "explain_log",
    "read_case",
    "rule",
]

# How the names of the files begin that hold the rules about a configuration and what goes with it (HD1xx to
# HD4xx), about a model file alone (HD5xx), about a log (HD7xx): what is not asked for is not imported.
_CONFIG_RULES = ("json_", "script_", "network_")
_FILE_RULES = "file_"
_LOG_RULES = "log_"


def __getattr__(name: str) -> Any:
    """Fetch what only configurations need when it is first asked for."""
    if name not in ("Case", "read_case"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hailo_decode.lint import _case

    return getattr(_case, name)


def check(
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    script: str | os.PathLike[str] | None = None,
    network: NetworkInfo | str | os.PathLike[str] | None = None,
    device: str | None = None,
    names: Sequence[str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> list[Diagnostic]:
    """Check an NMS configuration, a model script, or both, against each other and against a network.

    Parameters
    ----------
    config : path or mapping, optional
        The NMS configuration. Left out, the file that the script names is taken, where it is there.
    script : path, optional
        The model script (``.alls``).
    network : NetworkInfo or path, optional
        A HAR, an HN, an ONNX file, a HEF, the text of ``hailortcli parse-hef``: what is known of the network.
    device : str, optional
    names : sequence of str, optional
        Class names.
    select, ignore : iterable of str
        Codes, beginnings of codes or names of rules to run, and not to run.

    Returns
    -------
    list of Diagnostic
        By place, the same for the same files; empty when there is nothing to remark.

    Raises
    ------
    FormatError
        For a file that cannot be read.
    OptionError
        When neither a configuration nor a script is given.
    UnknownName
        For a rule that there is none of.

    Examples
    --------
    >>> from hailo_decode.lint import check
    >>> check({"bbox_decoders": []}, select=["HD112"])[0].message
    'the list of decoders is empty'
    >>> check({"bbox_decoders": []}, ignore=["HD1", "HD2", "HD3", "HD4"])
    []
    """
    if config is None and script is None:
        raise OptionError("there is nothing to check", wanted="a configuration, a script, or both")
    from hailo_decode.lint._case import read_case

    case = read_case(config, script=script, network=network, device=device, names=names)
    return check_case(case, select=select, ignore=ignore)


def check_case(case: Case, *, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> list[Diagnostic]:
    """Check files that are read already; see `check`."""
    return run_rules(config_rules(select, ignore), case.given, case.files)


def config_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> list[Rule]:
    """Return the rules that a configuration is checked with; see `check`."""
    select, ignore = tuple(select), tuple(ignore)
    if select:
        return choose(select, ignore)
    unwanted = {one.code for one in choose(ignore)} if ignore else set()
    return [one for code, one in all_rules(_CONFIG_RULES).items() if code not in unwanted]


def check_network(
    network: NetworkInfo | None,
    names: Sequence[str] | None = None,
    device: str | None = None,
    *,
    classes: int | None = None,
    failure: FormatError | None = None,
    file: str | None = None,
) -> list[Diagnostic]:
    """Run the rules that speak of a model file alone.

    Parameters
    ----------
    network : NetworkInfo or None
        None where the file could not be read at all.
    names : sequence of str, optional
        Class names, to be compared with the network's number of classes.
    device : str, optional
        The device it shall run on, such as ``"hailo8l"``.
    classes : int, optional
        Number of classes that raw outputs are read as.
    failure : FormatError, optional
        Why the file could not be taken; its `partial` is then what `network` is.
    file : str, optional
        The file's name, for the remarks; the network's by default.

    Returns
    -------
    list of Diagnostic
        In a fixed order; empty when nothing is wrong.

    Examples
    --------
    >>> from hailo_decode.values.network import NetworkInfo
    >>> network = NetworkInfo("net", "hef", devices=("hailo8",))
    >>> check_network(network, device="hailo8l")[0].message
    'it is compiled for hailo8, and does not run on hailo8l'
    >>> check_network(network, device="hailo8")
    []
    """
    given = {
        "network": network,
        "names": tuple(names) if names is not None else None,
        "device": device,
        "classes": classes,
        "failure": failure,
    }
    name = file or (network.name if network is not None else None)
    return run_rules(all_rules(_FILE_RULES).values(), given, {"network": name})


def explain_log(text: str, file: str | None = None) -> list[Diagnostic]:
    """Find the messages in a log of the compiler or of HailoRT whose causes are known.

    Parameters
    ----------
    text : str
    file : str, optional
        The log's name, for the remarks.

    Examples
    --------
    >>> explain_log("KeyError: 'bbox_decoders'")[0].code
    'HD707'
    >>> explain_log("")
    []
    """
    from hailo_decode.lint._log import Log

    return run_rules(all_rules(_LOG_RULES).values(), {"log": Log(text)}, {"log": file})
