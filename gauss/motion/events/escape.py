"""Why the steps of a motion shrink to nothing: an escape in finite time, a singular force, the end of the domain.

Where the speed s grows like (t* − t)^{−k}, the time in which it would grow e-fold, ρ = s/ṡ, is (t* − t)/k: linear in t,
and known at every recorded state from its velocity and acceleration. So t = t* − kρ is fitted to the last states whose
ρ the clock still resolves, and t* and k come from one straight line. With k ≥ 1 the distance covered, ∫s dt, is
infinite: the motion escapes. With k < 1 the motion ends at a finite position, where the force is singular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.record.trajectory import Ending

DECADES = 3.0  # of ρ that are fitted, from the smallest one that the clock resolves
RESOLVED = 30.0  # ρ counts down to so many times the shortest step of the run
FEWEST = 8  # states that are needed
OVERFLOW = 1e100  # a speed beyond this has squares that come near the largest numbers
SCATTER = 1e-3  # largest 95 % band of k, relative to k, that counts as a power law
MISMATCH = 0.05  # largest difference, relative to k, of the exponents of the speed and of its growth


@dataclass(frozen=True)
class Blowup:
    """The speed grows like (t* − t)^{−k}."""

    time: float  # s, t*
    exponent: float  # k > 0
    band: float  # half width of the 95 % band of k

    @property
    def escapes(self) -> bool:
        """Whether the distance covered is infinite: k is 1 or more, within its band."""
        return self.exponent + max(self.band, SCATTER) >= 1.0


def blowup(t: Array, v: Array, a: Array, shortest: float) -> Blowup | None:
    """Fit (t* − t)^{−k} to the speed of states in order of time, t (N,), v and a (N, n); None if it is no such law.

    The fit uses the states whose ρ lies in the last `DECADES` above `RESOLVED` times `shortest` (s), the shortest step
    of the run: closer to t* the time is not resolved. It is accepted where the states lie on the line and the slope of
    log s against log(t* − t) confirms k. Speeds are lengths of the vector of velocities as it stands; the one that
    grows fastest decides in the end, whatever the units.
    """
    with np.errstate(all="ignore"):
        speed = np.linalg.norm(v, axis=1)
        rho = speed**2 / np.sum(v * a, axis=1)
        falling = np.diff(rho, prepend=np.inf) < 0.0  # false for nan too
    since = int(np.max(np.flatnonzero(~(falling & (rho > 0.0))), initial=-1)) + 1  # the last states, ρ ever smaller
    usable = (np.arange(t.size) >= since) & (rho > RESOLVED * shortest)
    nearest = float(np.min(rho, where=usable, initial=np.inf))
    chosen = usable & (rho <= nearest * 10.0**DECADES)
    if np.count_nonzero(chosen) < FEWEST or nearest > RESOLVED * shortest * 10.0**DECADES:
        return None
    x, y = rho[chosen], t[chosen]
    from scipy import stats  # late: loads a large library

    line = stats.linregress(x, y - y[-1])
    k, time = -float(line.slope), float(line.intercept + y[-1])
    band = float(stats.t.ppf(0.975, x.size - 2) * line.stderr)
    left = time - y
    clear = left > 0.0
    if not k > 0.0 or band > SCATTER * k or np.count_nonzero(clear) < FEWEST:
        return None
    confirmed = -float(stats.linregress(np.log(left[clear]), np.log(speed[chosen][clear])).slope)
    return Blowup(time, k, band) if abs(confirmed - k) <= MISMATCH * k else None


def vanished(states: Array, a: Array, t: float, shortest: float, error: float, trouble: str) -> Ending:
    """Return how a run ended whose step size went to zero at time t, from all states (N, 2n+1) and their a (N, n).

    `error` is the scaled error of the last step tried, nan or inf where the model has no value on the way; `trouble` is
    what Python code said. The kind is "escape" with the estimated time t* as its limit where the speed blows up and the
    distance with it; else "failed", with the limit where only the speed blows up.
    """
    at = f"the step size went to zero at t = {t:.12g} s: the motion"
    more = f"; {trouble}" if trouble else ""
    n = a.shape[1]
    found = blowup(states[:, 0], states[:, n + 1 :], a, shortest)
    if found is None:
        return Ending("failed", f"{at} {_without_law(states[:, n + 1 :], error)}{more}")
    law = f"its speed grows like (t* − t)^−{found.exponent:.4g} with t* = {found.time:.10g} s"
    if found.escapes:
        return Ending("escape", f"{at} escapes to infinity in finite time: {law}{more}", found.time)
    return Ending(
        "failed", f"{at} runs into a singular force: {law}, at a finite position, as in a collision{more}", found.time
    )


def _without_law(v: Array, error: float) -> str:
    """Return why steps vanish where the speed, here along the run (N, n), follows no power law."""
    speed = float(np.max(np.abs(v[-1]), initial=0.0)) if len(v) else 0.0
    if not speed < OVERFLOW:
        return f"reaches the speed {speed:.1g}, where numbers overflow; no power law of an escape is seen"
    if np.isfinite(error):
        return (
            "meets a force that is not smooth there, or one too stiff, or a constraint whose function of time jumps or"
            " has a kink; its speed stays finite"
            " (gauss.uniqueness.lipschitz names such forces)"
        )
    return "leaves the model's domain, where a function has no value; its speed stays finite"
