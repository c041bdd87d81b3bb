"""The card of each kind of result: what Jupyter shows for an object as the last line of a cell."""

from __future__ import annotations

from functools import singledispatch

from gauss.analysis import Claim
from gauss.analysis.claims import Claims
from gauss.analysis.linear.equilibria import SteadyMotion
from gauss.analysis.linear.linearize import Linearization
from gauss.analysis.linear.stability import Spectrum
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.bodies import Mechanism
from gauss.model import System
from gauss.motion import MotionTree, Trajectory
from gauss.outcome import Outcome
from gauss.show.notebook import analyses, models, motions, verdicts
from gauss.show.notebook.markup import STYLE, Markup, element, escaped
from gauss.sources import Check, Exercise, Verification
from gauss.sources.verification import Verifications
from gauss.uniqueness import Verdict


@singledispatch
def card(value: object) -> Markup:
    """Return the HTML of a result without its style; of a kind without a card its text."""
    return element("pre", value)


card.register(Verdict, verdicts.verdict_card)
card.register(Trajectory, motions.motion_card)
card.register(MotionTree, motions.tree_card)
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
    return styled(card(value))
