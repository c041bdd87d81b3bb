"""The verdict on the branches of a constraint set in words: the findings of `gauss.uniqueness.germs`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.uniqueness.findings import Finding, named
from gauss.uniqueness.germs.germ import Germ
from gauss.uniqueness.rows.frame import Frame

FOLLOW = 'The motion is not unique: follow all with simulate(…, branches="all").'
ROUGH = (
    "Along them the force is not Lipschitz continuous in the position, so that the body may also leave by itself, at"
    " any time."
)
SETS = {  # what the set is, by kind; {0} is the set of the rows
    "alike": "{1} branches of {0} leave this state ({2}); the acceleration is the same on all of them.",
    "apart": "{1} branches of {0} leave this state ({2}); each has its own acceleration.",
    "resting": "{1} branches of {0} meet at this state ({2}), and nothing drives a body at rest along any of them.",
    "left": (
        "{0} ends here, as at a cusp ({2}), and its two halves leave with the same tangent and the same acceleration."
    ),
    "end": "{0} ends here, as at a cusp ({2}).",
    "opened": "{0} ends here in an edge ({2}), and two sheets of it leave with the same acceleration.",
    "edge": "{0} ends here in an edge, in which two sheets of it touch ({2}).",
    "ended": "{0} ends here, as at a cusp ({2}), and no motion with a finite acceleration has this velocity.",
    "passed": "branches of {0} meet here ({2}), and the motion passes through with speed along one of them.",
    "driven": (
        "branches of {0} meet here ({2}); the forces drive the body along one of them, and press it against the ends of"
        " others."
    ),
    "one": "{0} has one branch here ({2}), though its rows leave more directions free to first order.",
    "point": "{0} is an isolated point here ({2}), though its rows leave more directions free to first order.",
    "beside": "the closed contacts {4} leave one way out of this state on the constraint set of {3} ({2}).",
    "pressed": "the forces press the body against the closed contacts {4} on the constraint set of {3} ({2}).",
    "shut": "the closed contacts {4} leave no way out of this state on the constraint set of {3} ({2}).",
    "stopped": (
        "the closed contacts {4} stop a motion with this velocity on the constraint set of {3} ({2}): their gaps would"
        " become negative at once."
    ),
    "redundant": (
        "the combination {3} demands nothing: the constraint set is smooth here, and has all the freedom that the other"
        " rows leave ({2})."
    ),
}
REST = "The acceleration is unique; no finite multipliers need exist."
WORDS = {  # the verdict and what follows, by kind
    "alike": ("branching", FOLLOW),
    "apart": ("branching", FOLLOW),
    "resting": (
        "branching",
        "The acceleration is zero; a push, or a force that changes, may set it going along each of them.",
    ),
    "left": ("branching", FOLLOW),
    "end": (
        "locked",
        "At rest the acceleration is zero: no force drives the body along the two halves that leave, but one that does,"
        " or a push, sets it going. No finite multipliers need exist.",
    ),
    "opened": ("branching", FOLLOW),
    "edge": ("locked", f"No force drives the body at rest onto them. {REST}"),
    "ended": ("no smooth continuation", "Start with another one (rest, for one), or elsewhere."),
    "passed": (
        "crossing",
        "The acceleration is unique; the multipliers λ grow without bound near this position.",
    ),
    "driven": ("locked", REST),
    "one": ("locked", REST),
    "point": ("locked", REST),
    "beside": ("locked", REST),
    "pressed": ("locked", REST),
    "shut": ("locked", REST),
    "stopped": ("no smooth continuation", "Start with another one (rest, for one), or elsewhere."),
    "redundant": (
        "redundant",
        "The acceleration is unique, the multipliers of these rows are not; a constraint is given more than once, and"
        " one of them can be removed.",
    ),
}


def by_germ(
    frame: Frame, germ: Germ, kind: str, branches: int, stays: bool | None, walls: Sequence[str] = ()
) -> Finding:
    """Return the verdict of the constraint set's branches: locked on one, branching on several, redundant on all.

    `kind` is what they do at the state: "alike" and "apart" are several that leave with the same or with different
    accelerations, "resting" are several along which nothing drives a body at rest; "left" and "end" is one that ends
    here as a cusp, left from rest or not, and "opened" and "edge" are two sheets that end here in an edge; "ended" is
    a set out of which the velocity leads; "one" goes on and "point" has none; a motion has "passed" the others with
    speed along one of several, or is "driven" from rest along the only one whose end forces do not press against. Of
    several ways contacts `walls` leave one ("beside"), some against whose ends forces
    press ("pressed"), or none ("shut"), or they have "stopped" a velocity. `stays` is whether a body at rest is sure
    to stay, None where the forces are not Lipschitz continuous along a branch.
    """
    null = frame.left_null if np.all(frame.identical) else frame.left_null[:, ~frame.identical]
    sets = frame.sets_of(null) or (frame.names,)  # nearly dependent
    if kind in ("passed", "one", "point") and germ.status == "smooth" and germ.dimension == germ.freedom:
        kind = "redundant"
    order = f"{'proved' if germ.proved else 'found'} to order {germ.order}"
    verdict, rest = WORDS[kind]
    what = SETS[kind].format(
        f"the constraint set of {named(sets)}", branches, order, named(sets), named((tuple(walls),))
    )
    more = f" {ROUGH}" if kind == "end" and stays is None else ""
    return Finding(verdict, sets, f"{verdict}: {what} {rest}{more}")
