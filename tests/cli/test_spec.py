"""The SPEC file: what it may say, and that every mistake is one line with its remedy."""

import re
from pathlib import Path

import pytest

from warpfront import (
    AtLeast,
    AtMost,
    Boolean,
    Categorical,
    Integer,
    Maximize,
    Minimize,
    Ordinal,
    Real,
    Settings,
    Space,
)
from warpfront.cli.errors import SpecError
from warpfront.cli.spec import CommandObjective, PythonObjective, Spec, read_spec

FULL = """
name = "digits"
direction = "maximize"
trials = 50
batch = 8
workers = 2
seed = 7
storage = "sqlite:///digits.db"
timeout = "1h30m"

[objective]
python = "train.models:Loss.of"
time_limit = "10m"

[space.rate]
type = "real"
low = 1e-5
high = 0.1
scale = "log"

[space]
units = { type = "int", low = 16, high = 64, step = 16 }
size = { type = "ordinal", choices = ["s", "m", "l"] }
kind = { type = "categorical", choices = ["relu", 3, [1, 2]] }
bias = { type = "bool" }

[settings]
population = 16
"""
SPACE = Space(
    rate=Real(1e-5, 0.1, scale="log"),
    units=Integer(16, 64, step=16),
    size=Ordinal(["s", "m", "l"]),
    kind=Categorical(["relu", 3, [1, 2]]),
    bias=Boolean(),
)
YAML = """
objective:
  command: ./train --lr {rate} --units '{units}'
  result: out/{trial}.json
space:
  rate: {type: real, low: 1e-5, high: 0.1, scale: log}
  units: {type: integer, low: 1, high: 9}
  choice: {type: categorical, choices: [1e-3, "1e-3", 2.5]}
"""
SMALL = '[space.x]\ntype = "real"\nlow = 0\nhigh = 1\n'


@pytest.fixture
def read(tmp_path):
    def read(text, name="tune.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_spec(path)

    return read


def test_everything_that_a_toml_file_may_say(read, tmp_path):
    assert read(FULL) == Spec(
        path=tmp_path / "tune.toml",
        name="digits",
        space=SPACE,
        objective=PythonObjective("train.models", "Loss.of", 600.0),
        goals=(Maximize("value"),),
        trials=50,
        batch=8,
        workers=2,
        seed=7,
        storage="sqlite:///digits.db",
        timeout=5400.0,
        settings=Settings(population=16),
        chosen=("population",),
    )


def test_what_a_file_leaves_out_has_a_default(read, tmp_path):
    spec = read(SMALL, "first.toml")
    assert spec == Spec(tmp_path / "first.toml", "first", Space(x=Real(0, 1)))
    assert (spec.trials, spec.batch, spec.workers) == (100, 1, 1)
    assert spec.goals == (Minimize("loss"),)
    assert spec.folder == tmp_path


@pytest.mark.parametrize("name", ["tune.yaml", "tune.yml"])
def test_yaml_says_the_same_and_reads_numbers_as_people_write_them(read, name):
    spec = read(YAML.replace("'{units}'", "{units} {choice}"), name)
    assert spec.space["rate"] == Real(1e-5, 0.1, scale="log")
    assert spec.space["choice"] == Categorical([1e-3, "1e-3", 2.5])
    assert spec.objective == CommandObjective(
        ("./train", "--lr", "{rate}", "--units", "{units}", "{choice}"),
        result="out/{trial}.json",
        key="loss",
    )


def test_a_category_that_no_command_takes_is_refused(read):
    text = 'objective.command = "t {c}"\n[space.c]\ntype = "categorical"\nchoices = ["a\\u0000"]\n'
    with pytest.raises(SpecError, match=r"parameter 'c': 'a\\x00' has a NUL character, which no"):
        read(text)
    assert read(text.replace("command", "python").replace("t {c}", "m:f")).space.names == ("c",)


@pytest.mark.parametrize("text", ["cat <<EOF\n{x}\nEOF", "echo $(({x}))"])
def test_a_shell_command_in_which_a_value_is_not_safe_is_refused(read, text):
    spec = f'objective.shell = true\nobjective.command = """{text}"""\n' + SMALL
    with pytest.raises(SpecError, match=r"objective.command: \{x\} is not safe in "):
        read(spec)


def test_a_byte_order_mark_does_no_harm(read):
    assert read("\ufeff" + SMALL).space.names == ("x",)


def command(line):
    return SMALL + f"[objective]\n{line}\n"


@pytest.mark.parametrize(
    ("line", "arguments", "shell"),
    [
        ('command = ["./t", "{x}", "{{}}"]', ("./t", "{x}", "{{}}"), False),
        ("command = \"./t 'a b' --x={x} {trial}\"", ("./t", "a b", "--x={x}", "{trial}"), False),
        ('command = "./t {x} | tail -1"\nshell = true', ("./t {x} | tail -1",), True),
    ],
)
def test_a_command_is_a_list_or_a_text(read, line, arguments, shell):
    objective = read(command(line)).objective
    assert (objective.arguments, objective.shell) == (arguments, shell)


MISTAKES = {
    "trial = 5\n" + SMALL: "key 'trial' is unknown; did you mean 'trials'?",
    "file = 'x'\n"
    + SMALL: "key 'file' is unknown; known are name, space, constraints, objective, goals",
    "trials = 0\n" + SMALL: "trials = 0: must be a whole number of at least 1",
    "trials = true\n" + SMALL: "trials = True: must be a whole number",
    "seed = -1\n" + SMALL: "seed = -1: must be a whole number of at least 0",
    "name = ' '\n" + SMALL: "name = ' ': must be a text that is not empty",
    "timeout = 'soon'\n" + SMALL: "timeout = 'soon' is not a duration; write seconds, or such as",
    "timeout = inf\n" + SMALL: "timeout = inf is longer than 36500d; write at most that, or leave",
    "timeout = nan\n" + SMALL: "timeout = nan is not a duration; write seconds, or such as",
    "direction = 'min'\n" + SMALL: "direction = 'min': must be 'minimize' or 'maximize'",
    "trials = 5": "has no 'space'; it must be a table; give one table [space.NAME]",
    "space = 3": "space = 3: must be a table; give one table",
    "[space]": "the space has no parameter; give one",
    "[space]\nx = 3": "parameter 'x': 3 is not a parameter; 'type' must be one of real",
    "[space.x]\ntype='reel'": "'type' must be one of real, integer",
    "[space.x]\ntype='real'\nlow=1\nhigh=0": "parameter 'x': Real(low=1.0, high=0.0",
    "[space.x]\ntype='real'\nlow=0\nhihg=1": "type 'real' has no 'hihg'; it has low, high",
    SMALL + "[settings]\npopulaton = 5": "'settings.populaton' is unknown; did you mean 'popul",
    SMALL + "[settings]\npopulation = 1": "population=1: must be a whole number of at least 4",
    "settings = 3\n" + SMALL: "settings = 3: must be a table of keys",
    "objective = 3\n" + SMALL: "objective = 3: must be a table of keys",
    command("python = 'a:b'\ncommand = 'c'"): "give either 'python' or 'command'",
    command("time_limit = 3"): "give either 'python' or 'command'",
    command("pyhton = 'a:b'"): "'objective.pyhton' is unknown; did you mean 'python'?",
    command("python = 'train.py'"): "must be 'module:function', such as 'train:loss'",
    command("python = 'os:system(1)'"): "must be 'module:function'",
    command("python = 'a:b'\nresult = 'r.json'"): "objective.result: is for 'command' only",
    command("python = 'a:b'\ntime_limit = 0"): "objective.time_limit = 0 is not a duration",
    command(
        "python = 'a:b'\ntime_limit = '999999999999h'"
    ): "objective.time_limit = '999999999999h' is longer than 36500d; write at most that",
    command("command = 3"): "objective.command = 3: must be a text, or a list of a program",
    command("command = []"): "objective.command = []: must be a text, or a list",
    command("command = ['t', 3]"): "objective.command: 3 is not a text; put it in quotes",
    command('command = "t \'{x}"'): "No closing quotation",
    command("command = ['t']\nshell = true"): "a shell needs one text",
    command("command = 't {x}'\nshell = 1"): "objective.shell = 1: must be true or false",
    command(
        "command = 't {y}'"
    ): "the placeholder {y} is not a parameter; known are x, trial (write "
    "{{ and }} for braces themselves)",
    command("command = 't {x'"): "has a brace without its partner; write {{ or }}",
    command("command = 't'"): "no placeholder uses the parameter 'x'; put {x} where",
    command("command = 't {x}'\nkey = 'l'"): "objective.key: names a number in a file; give 're",
    command("command = 't {x}'\nresult = 'r.json'"): "one file; put {trial} into its name",
    command("command = 't {x}'\nresult = 'r{{trial}}.json'"): "one file; put {trial} into its name",
    command("command = 't {x}'\nresult = '{x}.json'"): "only {trial}, the trial's number, may",
    command("command = \"t '{x}'\"\nshell = true"): "remove the quotes at '{x}",
    command("command = 't \"a {x} b\"'\nshell = true"): 'remove the quotes at "a {x}; values are',
    command('command = """t \'a\n{x}\'"""\nshell = true'): "remove the quotes at 'a {x}; values",
    command("command = 't \\{x}'\nshell = true"): "remove the backslash at \\{x}; values are",
    command("command = 't {trial} {x}'").replace("space.x", "space.trial"): (
        "parameter 'trial': in a command, {trial} is the trial's number; give the parameter another"
    ),
    SMALL.replace("x", "x]\ntype='real'\nlow=0\nhigh=1\n[space.y") + "constraints = 3": "no 'const",
    "constraints = 'x < 1'\n" + SMALL: "constraints = 'x < 1': must be a list of texts",
    "metric = 'x'\n" + SMALL: "outcome 'x': a parameter has this name; rename one of them",
    "metric = 'trial'\n" + SMALL: "outcome 'trial': this name cannot be used; give it another",
    "direction='maximize'\ngoals={a='minimize'}\n" + SMALL: "direction: [goals] says it already",
    "metric = 'm'\ngoals = {a = 'minimize'}\n" + SMALL: "metric: [goals] says it already; remove",
    "goals = 3\n" + SMALL: "goals = 3: must be a table with a line such as loss = 'minimize'",
    "goals = {}\n" + SMALL: "goals = {}: must be a table with a line",
    "goals = {a = 'min'}\n" + SMALL: "goals.a.goal = 'min': must be 'minimize' or 'maximize'",
    "goals = {a = {atmost = 3}}\n" + SMALL: "'goals.a.atmost' is unknown; did you mean 'at_most'?",
    "goals = {a = {at_most = '3'}}\n" + SMALL: "goals.a.at_most = '3': must be a finite number",
    "goals = {a = {at_most = nan}}\n" + SMALL: "goals.a.at_most = nan: must be a finite number",
    "goals = {a = {}}\n" + SMALL: "goals.a: give one of goal = 'minimize', goal = 'maximize'",
    "goals = {a = {at_most = 3, at_least = 1}}\n" + SMALL: "goals.a: give one of goal =",
    "goals = {a = {at_most = 3, reference = 1}}\n" + SMALL: "goals.a.reference: is for 'minimize'",
    "goals = {a = {at_most = 3}}\n" + SMALL: "nothing is to be minimised or maximised; add",
    "name = '../x'\n" + SMALL: "name = '../x' cannot be the name of a file; use a name without",
    "name = '..'\n" + SMALL: "name = '..' cannot be the name of a file",
    'name = "a\\u0000b"\n' + SMALL: "cannot be the name of a file",
    "trails = 5\nbatch = 0\n" + SMALL: "did you mean 'trials'?; also: batch = 0: must be a whole",
    SMALL + "likly = 0.5": "'real' has no 'likly'",
    SMALL + "when = {y = 1}": "parameter 'x'",
    "[objective]\ncommand='t {x}'\n[space]\nx={type='category',choices=['\\u0000']}".replace(
        "'\\u0000'", '"\\u0000"'
    ): "a NUL character, which no command takes",
    "x = " + "[" * 3_000: "is nested more than 50 levels deep; flatten its tables and lists",
    "x = " + "[" * 60 + "]" * 60: "is nested more than 50 levels deep",
    "seed = " + "9" * 5_000: "has a whole number of thousands of digits; write it in quotes",
    "seed = " + "9" * 4_000 + "\n" + SMALL + "low = 2": "is not valid TOML: ",
    "[space": "is not valid TOML: at its end, expected",
    "x = = 3": "is not valid TOML: line 1, column 5, invalid value",
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.items())
def test_a_mistake_is_one_line_that_names_the_file_and_the_remedy(read, tmp_path, text, says):
    with pytest.raises(SpecError, match=re.escape(says)) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'tune.toml'}: ")
    assert "\n" not in message


_LINES = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 40)]
BOMB = "\n".join(["a0: &a0 [x]", *_LINES])
"""40 lines that stand for more values than there are atoms."""


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("tune.json", "{}", "the ending '.json' is unknown; use .toml, .yaml or .yml"),
        ("tune.yaml", "- 1", "is not a table of keys"),
        ("tune.yaml", "a: [", "is not valid YAML: line 1, column 5, expected the node content"),
        ("tune.yaml", "space: {x: 1, x: 2}", "a key stands twice in one table"),
        ("tune.yaml", "a: &a {x: 1}\nspace: {<<: *a, y: 1, y: 2}", "a key stands twice in one"),
        ("tune.yaml", "x: " + "[" * 3_000, "is nested more than 50 levels deep"),
        ("tune.yaml", "seed: " + "9" * 5_000, "has a whole number of thousands of digits"),
        ("tune.yaml", "x: 2026-13-45", "is not valid YAML: month must be in 1..12"),
        ("tune.yaml", "a: &a [*a]", "an alias (*name) stands within what it names"),
        ("tune.yaml", BOMB, "has more than 100,000 values once its aliases (*name) are written"),
        ("tune.yaml", "x: &a {}\n<<: [*a]\n5: 1\nspace: {}", "key '5' is unknown"),
        (
            "tune.yaml",
            "!!python/object/apply:os.system [ls]",
            "is not valid YAML: line 1, column 1, could not determine",
        ),
    ],
)
def test_other_files_are_refused(read, name, text, says):
    with pytest.raises(SpecError, match=re.escape(says)) as caught:
        read(text, name)
    assert "\n" not in str(caught.value)


def test_what_yaml_merges_may_be_overridden(read):
    spec = read(
        "space:\n  x: &x {type: real, low: 0, high: 1}\n"
        "  y: &y {<<: *x, high: 2}\n  z: {<<: *y, low: 1}\n",
        "tune.yaml",
    )
    assert spec.space == Space(x=Real(0, 1), y=Real(0, 2), z=Real(1, 2))


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(
        SpecError, match="there is no such file; `warpfront init` writes an example"
    ):
        read_spec(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecError, match="cannot be read"):
        read_spec(tmp_path / "bytes.toml")


def test_the_example_of_the_documentation_is_true(read):
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    (example,) = re.findall(r"```toml\n(name.*?)```", page, re.DOTALL)
    spec = read(example)
    assert spec.space.names == ("learning_rate", "layers", "size", "kind", "bias")
    assert (spec.timeout, spec.objective.time_limit) == (8 * 3600, 600)


def test_a_wrong_constraint_shows_the_place(read):
    with pytest.raises(SpecError, match=r"x < y\n +\^"):
        read("constraints = ['x < y']\n" + SMALL)


PROBLEM = """
constraints = ["a + b == 1", "depth <= 6 or rate < 0.1"]

[goals]
accuracy = "maximize"
latency = { goal = "minimize", reference = 50 }
memory = { at_most = 512 }
recall = { at_least = 0.5 }

[space]
booster = { type = "categorical", choices = ["tree", "linear"] }
depth = { type = "integer", low = 1, high = 12, when = { booster = "tree" } }
rate = { type = "real", low = 1e-4, high = 1.0, scale = "log", likely = [0.01, 0.1] }
a = { type = "real", low = 0, high = 1 }
b = { type = "real", low = 0, high = 1, likely = 0.5 }
"""


def test_goals_constraints_conditions_and_beliefs(read):
    spec = read(PROBLEM)
    assert spec.goals == (
        Maximize("accuracy"),
        Minimize("latency", reference=50.0),
        AtMost("memory", 512.0),
        AtLeast("recall", 0.5),
    )
    assert spec.space == Space(
        booster=Categorical(["tree", "linear"]),
        depth=Integer(1, 12, when={"booster": "tree"}),
        rate=Real(1e-4, 1.0, scale="log", likely=(0.01, 0.1)),
        a=Real(0, 1),
        b=Real(0, 1, likely=0.5),
        constraints=["a + b == 1", "depth <= 6 or rate < 0.1"],
    )


@pytest.mark.parametrize(
    ("extra", "name", "key"),
    [
        ("", "loss", "loss"),
        ("direction = 'maximize'", "value", "loss"),
        ("metric = 'rmse'", "rmse", "rmse"),
        ("direction = 'maximize'\nmetric = 'auc'", "auc", "auc"),
        ("goals = {auc = 'maximize'}", "auc", "auc"),
        ("goals = {auc = 'maximize', memory = {at_most = 3}}", "auc", ""),
    ],
)
def test_an_outcome_has_a_name_and_is_looked_for_under_it(read, extra, name, key):
    spec = read(f"{extra}\n" + command("command = 't {x}'\nresult = '{trial}.json'"))
    assert (spec.goals[0].name, spec.objective.key) == (name, key)


def test_a_spec_is_read_without_pydantic_until_then():
    import subprocess
    import sys

    code = "import sys, warpfront.cli.spec as s; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
