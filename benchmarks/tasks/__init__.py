"""What the optimisers are measured on: the paper's 108 tasks, and functions that carry their truth.

One concept a file, in the order in which an evaluation uses them: `registry` (which tasks there
are, and the tiers), `task` (one of them), `spaces` (what may be tried), `data` (the six data sets,
their split and folds), `models` (the nine models, with `samme_r`, `ada_boost_r2`, `normalise` and
`patient_lasso` for what scikit-learn took away), `metrics` (the four losses), `evaluation`
(cross-validation). `synthetic` and `unseen_functions` hold the functions, `signature` the
points that tell whether a task has drifted. docs/benchmark-tasks.md lists every difference from
Bayesmark 0.0.8.
"""
