"""The ablation: which methods it compares, what it makes of their scores, and the command."""

from __future__ import annotations

from itertools import product

import pytest

from benchmarks import __main__ as command
from benchmarks import ablation, records
from benchmarks.ablation import ACQUISITION, DEFAULT, PAPER, ROBUSTNESS, worths
from benchmarks.methods import registry
from benchmarks.records import Evaluated, Key, Record, Round
from tests.benchmarks.test_report import final, gather
from warpfront import Settings

OFF = Settings.paper(output_warp="none", acquisition="ei", input_warp=False, robustness="none")


def settings_of(method):
    base, at, changes = method.partition("@")
    preset = registry.PRESETS[base]
    return registry.changed(preset, changes) if at else preset


def differing(one, other):
    theirs = other.to_dict()
    return {name for name, value in one.to_dict().items() if value != theirs[name]}


def test_the_base_has_no_component_and_each_neighbour_differs_in_one():
    assert settings_of(PAPER.whole) == Settings.paper()
    assert settings_of(PAPER.base) == OFF
    parts = PAPER.components
    changed = [differing(settings_of(PAPER.without(name)), Settings.paper()) for name in parts]
    assert changed == [differing(settings_of(PAPER.with_only(name)), OFF) for name in parts]
    assert changed == [{"output_warp"}, {"acquisition"}, {"input_warp"}, {"robustness"}]
    assert len(set(PAPER.methods)) == len(PAPER.methods) == 11


def test_every_proposer_every_model_and_replication_are_removed_from_the_default():
    whole, rest = Settings(), []
    for name in DEFAULT.components:
        settings = settings_of(DEFAULT.without(name))
        (changed,) = differing(settings, whole)
        if changed == "shares":
            rest.append({k for k in whole.shares if settings.shares[k] != whole.shares[k]})
            assert min(settings.shares.values()) == 0.0
        elif changed == "models":
            rest.append(set(whole.models) - set(settings.models))
        else:
            assert (changed, settings.replicate) == ("replicate", False)
            rest.append({"replicate"})
    assert rest == [{name} for name in (*whole.shares, *whole.models, "replicate")]


def test_each_acquisition_takes_the_place_of_the_ensemble():
    changed = [settings_of(name) for name in ACQUISITION.methods[1:-1]]
    assert [settings.acquisition for settings in changed] == [
        *("lcb", "ei", "pi", "qucb", "qei", "qpi", "hedge")
    ]
    assert all(differing(settings, Settings.paper()) == {"acquisition"} for settings in changed)


def test_other_kinds_of_robustness_take_the_place_of_the_released_noise():
    none, theorem, monte_carlo = (settings_of(name) for name in ROBUSTNESS.methods[1:-1])
    assert (none.robustness, monte_carlo.robustness) == ("none", "monte-carlo")
    assert (theorem.robustness, theorem.rho) == ("noise", 0.5)


@pytest.mark.parametrize(
    "method",
    [*PAPER.methods, *DEFAULT.methods, *ACQUISITION.methods, *ROBUSTNESS.methods],
)
def test_every_variant_is_a_method_that_can_be_run(method):
    assert registry.find(method).name == method


LOSS = {
    PAPER.whole: 0.1,
    PAPER.without("output warp"): 0.4,
    PAPER.with_only("output warp"): 0.5,
    PAPER.base: 0.7,
    "turbo": 0.2,
}


def results():
    return gather(
        [final(name, task, 0, loss) for name, loss in LOSS.items() for task in ("a", "b")],
        methods=PAPER.methods,
    )


def test_a_component_is_worth_the_paired_differences():
    first, *others = worths(PAPER, results())
    assert first.component == "output warp"
    assert first.removed.end.value == pytest.approx(-30.0)
    assert first.added.end.value == pytest.approx(20.0)
    assert first.tasks == 2
    # The best is found in the third of four evaluations; nothing was gained before.
    assert first.removed.course.value == pytest.approx(-15.0)
    assert first.added.course.value == pytest.approx(10.0)
    assert (first.removed.better, first.removed.worse) == (0, 2)
    assert (first.added.better, first.added.worse) == (2, 0)
    assert all(worth.removed is None and worth.added is None for worth in others)


def test_tasks_on_which_nothing_changes_count_for_neither_side():
    losses = {"a": (0.1, 0.3), "b": (0.1, 0.1), "c": (0.1, 0.0)}
    runs = [
        final(name, task, 0, loss)
        for task, pair in losses.items()
        for name, loss in zip((PAPER.whole, PAPER.without("ensemble")), pair, strict=True)
    ]
    found = worths(PAPER, gather(runs, tasks=tuple(losses), methods=PAPER.methods))[1]
    assert (found.removed.better, found.removed.worse) == (1, 1)
    assert found.added is None


def test_two_components_are_set_against_each_other():
    losses = {
        **{PAPER.whole: 0.1, PAPER.base: 0.7},
        **{PAPER.without("output warp"): 0.4, PAPER.without("ensemble"): 0.2},
        **{PAPER.with_only("output warp"): 0.5, PAPER.with_only("ensemble"): 0.65},
    }
    runs = [final(name, task, 0, loss) for name, loss in losses.items() for task in "ab"]
    _, first, *_, last = ablation.contrasts(PAPER, gather(runs, methods=PAPER.methods))
    assert first == ["output warp rather than ensemble", "+20.00 [–]", "+15.00 [–]"]
    assert last == ["all together: the whole minus the base", "+60.00 [–]", "+60.00 [–]"]


def test_page_and_picture_say_so(tmp_path):
    text = ablation.write(PAPER, results(), tmp_path, "the command")
    # Two tasks give no interval.
    removed, added = "-30.00 [–] | -15.00 [–] | 2, 0", "+20.00 [–] | +10.00 [–] | 2, 0"
    assert f"| output warp | {removed} | {added} | 2 |" in text
    assert "| ensemble | – | – | – | – | – | – | 0 |" in text
    assert "| whole without output warp | 2 × 1 | 60.00 [–] |" in text
    assert "| TuRBO | 2 × 1 | 80.00 [–] |" in text
    assert "`the command`" in text
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == text
    assert (tmp_path / "ablation.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_has_the_chosen_seeds_and_names_the_workers(tmp_path, capsys):
    # All runs have their records, of one seed more than is asked for.
    for method, seed in product(PAPER.methods, (0, 1)):
        key = Key("branin", method, seed, batch=1, rounds=2, workers=2)
        trials = (Evaluated({}, 3.0, held_out=3.0),) * 2
        records.write(Record(key, trials, (Round(0.1, 0.1),) * 2), tmp_path / "runs")
    options = "--tasks branin --seeds 0 --batch 1 --rounds 2 --workers 2"
    folders = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "results")]
    assert command.main(["ablation", *options.split(), *folders, "--jobs", "1"]) == 0
    assert "11 runs, 0 of them to do; 11 have records" in capsys.readouterr().err
    (page,) = (tmp_path / "results").glob("*/report.md")
    assert page.parent.name == "ablation-chosen-1x2w2"
    text = page.read_text(encoding="utf-8")
    assert f"`python -m benchmarks ablation {options}`" in text
    assert "| whole | 1 × 1 |" in text


def test_the_command_makes_the_runs_and_the_page(all_here, tmp_path, capsys):
    options = ["--tasks", "branin", "--seeds", "0", "--batch", "2", "--rounds", "1", "--jobs", "2"]
    folders = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "results")]
    assert command.main(["ablation", *options, *folders]) == 0
    assert "11 runs, 11 of them to do" in capsys.readouterr().err
    page = (tmp_path / "results" / "ablation-chosen-2x1" / "report.md").read_text(encoding="utf-8")
    assert "`python -m benchmarks ablation --tasks branin --seeds 0 --batch 2 --rounds 1`" in page
    # Quasi-random points only: no component has had a say.
    nothing = "+0.00 [–] | +0.00 [–] | 0, 0"
    assert f"| robustness | {nothing} | {nothing} | 1 |" in page
    assert ", revision " in page.partition("## Versions")[2]


def test_the_default_has_no_base(undrawn, tmp_path):
    losses = {DEFAULT.whole: 0.1, DEFAULT.without("replication"): 0.4}
    runs = [final(name, task, 0, loss) for name, loss in losses.items() for task in "ab"]
    scored = gather(runs, methods=DEFAULT.methods)
    text = ablation.write(DEFAULT, scored, tmp_path, "the command")
    assert "# Ablation of warpfront: 2 tasks" in text
    assert "| replication | -30.00 [–] | -15.00 [–] | 2, 0 | 2 |" in text
    assert "| proposer improve | – | – | – | 0 |" in text
    assert "| whole without replication | 2 × 1 | 60.00 [–] |" in text
    assert "base" not in text
    (first, *_) = ablation.contrasts(DEFAULT, scored)[1:]
    assert first == ["proposer improve rather than proposer local", "–"]


def test_the_command_is_of_the_default_when_told(tmp_path, capsys):
    for method in DEFAULT.methods:
        key = Key("branin", method, 0, batch=1, rounds=2)
        trials = (Evaluated({}, 3.0, held_out=3.0),) * 2
        records.write(Record(key, trials, (Round(0.1, 0.1),) * 2), tmp_path / "runs")
    options = "--of default --tasks branin --seeds 0 --batch 1 --rounds 2"
    folders = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "results")]
    assert command.main(["ablation", *options.split(), *folders, "--jobs", "1"]) == 0
    said = capsys.readouterr()
    assert f"{len(DEFAULT.methods)} runs, 0 of them to do" in said.err
    assert f"`python -m benchmarks ablation {options}`" in said.out
    (page,) = (tmp_path / "results").glob("*/report.md")
    assert page.parent.name == "ablation-default-chosen-1x2"
