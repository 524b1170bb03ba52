"""`warpfront init`: an example that runs."""

from __future__ import annotations

import json
from pathlib import Path

from warpfront.cli.errors import CommandError

TOML = """\
# What `warpfront tune {file}` does. All keys but the space have a default.
{name}
direction = "minimize"   # or "maximize"
trials = 40              # evaluations in all, failed ones included
batch = 1                # configurations that are chosen together
workers = 1              # evaluations at the same time
seed = 0                 # leave it out for a random one
# storage = "postgresql://user@server/database"   # default: a SQLite file beside this one
# timeout = "1h"         # no evaluation begins after this time

[objective]
{objective}
time_limit = "10m"       # of one evaluation; longer ones have failed

# One table for each parameter. The folder of this file is the working directory.
[space.learning_rate]
type = "real"
low = 1e-5
high = 1e-1
scale = "log"            # or "linear", or "logit" for shares near 0 and 1

[space.layers]
type = "integer"
low = 1
high = 8                 # a step may be given: step = 2

[space.activation]
type = "categorical"     # or "ordinal", if the order matters
choices = ["relu", "tanh", "gelu"]

[space.bias]
type = "boolean"

# [goals]                # in the place of direction, if you measure several outcomes
# accuracy = "maximize"
# memory = {{ at_most = 512 }}

# [settings]             # the components of the method; see warpfront.Settings
# population = 100
"""
YAML = """\
# What `warpfront tune {file}` does. All keys but the space have a default.
{name}
direction: minimize   # or maximize
trials: 40            # evaluations in all, failed ones included
batch: 1              # configurations that are chosen together
workers: 1            # evaluations at the same time
seed: 0               # leave it out for a random one
# storage: postgresql://user@server/database   # default: a SQLite file beside this one
# timeout: 1h         # no evaluation begins after this time

objective:
{objective}
  time_limit: 10m     # of one evaluation; longer ones have failed

# The folder of this file is the working directory.
space:
  learning_rate: {{type: real, low: 1e-5, high: 1e-1, scale: log}}   # or linear, or logit
  layers: {{type: integer, low: 1, high: 8}}                        # a step may be given: step: 2
  activation: {{type: categorical, choices: [relu, tanh, gelu]}}    # ordinal, if the order matters
  bias: {{type: boolean}}

# goals:              # in the place of direction, if you measure several outcomes
#   accuracy: maximize
#   memory: {{at_most: 512}}
# settings:           # the components of the method; see warpfront.Settings
#   population: 100
"""
ARGUMENTS = ("--rate={learning_rate}", "--layers={layers}", "{activation}", "{bias}")
OBJECTIVES = {
    ("toml", False): """\
# The function loss in {script}: it takes a dict and returns a number.
python = "{module}:loss\"""",
    ("toml", True): """\
# No shell is used. The last line of output is the loss; or write it to a JSON file and say
# result = "out/{{trial}}.json" and key = "loss".
command = ["python3", "{script}", {arguments}]""",
    ("yaml", False): """\
  # The function loss in {script}: it takes a dict and returns a number.
  python: {module}:loss""",
    ("yaml", True): """\
  # No shell is used. The last line of output is the loss; or write it to a JSON file and say
  # result: out/{{trial}}.json and key: loss.
  command: ["python3", "{script}", {arguments}]""",
}
FUNCTION = '''\
"""Stands for a training run: put yours here."""

import math


def loss(config):
    """The loss of a configuration, to be minimised. An exception or NaN is a failure."""
    rate = math.log10(config["learning_rate"])
    worse = {"relu": 0.1, "tanh": 0.3, "gelu": 0.0}[config["activation"]]
    return (rate + 2.5) ** 2 + (config["layers"] - 4) ** 2 / 8 + worse + 0.05 * config["bias"]
'''
SCRIPT = '''\
"""Stands for a training run: put yours here. The last line that it prints is the loss."""

import argparse
import math

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
parser.add_argument("--layers", type=int)
parser.add_argument("activation")
parser.add_argument("bias", choices=["true", "false"])
args = parser.parse_args()

worse = {"relu": 0.1, "tanh": 0.3, "gelu": 0.0}[args.activation] + 0.05 * (args.bias == "true")
print((math.log10(args.rate) + 2.5) ** 2 + (args.layers - 4) ** 2 / 8 + worse)
'''


def write_example(spec: Path | None, command: bool, yaml: bool) -> list[Path]:
    """Write a SPEC and its objective beside it; nothing is overwritten."""
    path = spec or Path("tune.yaml" if yaml else "tune.toml")
    kind = "yaml" if path.suffix in (".yaml", ".yml") else "toml"
    if path.suffix not in (".toml", ".yaml", ".yml") or (yaml and kind == "toml"):
        raise CommandError(f"{path}: must end in {'.yaml' if yaml else '.toml, .yaml or .yml'}")
    script = path.parent / ("train.py" if command else "objective.py")
    for file in (path, script):
        if file.exists():
            raise CommandError(f"{file}: is there already; choose another folder or name")
    objective = OBJECTIVES[kind, command].format(
        script=script.name,
        module=script.stem,
        arguments=", ".join(f'"{word}"' for word in ARGUMENTS),
    )
    quoted = json.dumps(path.stem, ensure_ascii=False)  # a text in both, also 42 and true
    name = f"name = {quoted}" if kind == "toml" else f"name: {quoted}"
    template = TOML if kind == "toml" else YAML
    path.parent.mkdir(parents=True, exist_ok=True)
    text = template.format(file=path.name, name=name, objective=objective)
    path.write_text(text, encoding="utf-8")
    script.write_text(SCRIPT if command else FUNCTION)
    return [path, script]
