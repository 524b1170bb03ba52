"""What the paper prints: whether its tables are here whole, and add up to what its text claims."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import chi2, f

from benchmarks.paper import printed
from benchmarks.report import paper
from benchmarks.tasks.registry import TASKS


def test_the_tables_hold_every_task_once():
    assert set(printed.spread_tests()) == set(TASKS)
    assert set(printed.best_optimisers()) == set(TASKS)


def test_the_tests_add_up_to_the_claims():
    tests = printed.spread_tests().values()
    assert sum(test.levene_p < 0.05 for test in tests) == printed.LEVENE_CLAIM == 72
    assert sum(test.fligner_p < 0.05 for test in tests) == printed.FLIGNER_CLAIM == 73


@pytest.mark.parametrize("task", sorted(TASKS))
def test_statistics_and_p_values_belong_together(task):
    # 50 groups of 10: a misread digit in either column would show. Four digits are printed.
    test = printed.spread_tests()[task]
    assert test.fligner_p == pytest.approx(chi2.sf(test.fligner, 49), rel=0.06, abs=6e-5)
    assert test.levene_p == pytest.approx(f.sf(test.levene, 49, 450), rel=0.06, abs=6e-4)


def test_the_captions_add_up_to_the_table_of_counts():
    counted = Counter(printed.best_optimisers().values())
    assert counted == dict(printed.BEST_COUNTS)
    assert sum(counted.values()) == 108


def test_the_table_of_scores_agrees_with_that_of_the_report():
    ours = {name: row.mean for name, row in printed.SUMMARY.items()}
    assert ours.items() <= dict(paper.MEAN_SCORES).items()
    for row in printed.SUMMARY.values():
        falling = [row.median, *row.centiles]
        assert falling == sorted(falling, reverse=True)


def test_better_and_worse_are_all_tasks():
    for better, clearly_better, worse, clearly_worse in printed.GP_FIT.values():
        assert better + worse == 108
        assert clearly_better <= better
        assert clearly_worse <= worse
