"""Evaluate what the journals lack, on several cores.

Every process has one BLAS thread, and every outcome is a function of (pair, trial) alone: how many
processes there are, and who evaluates what, changes nothing but the time.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed

from benchmarks.baseline.journal import Journal, Outcome
from benchmarks.baseline.pair import Pair, Trial
from benchmarks.progress import Progress
from benchmarks.tasks.data import load
from benchmarks.tasks.task import evaluate_pair
from benchmarks.workers.processes import one_thread_pool

CHUNK_SECONDS = 5.0
"""About what a kill may cost each process."""

CHUNK_TRIALS = 64

Chunk = tuple[Pair, tuple[Trial, ...]]


def evaluate_missing(
    journals: Sequence[Journal],
    wanted: Mapping[Pair, Sequence[Trial]],
    jobs: int,
    when_complete: Callable[[Journal], None] = lambda journal: None,
) -> None:
    """Fill the journals with the wanted trials, in the order of the journals.

    Parameters
    ----------
    journals
        One for each pair.
    wanted
        The trials by pair.
    jobs
        How many processes.
    when_complete
        Called with each journal once it holds all that is wanted of it.
    """
    by_pair = {journal.pair: journal for journal in journals}
    missing = {pair: journal.missing(wanted[pair]) for pair, journal in by_pair.items()}
    for pair, journal in by_pair.items():
        if not missing[pair]:
            when_complete(journal)
    chunks = [
        (pair, chunk)
        for pair, trials in missing.items()
        for chunk in _chunks(trials, by_pair[pair].mean_cpu)
    ]
    left = Counter(pair for pair, _ in chunks)
    seconds = {pair: journal.mean_cpu for pair, journal in by_pair.items()}
    with Progress(sum(seconds[pair] * len(trials) for pair, trials in chunks)) as progress:
        for (pair, trials), outcomes in _in_processes(chunks, jobs):
            by_pair[pair].add(dict(zip(trials, outcomes, strict=True)))
            left[pair] -= 1
            progress.advance(seconds[pair] * len(trials), pair.name)
            if not left[pair]:
                when_complete(by_pair[pair])
                progress.say(f"{pair.name}: {len(missing[pair])} evaluated")


def _chunks(trials: Sequence[Trial], mean_cpu: float) -> Iterator[tuple[Trial, ...]]:
    size = min(CHUNK_TRIALS, max(1, math.ceil(CHUNK_SECONDS / max(mean_cpu, 1e-3))))
    for start in range(0, len(trials), size):
        yield tuple(trials[start : start + size])


def evaluate_chunk(chunk: Chunk) -> list[Outcome]:
    """Evaluate some trials of a pair, in this process."""
    pair, trials = chunk
    load(pair.data)  # once in a process, so that no trial pays for it
    outcomes = []
    for trial in trials:
        start = time.process_time()
        pair_of = evaluate_pair(pair.model, pair.data, json.loads(trial.config), trial.seed)
        losses = {metric: evaluation.loss for metric, evaluation in pair_of.items()}
        outcomes.append(Outcome(losses, time.process_time() - start))
    return outcomes


def _in_processes(chunks: Iterable[Chunk], jobs: int) -> Iterator[tuple[Chunk, list[Outcome]]]:
    """Outcomes of the chunks, in the order in which they come."""
    todo = list(chunks)
    if not todo:
        return
    with one_thread_pool(jobs) as executor:
        futures = {executor.submit(evaluate_chunk, chunk): chunk for chunk in todo}
        for future in as_completed(futures):
            yield futures[future], future.result()
