"""Studies in their storage: what they keep, what they refuse, and where they are."""

import fcntl
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import optuna
import pytest
from alembic.runtime.migration import HeadMaintainer
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.exceptions import StorageInternalError
from optuna.storages._rdb.models import StudyModel
from optuna.trial import TrialState, create_trial
from sqlalchemy.event import listen, remove
from sqlalchemy.exc import OperationalError, PendingRollbackError

import warpfront.cli.storage as storage_module
from warpfront import Boolean, Categorical, Integer, Maximize, Minimize, Real, Settings, Space
from warpfront.cli.errors import StudyError
from warpfront.cli.patience import Patience, UnreachableError, is_passing, may_open_later
from warpfront.cli.spec import Spec, default_metric
from warpfront.cli.storage import (
    _is_remote,
    exclusive,
    flush,
    open_storage,
    resolve,
    show,
)
from warpfront.cli.study import create_study, has_study, open_study, storage_url
from warpfront.errors import MissingExtraError
from warpfront.integrations.optuna.space import shown_of

SPACE = Space(x=Real(0, 1, scale="linear"), c=Categorical(["a", [1]]))


@pytest.fixture
def spec(tmp_path):
    return Spec(tmp_path / "s.toml", "s", SPACE, seed=3, settings=Settings(population=16))


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/s.db"


@pytest.fixture
def create(url):
    """Creates or opens studies, and closes them afterwards."""
    opened = []

    def create(*arguments, how=create_study):
        opened.append(how(*arguments))
        return opened[-1]

    yield create
    for one in opened:
        one.close()


def test_a_study_is_read_without_its_spec(spec, url, create):
    made = create(spec, url)
    for found in (create(spec, url), create(None, url, how=open_study)):
        assert (found.name, found.space, found.seed) == ("s", SPACE, 3)
        assert found.settings == spec.settings
        assert (found.goals, found.budget) == ((Minimize("loss"),), None)
        assert found.sampler.seed == 3
    assert made.study.user_attrs["warpfront"]["version"] == 2


@pytest.mark.parametrize("goal", [Minimize("loss"), Maximize("value")])
def test_a_study_of_the_first_format_has_its_direction_as_its_goal(spec, url, create, goal):
    made = create(replace(spec, goals=(goal,)), url)
    data = dict(made.study.user_attrs["warpfront"])
    del data["goals"]
    made.study.set_user_attr("warpfront", {**data, "version": 1})
    assert create(replace(spec, goals=(goal,)), url).goals == (goal,)


def test_no_parameter_has_the_name_of_the_value():
    space = Space(loss=Real(0, 1), loss_=Real(0, 1))
    assert (default_metric(space, False), default_metric(space, True)) == ("loss__", "value")


def test_without_a_seed_one_is_drawn_and_kept(spec, url, create):
    spec = replace(spec, seed=None)
    seed = create(spec, url).seed
    assert create(spec, url).seed == seed
    assert create(spec, url, "other").seed != seed


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"space": Space(x=Real(0, 2), c=SPACE["c"])}, "parameter 'x' is Real(low=0.0, high=1.0"),
        (
            {"space": Space(x=SPACE["x"])},
            "parameter 'c' is Categorical(['a', [1]]), in the SPEC no",
        ),
        ({"space": Space(n=Integer(1, 2), x=SPACE["x"], c=SPACE["c"])}, "'n' is not there, in the"),
        (
            {"space": Space(c=SPACE["c"], x=SPACE["x"])},
            "order is ('x', 'c'), in the SPEC ('c', 'x'",
        ),
        ({"goals": (Maximize("loss"),)}, "direction is minimize, in the SPEC maximize"),
        ({"goals": (Minimize("rmse"),)}, "goal 1 is Minimize(name='loss', reference=None), in the"),
        ({"seed": 4}, "seed is 3, in the SPEC 4"),
        (
            {"settings": Settings(), "chosen": ("population",)},
            "setting 'population' is 16, in the SPEC 60",
        ),
    ],
)
@pytest.mark.parametrize("how", [create_study, open_study])
def test_a_spec_that_says_something_else_is_refused(spec, url, create, changes, says, how):
    create(spec, url)
    with pytest.raises(StudyError, match=re.escape(says)) as caught:
        how(replace(spec, **changes), url)
    assert str(caught.value).endswith("change s.toml back, or use a new --name")


def test_settings_that_a_spec_leaves_open_stay_as_the_study_began(spec, url, create):
    create(spec, url)
    found = create(replace(spec, settings=Settings(generations=5), chosen=()), url)
    assert found.settings == spec.settings


def test_a_study_that_is_not_there(spec, url, create, tmp_path):
    with pytest.raises(StudyError, match=r"there is no study in sqlite.*; `warpfront tune SPEC`"):
        open_study(spec, url)
    assert list(tmp_path.iterdir()) == []  # looking makes no file
    create(spec, url)
    create(spec, url, "t")
    with pytest.raises(StudyError, match=r"has several studies; add --name s \| t"):
        open_study(None, url)
    with pytest.raises(StudyError, match=r"there is no study 'u' in .*, only 's', 't'; choose"):
        open_study(None, url, "u")
    assert create(None, url, "t", how=open_study).name == "t"


@pytest.mark.parametrize("table", [None, "studies", "photos"])
def test_looking_leaves_a_database_of_others_as_it_is(spec, tmp_path, table):
    folder = tmp_path / "50% off, #1"
    folder.mkdir()
    file = folder / "other.db"
    file.touch()
    if table is not None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"CREATE TABLE {table} (name TEXT)")
    before = file.read_bytes()
    url = resolve("sqlite:///other.db", folder)
    for one in (spec, None):
        with pytest.raises(StudyError, match=r"there is no study in sqlite.*; `warpfront tune SPE"):
            open_study(one, url)
    assert not has_study(url, "s")
    assert file.read_bytes() == before
    assert list(folder.iterdir()) == [file]


def test_studies_of_others(spec, url, create):
    with_two = open_storage(url)
    optuna.create_study(study_name="two", storage=with_two, directions=["minimize", "maximize"])
    optuna.create_study(study_name="plain", storage=with_two)
    old = optuna.create_study(study_name="old", storage=with_two)
    old.set_user_attr("warpfront", {"version": 99})
    broken = optuna.create_study(study_name="broken", storage=with_two)
    broken.set_user_attr("warpfront", {"version": 1, "space": {"x": 3}, "settings": {}, "seed": 0})
    for name, says in {
        "two": "was not made by this command",
        "plain": "was not made by this command, so its space is unknown; give its SPEC",
        "old": r"was made by another version of warpfront \(format 99, here 2\)",
        "broken": "cannot be read: parameter 'x': 3 is not a parameter",
    }.items():
        with pytest.raises(StudyError, match=f"study '{name}' {says}"):
            open_study(None, url, name)
    assert create(spec, url, "plain").space == SPACE  # with its SPEC it can go on
    with_two.remove_session()
    with_two.engine.dispose()


@pytest.mark.parametrize(
    ("directions", "says"),
    [
        (["maximize"], "direction is maximize, in the SPEC minimize; a study keeps"),
        (["minimize", "maximize"], "direction is minimize, maximize, in the SPEC minimize"),
    ],
)
def test_a_study_of_others_that_does_not_fit_stays_as_it_is(spec, url, directions, says):
    storage = open_storage(url)
    study = optuna.create_study(study_name="s", storage=storage, directions=directions)
    with pytest.raises(StudyError, match=says):
        create_study(spec, url)
    assert study.user_attrs == {}
    storage.remove_session()
    storage.engine.dispose()


@pytest.mark.parametrize(
    ("parameter", "distribution", "says"),
    [
        (
            Real(0, 1),
            IntDistribution(1, 9),
            "is Integer(low=1, high=9, scale='linear', step=1), in",
        ),
        (
            Real(0.1, 1),
            FloatDistribution(0.1, 1, log=True),
            "is Real(low=0.1, high=1.0, scale='log'",
        ),
        (
            Categorical(["a", "b", "c"]),
            CategoricalDistribution(["a", "b"]),
            "is Categorical(['a', 'b']), in the SPEC Categorical(['a', 'b', 'c']); its type",
        ),
        (
            Boolean(),
            CategoricalDistribution([True, False]),
            "is Categorical([True, False]), in the SPEC Boolean(); its type, scale and choices, in",
        ),
    ],
)
def test_a_study_of_others_with_other_parameters_stays_as_it_is(
    spec, url, create, parameter, distribution, says
):
    storage = open_storage(url)
    study = optuna.create_study(study_name="s", storage=storage)
    value = distribution.to_external_repr(1)
    study.add_trial(create_trial(value=1.0, params={"x": value}, distributions={"x": distribution}))
    with pytest.raises(StudyError, match=re.escape(f"parameter 'x' of its trials {says}")) as error:
        create_study(replace(spec, space=Space(x=parameter, new=Real(0, 1))), url)
    assert str(error.value).endswith("change s.toml, or use a new --name")
    assert study.user_attrs == {}
    mended = Space(x=shown_of(distribution), new=Real(0, 1))
    assert create(replace(spec, space=mended), url).space == mended
    storage.remove_session()
    storage.engine.dispose()


def test_the_objective_is_never_read_from_the_storage(spec, url, create):
    opened = create(spec, url)
    opened.study.set_user_attr("objective", {"command": ["touch", "pwned"]})
    data = dict(opened.study.user_attrs["warpfront"])
    opened.study.set_user_attr("warpfront", {**data, "objective": {"python": "os:system"}})
    assert not hasattr(create(None, url, how=open_study), "objective")


@pytest.mark.parametrize(
    ("given", "storage", "expected"),
    [
        (None, None, "sqlite:////specs/s.db"),
        (None, "sqlite:///x/y.db", "sqlite:////specs/x/y.db"),
        (None, "sqlite:////abs/y.db", "sqlite:////abs/y.db"),
        ("sqlite:///y.db", "sqlite:///x.db", "sqlite:////here/y.db"),
        ("postgresql://u:p%40@h/db", None, "postgresql+psycopg://u:p%40@h/db"),
        ("postgres://h/db", None, "postgresql+psycopg://h/db"),
        ("mysql+pymysql://h/db", None, "mysql+pymysql://h/db"),
    ],
)
def test_where_a_study_is(monkeypatch, given, storage, expected):
    monkeypatch.setattr(Path, "cwd", lambda: Path("/here"))
    spec = Spec(Path("/specs/s.toml"), "s", SPACE, storage=storage)
    assert storage_url(spec, given) == expected


@pytest.mark.parametrize(
    ("folder", "storage"),
    [
        ("Zürich (copy)", "sqlite:///s.db"),
        ("it's 100%, a=b @ #1", "sqlite:///s.db"),
        ("plain", "sqlite:///s.db?timeout=5"),
    ],
)
def test_a_path_may_have_any_characters(spec, create, tmp_path, folder, storage):
    (tmp_path / folder).mkdir()
    url = resolve(storage, tmp_path / folder)
    assert resolve(url, Path("/elsewhere")) == url  # as a worker gets it
    assert not has_study(url, "s")
    create(spec, url)
    assert (tmp_path / folder / "s.db").exists()
    assert has_study(url, "s")
    assert create(None, url, how=open_study).name == "s"


@pytest.mark.parametrize("name", ["why?", "50%25", "größe #1", "{x}"])
def test_the_file_of_a_study_has_its_name(spec, create, tmp_path, name):
    url = storage_url(replace(spec, name=name), None)
    create(replace(spec, name=name), url)
    assert (tmp_path / f"{name}.db").exists()
    assert storage_url(spec, None, name) == url


def test_a_storage_that_makes_no_sense(tmp_path, monkeypatch):
    for url, says in (
        ("me:secret@h/db", "is not a URL"),
        ("postgresql://me:secret@h:x/db", "a port"),
    ):
        with pytest.raises(StudyError, match=f"the storage .*{says}.*; write such as") as caught:
            resolve(url, tmp_path)
        assert "secret" not in str(caught.value)
    for kind in ("foo", "foo+bar", "postgresql+foo", "sqlite+foo"):
        says = f"'{kind}' is not a database known here; write such as sqlite:///study.db or post"
        with pytest.raises(StudyError, match=re.escape(says)) as caught:
            resolve(f"{kind}://me:secret@h/db", tmp_path)
        assert "secret" not in str(caught.value)
    with pytest.raises(StudyError, match=r"h/db needs a driver: .*; install it, or") as caught:
        open_storage(resolve("mssql+pymssql://me:secret@h/db", tmp_path))
    assert "secret" not in str(caught.value)
    with pytest.raises(StudyError, match="give its SPEC, or --storage URL"):
        storage_url(None, None)
    with pytest.raises(StudyError, match="keeps nothing; name a file"):
        open_storage("sqlite:///:memory:")
    with pytest.raises(StudyError, match="there is no folder for it; make it first"):
        open_storage(f"sqlite:///{tmp_path}/none/s.db")
    (tmp_path / "no.db").write_text("this is not a database, and long enough to be seen as none")
    with pytest.raises(StudyError, match="cannot be opened: file is not a database"):
        open_storage(f"sqlite:///{tmp_path}/no.db")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[postgresql\]"):
        open_storage("postgresql+psycopg://h/db")


@pytest.mark.parametrize("moment", ["the tables", "their version"])
def test_commands_that_start_together_make_the_tables_once(url, monkeypatch, moment):
    """Another process makes them just when this one has seen that they are not there."""
    others = []

    def rival(*_, **__):
        if not others:
            others.append(None)  # it meets no rival itself
            others[0] = open_storage(url)

    def insert(heads, version, insert=HeadMaintainer._insert_version):
        rival()
        insert(heads, version)

    if moment == "the tables":
        listen(StudyModel.__table__, "before_create", rival)
    else:
        monkeypatch.setattr(HeadMaintainer, "_insert_version", insert)
    try:
        storage = open_storage(url)
    finally:
        if moment == "the tables":
            remove(StudyModel.__table__, "before_create", rival)
    for one in (storage, *others):
        assert optuna.get_all_study_names(one) == []
        one.remove_session()
        one.engine.dispose()


def test_tables_that_others_never_finish_are_an_error(url, monkeypatch):
    def make(*_, **__):
        raise OperationalError("", {}, sqlite3.OperationalError("table studies already exists"))

    monkeypatch.setattr("warpfront.cli.storage.MAKING", 0.2)
    monkeypatch.setattr("warpfront.cli.storage._Storage", make)
    with pytest.raises(StudyError, match="cannot be opened: table studies already exists"):
        open_storage(url)


def test_no_password_is_shown():
    assert show("postgresql+psycopg://u:secret@h/db") == "postgresql+psycopg://***@h/db"
    for key in ("password", "sslpassword", "passwd", "options"):
        url = f"postgresql://h/db?{key}=secret&user=me"
        assert show(url) == f"postgresql://h/db?{key}=***&user=***"
    for hidden in (
        "me:se@cret@h",
        "me:se/cret@h",
        "me:se?cret@h",
        "secret@h",
        "h/db?secret",
        "h?p=a@cret",
    ):
        assert "cret" not in show(f"postgresql://{hidden}/db")
    assert show("sqlite:///a@b/c.db") == "sqlite:///a@b/c.db"


def test_an_unescaped_at_in_a_password_is_an_error_without_it(tmp_path):
    with pytest.raises(StudyError, match="has an @ in its user or password; write it there as %40"):
        resolve("postgresql://me:se@cret@h/db", tmp_path)


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("connection refused", True),
        ("the database system is starting up", True),
        ('FATAL:  password authentication failed for user "me"', False),
        ('FATAL:  database "x" does not exist', False),
        ('could not translate host name "h" to address', False),
    ],
)
def test_a_storage_that_may_be_opened_later(said, passes):
    orig = type("OperationalError", (Exception,), {"__module__": "psycopg"})(said)
    assert may_open_later(OperationalError("", {}, orig)) is passes


def test_patience_covers_opening_the_storage(spec, url, create, monkeypatch):
    """PostgreSQL that is away when a worker starts; it comes back."""
    orig = type("OperationalError", (Exception,), {"__module__": "psycopg"})("connection refused")
    away = [OperationalError("", {}, orig)] * 2
    real = storage_module._Storage

    def make(*arguments, **options):
        if away:
            raise away.pop()
        return real(*arguments, **options)

    monkeypatch.setattr(storage_module, "_Storage", make)
    with pytest.raises(UnreachableError, match="cannot be opened: connection refused"):
        open_storage(url)
    said = []
    create(spec, url, how=lambda *given: Patience(said.append).insist(lambda: create_study(*given)))
    assert said[0].endswith("does not answer (connection refused); trying again for 10m 0s")
    assert said[1] == "the database answers again"


def test_a_full_disk_is_waited_for(url):
    """SQLite's own limit on the pages of a file stands for a disk that is full."""
    storage = open_storage(url)
    study = optuna.create_study(study_name="s", storage=storage)
    trial = storage.create_new_trial(study._study_id)
    with storage.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    limit = [pages]

    def limited(connection, _):
        connection.execute(f"PRAGMA max_page_count = {limit[0]}").close()

    listen(storage.engine, "connect", limited)
    storage.engine.dispose()
    said = []

    def say(line):
        said.append(line)
        limit[0] = 2**30  # somebody makes room
        storage.engine.dispose()

    def tell():
        study._storage.set_trial_user_attr(trial, "long", "x" * 100_000)
        study._storage.set_trial_state_values(trial, TrialState.COMPLETE, [0.5])

    Patience(say, forget=storage.remove_session).insist(tell)
    assert said[0].startswith("the database does not answer (database or disk is full); trying")
    assert study.trials[0].value == 0.5
    storage.remove_session()
    storage.engine.dispose()


def test_what_is_not_stored_is_said():
    full = locked()
    full.__cause__.orig = sqlite3.OperationalError("database or disk is full")

    def operation():
        raise full

    says = "make room on its disk, then run the same command again; not stored: trial 3: loss 0.5"
    with pytest.raises(StudyError, match=says):
        Patience(lambda line: None, 0.01).insist(operation, unless="not stored: trial 3: loss 0.5")


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "a\nb"])
def test_the_file_of_a_study_is_beside_its_spec(spec, name):
    with pytest.raises(
        StudyError, match=r"--name: .* cannot be the name of a file; use a name with"
    ):
        storage_url(spec, None, name)


def test_sqlite_writes_ahead_on_a_local_disk_only(url, monkeypatch, tmp_path):
    for remote, mode in ((True, "delete"), (False, "wal")):
        monkeypatch.setattr("warpfront.cli.storage._is_remote", lambda path, answer=remote: answer)
        storage = open_storage(url)
        with storage.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == mode
            flush(storage)
        storage.engine.dispose()
    assert _is_remote(tmp_path) is False


def test_the_lock_keeps_others_out(url):
    storage = open_storage(url)
    file = Path(url.removeprefix("sqlite:///") + "-lock")
    file.touch()
    with file.open() as other:
        with exclusive(storage, 1), pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)  # afterwards it is free
    storage.engine.dispose()


def locked():
    cause = OperationalError("", {}, sqlite3.OperationalError("database is locked"))
    error = optuna.exceptions.StorageInternalError("wrapped")
    error.__cause__ = cause
    return error


def test_patience_repeats_what_may_pass(monkeypatch):
    said, failures = [], [locked(), locked()]

    def operation():
        if failures:
            raise failures.pop()
        return 5

    assert is_passing(locked())
    assert Patience(said.append).insist(operation) == 5
    assert said == [
        "the database does not answer (database is locked); trying again for 10m 0s",
        "the database answers again",
    ]


def test_patience_forgets_a_transaction_that_cannot_be_rolled_back():
    broken = [True]

    def operation():
        if broken:
            raise StorageInternalError from PendingRollbackError("roll back first")
        return 5

    assert Patience(lambda line: None, forget=broken.clear).insist(operation) == 5


def test_patience_ends(monkeypatch):
    def operation():
        raise locked()

    with pytest.raises(StudyError, match="did not answer for 0s: database is locked; start it"):
        Patience(lambda line: None, seconds=0.01).insist(operation)
    with pytest.raises(KeyboardInterrupt):
        Patience(lambda line: None, stopped=lambda: True).insist(operation)


def test_what_will_not_pass_is_said_at_once():
    def operation():
        error = locked()
        error.__cause__.orig = sqlite3.OperationalError("disk full")
        raise error

    with pytest.raises(StudyError, match="the database refuses: disk full"):
        Patience(lambda line: None).insist(operation)
