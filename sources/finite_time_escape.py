"""Printed statements of TM Ex. 2.2: an escape to infinity in finite time."""

import gauss as g
from gauss.sources import ClosedForm, Integral, Printed

page = g.scenario.module("finite_time_escape")
system, start = page.system, page.start
escaping = g.System(
    "particle that escapes, without parameters",
    coordinates="r",
    kinetic_energy=lambda v: 0.5 * v.r**2,
    potential_energy=lambda q: -(q.r**2 + q.r**4 / 2),
)
equations = Printed(
    "TM Ex. 2.2",
    [
        Integral(
            "energy of the motion that escapes",
            function=lambda q, v: v.r**2 / 2 + q.r**2 + q.r**4 / 2,
            correct=lambda q, v: v.r**2 / 2 - (q.r**2 + q.r**4 / 2),
            number="Ex. 2.2",
            text="V = r² + ½r⁴, r(0) = 0, ṙ(0) = 1: the trajectory escapes to ∞ in finite time",
            remark="with V = r² + ½r⁴ the motion is bounded; it escapes with V = −(r² + ½r⁴)",
        ),
        ClosedForm(
            "the motion that escapes at π/2, with the sign corrected",
            of="r",
            function=lambda t: g.tan(t),
            number="Ex. 2.2, solution",
        ),
    ],
    system=escaping,
    q=[0.0],
    v=[1.0],
    t_end=1.2,
)
