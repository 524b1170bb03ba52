"""A notebook that is executed for real, in a kernel of its own: what its cells display."""

from __future__ import annotations

import re

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

CELLS = {
    "import": """
import logging, sys, time, warnings
warnings.simplefilter("error")
from warpfront import Categorical, Integer, Real, Result, Space, minimize
space = Space(x=Real(-1, 1), n=Integer(1, 4), kind=Categorical(["a", "<b>"]))
space
""",
    "run": """
def loss(config):
    time.sleep(0.01)
    if config["n"] == 4:
        raise ValueError("too many")
    return config["x"] ** 2 + config["n"]

result = minimize(loss, space, 24, seed=0, workers=2)
""",
    "result": "result",
    "trial": "result.best",
    "optimizer": "result.optimizer",
    "text": "print(result)",
    "table": "result.to_dataframe().head(3)",
    "figure": "result.plot.convergence()",
    "slices": "result.plot.slices()",
    "quiet": "_ = minimize(loss, space, 6, seed=0, progress=False)",
    "no budget": "_ = minimize(loss, space, timeout=0.2, seed=0)",
    "widgets": 'print("ipywidgets" in sys.modules)',
    "interrupt": """
def interrupted(config):
    if config["x"] > 0.5:
        raise KeyboardInterrupt
    return config["x"]

cut = minimize(interrupted, space, 24, seed=0)
print(cut.stopped)
""",
    "picture": """
from warpfront.report import plot_convergence
plot_convergence(result)
""",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each cell has shown, by its name."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source.strip()) for source in CELLS.values()]
    folder = str(tmp_path_factory.mktemp("notebook"))
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    client.execute()
    return dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))


def shown(outputs, kind):
    return [out.data[kind] for out in outputs if "data" in out and kind in out.data]


def printed(outputs, stream="stdout"):
    return "".join(
        out.text for out in outputs if out.output_type == "stream" and out.name == stream
    )


def test_no_cell_warns_or_fails(outputs):
    for name, shown_by in outputs.items():
        assert all(out.output_type != "error" for out in shown_by), name
        if name != "interrupt":
            assert printed(shown_by, "stderr") == "", name


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("import", ["<b>Space</b>", "3 parameters", "&lt;b&gt;"]),
        ("result", ["<b>Result</b>", "24 trials", "failed", "stopped by: budget"]),
        ("trial", ["<b>Trial ", "kind"]),
        ("optimizer", ["<b>HEBO</b>", "24 trials"]),
    ],
)
def test_things_are_shown_as_small_tables(outputs, name, pieces):
    (html,) = shown(outputs[name], "text/html")
    for piece in pieces:
        assert piece in html
    assert len(html) < 4000
    assert len(shown(outputs[name], "text/plain")) == 1  # for those who cannot show HTML


def test_progress_is_one_bar_that_has_reached_its_end(outputs):
    (html,) = shown(outputs["run"], "text/html")
    assert '<progress max="24" value="24">' in html
    assert re.search(r"24/24 · \d+ s · best [\d.]+ \(trial \d+\), \d+ failed", html)
    (text,) = shown(outputs["run"], "text/plain")
    assert text.startswith("warpfront 24/24  best ")


def test_progress_needs_no_widgets(outputs):
    assert printed(outputs["widgets"]) == "False\n"


def test_without_a_budget_there_is_a_count(outputs):
    (html,) = shown(outputs["no budget"], "text/html")
    assert "<progress" not in html
    assert re.search(r"warpfront +\d+ · ", html)


def test_progress_can_be_switched_off(outputs):
    assert outputs["quiet"] == []


def test_the_text_is_short(outputs):
    assert re.fullmatch(
        r"<Result of 24 trials: best [\d.]+ \(trial \d+\), \d+ failed; stopped by: budget>\n",
        printed(outputs["text"]),
    )


def test_a_data_frame_is_a_table(outputs):
    (html,) = shown(outputs["table"], "text/html")
    for column in ("x", "n", "kind", "state", "value", "reason", "seconds"):
        assert f"<th>{column}</th>" in html


@pytest.mark.parametrize("name", ["figure", "slices"])
def test_figures_are_shown(outputs, name):
    (figure,) = shown(outputs[name], "application/vnd.plotly.v1+json")
    assert figure["data"]
    assert "best so far" in {trace.get("name") for trace in figure["data"]} or name == "slices"


def test_ctrl_c_says_so_in_one_line_and_the_cell_goes_on(outputs):
    assert printed(outputs["interrupt"]) == "interrupt\n"
    (line,) = printed(outputs["interrupt"], "stderr").splitlines()
    assert line.startswith("interrupted by Ctrl-C; ")


def test_the_comparison_of_runs_is_shown(outputs):
    (figure,) = shown(outputs["picture"], "application/vnd.plotly.v1+json")
    assert [trace["name"] for trace in figure["data"]] == ["best so far"]
