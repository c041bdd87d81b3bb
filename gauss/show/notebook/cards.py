"""The card of each kind of result: what Jupyter shows for an object as the last line of a cell."""

from __future__ import annotations

from functools import singledispatch

from gauss.analysis import Claim, ReactionRanges
from gauss.analysis.claims import Claims
from gauss.analysis.linear.equilibria import SteadyMotion
from gauss.analysis.linear.linearize import Linearization
from gauss.analysis.linear.stability import Spectrum
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.bodies import Assembly, Mechanism
from gauss.contact import Collision, ContactForces
from gauss.foundation.outcomes import Shown, fields_of
from gauss.model import System
from gauss.motion import MotionTree, Trajectory
from gauss.motion.hybrid import HybridMotion
from gauss.nonsmooth import ForceRanges, NonsmoothMotion
from gauss.outcome import Outcome
from gauss.robots.diagnosis import Diagnosis
from gauss.show import doctor
from gauss.show.notebook import analyses, forces, models, motions, verdicts
from gauss.show.notebook.curves import with_spares
from gauss.show.notebook.markup import STYLE, Markup, element, escaped, facts
from gauss.sources import Check, Exercise, Verification
from gauss.sources.verification import Verifications
from gauss.uniqueness import Reactions, Verdict

TITLE = 80  # letters of a first line up to which it is a title


@singledispatch
def card(value: object) -> Markup:
    """Return the HTML of a result without its style; of a kind without a card its text."""
    if not isinstance(value, Shown):
        return element("pre", value)
    if type(value).__str__ is Shown.__str__:
        return element("header", element("b", type(value).__name__)) + facts(fields_of(value))
    head, _, rest = str(value).partition("\n")
    top = element("header", element("b", head)) if len(head) <= TITLE else element("p", head)
    return top + (element("pre", rest) if rest else "")


card.register(Verdict, verdicts.verdict_card)
card.register(Trajectory, motions.motion_card)
card.register(MotionTree, motions.tree_card)
card.register(HybridMotion, motions.hybrid_card)
card.register(NonsmoothMotion, motions.scene_card)
card.register(Assembly, models.assembly_card)
card.register(Reactions, forces.reactions_card)
card.register(ContactForces, forces.contact_forces_card)
card.register(ReactionRanges, forces.reaction_ranges_card)
card.register(ForceRanges, forces.scene_forces_card)
card.register(Collision, forces.collision_card)
card.register(System, models.system_card)
card.register(Mechanism, models.mechanism_card)
card.register(Outcome, analyses.outcome_card)
card.register(Claims, analyses.claims_card)
card.register(Claim, lambda claim: analyses.claims_card([claim]))
card.register(SteadyMotion, analyses.steady_card)
card.register(Linearization, analyses.linear_card)
card.register(Verifications, analyses.verifications_card)
card.register(Verification, lambda entry: analyses.verifications_card([entry]))
card.register(Exercise, analyses.exercise_card)
card.register(Check, analyses.check_card)
card.register(SecondOpinion, analyses.opinion_card)
card.register(Spectrum, analyses.spectrum_card)
card.register(Diagnosis, doctor.card)


def styled(body: object) -> Markup:
    """Return HTML with the style of the cards, for a page that has not got it."""
    return Markup(f'<div class="gauss"><style>{STYLE}</style>{escaped(body)}</div>')


def html(value: object) -> Markup:
    """Return the card of a result with its style, for a notebook.

    >>> import gauss as g
    >>> ball = g.System("ball <b>", coordinates="z", kinetic_energy=lambda v: v.z**2, force=[1.0])
    >>> "ball &lt;b&gt;" in html(ball), "<b>ball" in html(g.classify(ball, [0.0]))
    (True, False)
    """
    return styled(with_spares(card(value)))
