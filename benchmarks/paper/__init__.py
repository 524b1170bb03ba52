"""The paper's analysis, made again: ``python -m benchmarks paper ITEM``.

One item a file, each with `add_arguments` and `execute`: `hypothesis_tests`, `gp_fit`, `conflict`,
`summary`, `best_counts`, `grid`, `sequential`, `ablation`, `robustness`. They share `printed`
(what the paper says), `pieces` (work that is done once and kept), `repeats` and `samples` (what is
evaluated), `costs` (how long that takes), and `results` (what is written, and where).
"""
