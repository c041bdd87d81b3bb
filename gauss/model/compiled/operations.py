"""Operations of CasADi that are smooth wherever they are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

ANALYTIC = frozenset(
    getattr(ca, "OP_" + name)
    for name in (
        *("ASSIGN", "ADD", "SUB", "NEG", "TWICE", "LIFT", "EXP", "EXPM1", "SIN", "COS", "TAN", "ATAN", "SINH", "COSH"),
        *("TANH", "ASINH", "ERF", "ERFINV"),
    )
)
_HARMLESS = (ANALYTIC - {ca.OP_TAN, ca.OP_ERFINV}) | {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_MUL, ca.OP_SQ}


def smooth_everywhere(r: Trace, arguments: list[ca.SX]) -> bool:
    """Return whether no operation of a model is ever irregular, so that no state need be looked at."""
    function = ca.Function("scan", arguments, [r.M, r.f, r.J, r.gamma])
    return all(function.instruction_id(k) in _HARMLESS for k in range(function.n_instructions()))
