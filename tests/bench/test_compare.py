"""The driver: from rows to a table, JSON, a page and an exit code."""

import json

import pytest

from bench import driver
from bench.agreement import Agreement
from bench.frames import dfl_scene
from bench.objects import Shape
from bench.peers import absent, floor, plain_numpy
from bench.rows import all_rows
from bench.rows._decoding import Decoding, decoding_row
from bench.rows._row import OURS, Claim, Figures, Row, ahead, faster, judge, within
from bench.timing import Samples

SMALL = Shape(size=64, classes=3, objects=1)
EASY = within(floor.NAME, 1e9, "an easy target")
HARD = faster(plain_numpy.NAME, 1e9, "a hard target")


@pytest.fixture
def with_rows(monkeypatch):
    """Return a function that puts rows in the place of all rows."""
    return lambda *rows: monkeypatch.setattr(driver, "all_rows", lambda: {"tiny": list(rows)})


def tiny(*claims, name="tiny-row"):
    what = Decoding(lambda count: dfl_scene(SMALL, count))
    return decoding_row(name, "a tiny frame", what, *claims)


def test_a_quick_run_prints_a_line_for_each_way(with_rows, capsys):
    with_rows(tiny(EASY))
    assert driver.run(["--quick"]) == 0
    shown = capsys.readouterr().out
    lines = {line.split("  ")[1] for line in shown.splitlines() if line.startswith("  ") and " us" in line}
    assert {OURS, plain_numpy.NAME, floor.NAME} <= lines
    assert "target: an easy target: " in shown
    assert "1 of 1 targets met, 0 missed, 0 not measured\n" in shown
    assert "a quick look on few frames: no measurement" in shown


def test_a_missed_target_is_said_and_is_the_exit_code(with_rows, capsys):
    with_rows(tiny(EASY, HARD))
    assert driver.run(["--quick"]) == 1
    assert "  missed  tiny-row: a hard target: " in capsys.readouterr().out


def test_json_alone_prints_nothing_else(with_rows, capsys):
    with_rows(tiny(EASY))
    assert driver.run(["--quick", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    row = told["rows"][0]
    assert (row["name"], row["subject"], told["quick"]) == ("tiny-row", "tiny", True)
    assert row["figures"][OURS]["unit"] == "us"
    assert row["figures"][OURS]["p10"] <= row["figures"][OURS]["median"]
    assert row["claims"][0]["met"] is True
    assert row["agreement"][plain_numpy.NAME].endswith("boxes found again, 0 others")


def test_the_page_is_written_from_the_run(with_rows, tmp_path):
    with_rows(tiny(EASY, HARD))
    page = tmp_path / "performance.md"
    driver.run(["--quick", "--write", str(page), "--json", str(tmp_path / "figures.json")])
    text = page.read_text(encoding="utf-8")
    claims = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["rows"][0]["claims"]
    assert f"| `tiny-row` | an easy target | ≤ 1e+09 | {claims[0]['value']:.3g} | met |" in text
    assert f"| `tiny-row` | a hard target | ≥ 1e+09 | {claims[1]['value']:.3g} | **missed** |" in text
    assert "A quick look on few frames: these are no measurements." in text


def test_a_row_that_fails_does_not_lose_the_others(with_rows, capsys):
    def fails(budget):
        raise RuntimeError("no luck")

    with_rows(Row("broken", "a row that fails", fails), tiny(EASY))
    assert driver.run(["--quick"]) == 1
    shown = capsys.readouterr()
    assert "tiny-row: a tiny frame" in shown.out
    assert "  failed  broken: RuntimeError: no luck" in shown.out


def test_an_absent_peer_is_said_to_be_absent_with_the_reason(with_rows, capsys, monkeypatch):
    monkeypatch.setattr(plain_numpy, "available", lambda: "it is on holiday")
    assert absent()[plain_numpy.NAME] == "it is on holiday"
    with_rows(tiny(HARD))
    assert driver.run(["--quick"]) == 0
    shown = capsys.readouterr().out
    assert f"  absent  {plain_numpy.NAME}: it is on holiday" in shown
    assert "target: a hard target: not measured" in shown


def test_rows_are_chosen_by_name_subject_and_pattern(with_rows, capsys):
    with_rows(tiny(name="one"), tiny(name="two"))
    for only, count in (("one", 1), ("tiny", 2), ("t*", 2), ("one,two", 2)):
        driver.run(["--quick", "--only", only])
        assert capsys.readouterr().out.count(": a tiny frame\n") == count
    assert driver.run(["--only", "three"]) == 2


def test_every_row_has_a_name_of_its_own():
    names = [row.name for rows in all_rows().values() for row in rows]
    assert len(names) == len(set(names))
    assert {"typical", "crowded", "evaluation", "masks", "by-class", "batch", "first-boxes"} <= set(names)


def test_ways_are_compared_round_by_round_and_the_middle_of_that_counts():
    """The machine is slow for the last two rounds, in which the other way, a slow one, is not called any more."""
    ours = Samples("us", [10, 10, 10, 20, 20], [9, 10, 10, 20, 20], [10, 10, 10, 20, 20])
    other = Samples("us", [50, 60, 70], [60, 60, 60], [50, 60, 70])
    assert other.times(ours) == 6
    assert other.cpu_times(ours) == 6
    assert Samples("ms", [30]).times(Samples("ms", [10, 20, 30])) == 1.5
    assert Samples("ms", [30]).cpu_times(ours) is None


def samples(wall, cpu=None):
    return Samples("us", [wall], [] if cpu is None else [cpu])


@pytest.mark.parametrize(
    ("claim", "value", "met"),
    [
        (faster("peer", 5), 4.0, False),  # by the clock 10 times, by the processor 4
        (within("peer", 0.2), 0.25, False),
        (faster("peer", 4), 4.0, True),
        (Claim("plain", OURS, at_most=10), 10.0, True),
        (Claim("plain", OURS, at_least=11), 10.0, False),
        (faster("nobody", 1), None, None),
        (ahead(4), 4.0, True),  # of those that find boxes: the floor finds none
    ],
)
def test_the_less_flattering_of_clock_and_processor_counts(claim, value, met):
    figures = Figures({OURS: samples(10.0, 10.0), "peer": samples(100.0, 40.0), "floor": samples(1.0, 1.0)})
    figures.agreements = {name: Agreement(1, 1, 1) for name in (OURS, "peer")}
    verdict = judge(claim, figures)
    assert (verdict.value, verdict.met) == (value, met)


def test_figures_without_claims_are_printed_all_the_same(with_rows, capsys):
    with_rows(Row("plain", "plain figures", lambda budget: Figures({"one": Samples("ms", [1.0, 3.0])})))
    assert driver.run([]) == 0
    assert "  one  2.00 ms" in capsys.readouterr().out
