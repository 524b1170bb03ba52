"""The files of the archive: sorted, written whole, read together with records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.digest import Digest, Improvement
from benchmarks.archive.store import Changes
from benchmarks.records import Design, Evaluated, Key, Record


def digest(task="branin", method="turbo+", seed=0, loss=0.5, **more):
    key = Key(task, method, seed, 8, 16)
    return Digest(key, 128, 0, (Improvement(1, loss, 0.25),), (0.1,), **more)


def record(seed, loss, error=None):
    trials = () if loss is None else (Evaluated({}, loss),)
    return Record(Key("branin", "turbo+", seed, 8, 16), trials, (), error)


def test_lines_are_in_the_order_of_tasks_and_seeds(tmp_path):
    several = [digest(task, seed=seed) for task in ("levy6", "branin") for seed in (10, 2)]
    assert store.add(several, tmp_path) == Changes(added=4)
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == [
        "8x16/turbo+.jsonl"
    ]
    found = [(one.key.task, one.key.seed) for one in store.read_all(tmp_path)]
    assert found == [("branin", 2), ("branin", 10), ("levy6", 2), ("levy6", 10)]
    assert list(store.read_all(tmp_path, Design(1, 128))) == []


def test_to_add_again_changes_nothing(tmp_path):
    store.add([digest(), digest(seed=1)], tmp_path)
    (path,) = tmp_path.rglob("*.jsonl")
    before = path.stat()
    assert store.add([digest()], tmp_path) == Changes(same=1)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_run_takes_the_place_of_the_one_with_its_key(tmp_path):
    store.add([digest(), digest(seed=1)], tmp_path)
    better = digest(loss=0.25)
    changes = store.add([better, digest(seed=2)], tmp_path)
    assert changes == Changes(added=1, revisions={(None, None): 1})
    assert changes.replaced == 1
    assert list(store.read_all(tmp_path)) == [better, digest(seed=1), digest(seed=2)]


def test_methods_with_settings_have_files_of_their_own(tmp_path):
    one = digest(method="warpfront@rate=0.5,starts=1")
    asynchronous = replace(one, key=replace(one.key, batch=1, rounds=128, workers=8))
    store.add([one, asynchronous], tmp_path)
    assert list(store.read_all(tmp_path)) == [asynchronous, one]
    assert list(store.read_all(tmp_path, Design(1, 128, 8))) == [asynchronous]


def test_only_the_runs_asked_for_are_found(tmp_path):
    assert store.find(tmp_path / "absent", [digest().key]) == {}
    store.add([digest(), digest(seed=1)], tmp_path)
    missing = digest(method="hebo").key
    assert store.find(tmp_path, [digest().key, missing]) == {digest().key: digest()}


def test_a_record_wins_over_the_archive(tmp_path):
    archive, runs = tmp_path / "archive", tmp_path / "runs"
    store.add([digest(seed=seed) for seed in range(3)], archive)
    records.write(record(1, 0.125), runs)
    records.write(record(2, None, "unavailable: no wheel"), runs)
    records.write(record(3, None, "unavailable: no wheel"), runs)
    found = {one.key.seed: one for one in store.with_records(archive, runs, Design(8, 16))}
    assert found[0] == digest()
    assert found[1].improvements == (Improvement(1, 0.125, None),)
    assert found[2] == digest(seed=2)  # that a method is missing here takes no result away
    assert found[3].is_unavailable
    assert len(found) == 4


def test_a_run_that_broke_off_takes_no_whole_run_away(tmp_path):
    archive, runs = tmp_path / "archive", tmp_path / "runs"
    store.add([digest(), digest(seed=1, error="died")], archive)
    for seed in (0, 1):
        records.write(record(seed, 9.0, "took too long"), runs)
    found = {one.key.seed: one for one in store.with_records(archive, runs)}
    assert found[0] == digest()
    assert found[1].error == "took too long"
    assert store.add(list(map(Digest.of, records.read_all(runs))), archive).replaced == 1
    assert digest() in store.read_all(archive)


def test_a_run_that_broke_off_counts_if_other_code_made_it():
    whole, broken = digest(facts={"revision": "old"}), digest(error="died")
    assert not store.replaces(replace(broken, facts={"revision": "old"}), whole)
    assert store.replaces(replace(broken, facts={"revision": "new"}), whole)
    gone = replace(broken, trials=0, error="unavailable: no wheel", facts={"revision": "new"})
    assert not store.replaces(gone, whole)


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"task": "branin"}'])
def test_a_broken_line_is_named(line, tmp_path):
    store.add([digest()], tmp_path)
    (path,) = tmp_path.rglob("*.jsonl")
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2 of .*turbo\+\.jsonl is no archived run"):
        list(store.read_all(tmp_path))


def test_the_committed_archive_can_be_read():
    keys = [one.key for one in store.read_all(store.ARCHIVE)]
    assert len(keys) == len(set(keys))
    for path in store.ARCHIVE.glob("*x*/*.jsonl"):
        digests = list(store.read(path))
        assert digests == sorted(digests, key=lambda one: one.key)
        assert path.read_text(encoding="utf-8") == "".join(one.to_line() for one in digests)
