"""Problems with outcome constraints, several objectives or conditional parameters.

`problem` says what a problem is; `constrained`, `several` and `conditional` hold one family each.
`methods` names the optimisers, `perform` does a run, `curve` says how good it became, and `report`
compares methods. This file imports nothing, because the adapters run under interpreters that have
neither warpfront nor its tools.
"""
