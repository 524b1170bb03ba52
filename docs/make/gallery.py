"""Run the examples of the gallery, and write their pages into docs/gallery (not in git).

$ python docs/make/gallery.py            # all
$ python docs/make/gallery.py mixture    # one; the others stay as they are
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "gallery"
PAGES = ROOT / "docs" / "gallery"
ORDER = [
    "against_random",
    "conditional_models",
    "look_at_a_result",
    "mixture",
    "measured_limit",
    "two_goals",
    "noisy_measurements",
    "crashes",
    "laboratory",
    "prior_knowledge",
]
"""As they stand on the index; others follow by name."""
HTML, FIGURE = "text/html", "application/vnd.plotly.v1+json"


def load(file: Path) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def about(file: Path) -> tuple[str, str]:
    """The title of an example, and what it is about."""
    if file.suffix == ".ipynb":
        text = "".join(json.loads(file.read_text(encoding="utf-8"))["cells"][0]["source"])
    else:
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    title, _, rest = text.partition("\n\n")
    return title.lstrip("# ").rstrip("."), rest


def script_page(file: Path, folder: Path) -> str:
    """Run a script: its text, what it prints, and its picture."""
    title, intro = about(file)
    example, printed = load(file), io.StringIO()
    with contextlib.redirect_stdout(printed), mpl.rc_context({"svg.hashsalt": file.stem}):
        figure = example.draw(example.run())
        figure.savefig(folder / f"{file.stem}.svg", metadata={"Date": None})
    code = file.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    parts = [f"# {title}", intro, f"![{title}]({file.stem}.svg)"]
    parts += ["It prints:", f"```text\n{printed.getvalue().rstrip()}\n```"]
    parts += [f"## The script\n\n`examples/gallery/{file.name}`", f"```python\n{code}\n```"]
    return "\n\n".join(parts) + "\n"


def notebook_page(file: Path, folder: Path) -> str:
    """Run a notebook: its cells and what they show."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(folder))
    parts = [f"`examples/gallery/{file.name}`"]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        else:
            parts.append(f"```python\n{cell.source}\n```")
            parts += [shown for output in cell.outputs if (shown := _shown(output))]
    parts[0], parts[1] = parts[1], parts[0]  # the title first
    if any("plotly-graph-div" in part for part in parts):
        from plotly.offline import get_plotlyjs

        (folder / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")
        parts.insert(1, '<script src="../plotly.min.js"></script>')
    return "\n\n".join(parts) + "\n"


def _shown(output: Any) -> str:
    """An output of a cell, as Markdown."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.get("data", {})
    if FIGURE in data:
        from plotly.io import from_json

        figure = from_json(json.dumps(data[FIGURE]), skip_invalid=True)
        return str(figure.to_html(full_html=False, include_plotlyjs=False))
    if HTML in data:
        return f"<div markdown='0'>{''.join(data[HTML])}</div>"
    return f"```text\n{data.get('text/plain', '')}\n```"


def index() -> str:
    """The page that shows all of them."""
    lines = ["# Gallery", "Small problems, each run when this site is built. They stand in"]
    lines[1] += " `examples/gallery/` of the repository."
    for file in files():
        title, intro = about(file)
        picture = f"\n\n[![{title}]({file.stem}.svg){{ width=420 }}]({file.stem}.md)"
        has_picture = file.suffix == ".py"
        lines.append(f"## [{title}]({file.stem}.md)\n\n{intro}{picture if has_picture else ''}")
    return "\n\n".join(lines) + "\n"


def files() -> list[Path]:
    """All examples in their order."""
    found = [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")]
    rank = {name: i for i, name in enumerate(ORDER)}
    return sorted(found, key=lambda file: (rank.get(file.stem, len(rank)), file.stem))


def main() -> None:
    """Run what is asked for and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--output", type=Path, default=PAGES)
    args = parser.parse_args()
    if not args.names:
        shutil.rmtree(args.output, ignore_errors=True)
    args.output.mkdir(parents=True, exist_ok=True)
    for file in files():
        if args.names and file.stem not in args.names:
            continue
        print(f"gallery: {file.stem}", flush=True)
        page = (script_page if file.suffix == ".py" else notebook_page)(file, args.output)
        (args.output / f"{file.stem}.md").write_text(page, encoding="utf-8")
    (args.output / "index.md").write_text(index(), encoding="utf-8")


if __name__ == "__main__":
    main()
