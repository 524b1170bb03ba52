"""Nothing from outside is run: what the source may call, by its syntax trees."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import warpfront
from warpfront import HEBO, Categorical, Minimize, Real, Space
from warpfront.errors import WarpfrontError

SOURCE = Path(warpfront.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib", "code"}
"""Modules whose data can run code when they are read; the last one runs what it reads."""
CALLS = {"eval", "exec", "compile", "__import__", "execfile", "breakpoint"}
ATTRIBUTES = {
    *("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"),
    *("os.spawnl", "os.spawnv", "yaml.unsafe_load", "yaml.full_load", "yaml.load_all"),
    *("tempfile.mktemp", "numpy.load", "np.load", "pd.read_pickle", "ctypes.CDLL"),
}
ALLOWED = {
    ("loop/pools.py", "import pickle"): "asks whether a loss can be sent; it reads nothing",
    ("loop/pools.py", "pickle.dumps"): "the same",
    ("integrations/sklearn", "import joblib"): "scikit-learn's own way to run in parallel",
    ("cli/command.py", "shell="): "the user's own command; values in it are quoted",
    ("extras.py", "__import__"): "optional packages, by names that we wrote",
    ("cli/formats.py", "yaml.load"): "with a subclass of SafeLoader",
}
"""What is used all the same, and why."""


def named(node: ast.expr) -> str:
    """`a.b.c` of an expression, or what is known of it."""
    if isinstance(node, ast.Attribute):
        return f"{named(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def findings(tree: ast.AST) -> list[str]:
    """What a syntax tree uses that could run something."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots = [alias.name.partition(".")[0] for alias in node.names]
            found += [f"import {root}" for root in roots if root in MODULES]
        elif isinstance(node, ast.ImportFrom):
            root = (node.module or "").partition(".")[0]
            found += [f"import {root}"] if root in MODULES and not node.level else []
        elif isinstance(node, ast.Call):
            name = named(node.func)
            is_dump = name.partition(".")[0] in MODULES
            if name in CALLS or name in ATTRIBUTES or is_dump or name == "yaml.load":
                found.append(name)
            for keyword in node.keywords:
                is_false = isinstance(keyword.value, ast.Constant) and not keyword.value.value
                if keyword.arg in ("shell", "allow_pickle") and not is_false:
                    found.append(f"{keyword.arg}=")
    return found


def is_allowed(file: Path, finding: str) -> bool:
    place = file.relative_to(SOURCE).as_posix()
    return any(place.startswith(where) and finding == what for where, what in ALLOWED)


def test_no_file_can_run_what_comes_from_outside():
    assert len(FILES) > 150
    found = {file: findings(ast.parse(file.read_text(encoding="utf-8"))) for file in FILES}
    forbidden = {
        file.name: [one for one in used if not is_allowed(file, one)]
        for file, used in found.items()
    }
    assert {name: used for name, used in forbidden.items() if used} == {}


def test_each_exception_is_still_needed():
    used = {
        (where, what)
        for where, what in ALLOWED
        for file in FILES
        if file.relative_to(SOURCE).as_posix().startswith(where)
        and what in findings(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert used == set(ALLOWED)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import pickle", ["import pickle"]),
        ("from marshal import loads", ["import marshal"]),
        ("eval('1')", ["eval"]),
        ("subprocess.run('ls', shell=True)", ["shell="]),
        ("subprocess.run('ls', shell=x)", ["shell="]),
        ("subprocess.run('ls', shell=False)", []),
        ("yaml.load(text, Loader=L)", ["yaml.load"]),
        ("yaml.safe_load(text)", []),
        ("np.load(file)", ["np.load"]),
        ("os.system('ls')", ["os.system"]),
    ],
)
def test_the_test_sees_what_it_looks_for(code, found):
    assert findings(ast.parse(code)) == found


def test_yaml_is_loaded_by_a_safe_loader():
    tree = ast.parse((SOURCE / "cli/formats.py").read_text(encoding="utf-8"))
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    loads = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and named(n.func) == "yaml.load"]
    for call in loads:
        (loader,) = [keyword.value for keyword in call.keywords if keyword.arg == "Loader"]
        assert [named(base) for base in classes[named(loader)].bases] == ["yaml.SafeLoader"]


TAMPERED = [
    ("optimizer", 7),
    ("seed", -1),
    ("space", {"x": {"type": "__import__('os').system('touch pwned')"}}),
    ("space", {"x": {"type": "real", "low": "__class__", "high": 1}}),
    ("space", {"constraints": ["__import__('os').system('touch pwned')"]}),
    ("options", {"settings": {"models": ["../../pwned"]}}),
    ("options", "__reduce__"),
    ("trials", [{"config": {"x": {"__reduce__": 1}}}]),
    ("trials", {"a": 1}),
    ("goals", [{"kind": "os.system"}]),
]


@pytest.mark.parametrize(
    ("key", "value"), TAMPERED, ids=[f"{k} {i}" for i, (k, _) in enumerate(TAMPERED)]
)
def test_a_tampered_state_is_refused(key, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    optimizer.tell({"x": 0.5}, 1.0)
    state = json.loads(optimizer.to_json())
    assert key in state
    with pytest.raises(WarpfrontError):
        HEBO.from_json(json.dumps({**state, key: value}))
    assert list(tmp_path.iterdir()) == []


HOSTILE_TEXT = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}"


def test_names_and_values_are_data_in_html():
    space = Space({HOSTILE_TEXT: Categorical([HOSTILE_TEXT, "b"]), "x": Real(0, 1)})
    optimizer = HEBO(space, seed=0, goals=Minimize(HOSTILE_TEXT))
    optimizer.tell(optimizer.ask(), [{HOSTILE_TEXT: 1.0}])
    optimizer.tell(optimizer.ask(), [ValueError(HOSTILE_TEXT)])
    trials = optimizer.history.trials
    pages = [optimizer._repr_html_(), *(trial._repr_html_() for trial in trials)]
    for page in pages:
        assert "<script" not in page
        assert "<img" not in page
    assert all("&lt;script&gt;" in page for page in pages[1:])
