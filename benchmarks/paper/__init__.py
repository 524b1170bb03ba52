"""The paper's analysis, made again: ``python -m benchmarks paper ITEM``.

One item a file, each with `add_arguments` and `execute`: `hypothesis_tests`, `gp_fit`, `conflict`,
`summary`, `best_counts` and `grid` (with `sixteen_by_eight`), `sequential`, `ablation` and
`robustness`; `page` puts their results side by side. They share `printed` (what the paper says),
`pieces` (work that is done once and kept), `repeats` and `samples` (what is evaluated), `runs` (of
methods), `costs` (how long evaluations take) and `results` (what is written, and where).
"""
