"""States near singular positions, exact to rounding, perturbed and integrated, and the judgement on their verdicts.

A `Trial` is one state in double precision together with the exact acceleration of the motion that it stands for. What
it stands for is a state on the branch: the one that was rounded; the one that was perturbed, or the one nearest to the
perturbed state (both are as good, and errors are counted from the nearer acceleration); for an integrated state the
nearest one.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath as mp
import numpy as np
from singular_branches import Branch

import gauss as g

KINDS = ("exact", "perturbed", "projected", "integrated")
NEAREST, FARTHEST = -14.0, -1.0  # log10 of the distances
PERTURBED = (-16.0, -12.0)  # log10 of the perturbations, relative to the size of the state (at least 1)
PROJECTED = -6.0  # log10 of the smallest distance of projected states
STEP = 0.1  # of the distance to the singular position, per step of an integration
FOLLOWED = 1e-9  # an integration that is farther off its branch has lost it
CUT = 1e-3  # the projection of an integration leaves smaller singular values of the rows alone
FAR = 1e4  # a state farther from the singular set than this many of its uncertainties must not be called singular
COARSE = 1e-10  # of its own size (as far as it is above CRUMBS): a state that is farther off its branch may be refused
CRUMBS = 1e-12
INHERENT = 100.0  # a smooth system's acceleration changes by this share of itself per unit displacement, at most


@dataclass(frozen=True, eq=False)
class Setting:
    """What surrounds the states of one trial or one integration: masses, forces and where the origin lies."""

    mass: np.ndarray  # (n,)
    force: np.ndarray  # (n,)
    shift: np.ndarray  # (n,)

    @staticmethod
    def draw(branch, rng):
        n = branch.n
        mass = 10.0 ** rng.uniform(-1.0, 1.0, n)
        force = rng.normal(size=n) * 10.0 ** rng.uniform(-1.0, 1.2)
        shift = np.zeros(n) if rng.uniform() < 0.5 else rng.normal(size=n) * 10.0 ** rng.uniform(-1.0, 1.5)
        return Setting(mass, force, shift)

    def system(self, branch):
        values = {"m": self.mass, "f": self.force, "c": self.shift}
        return branch.system.with_parameters(**{f"{k}_{i}": v[i] for k, v in values.items() for i in range(branch.n)})


@dataclass(frozen=True, eq=False)
class Trial:
    """One state, and the exact acceleration that belongs to it."""

    branch: Branch
    setting: Setting
    distance: float  # of the exact state from the singular set, in its parameter
    q: np.ndarray  # (n,)
    v: np.ndarray  # (n,)
    t: float
    exact: tuple[list, ...]  # accelerations (n,) of mpf, each of which would be right
    off: float  # how far (q, v) is from the exact state: the larger of |δq| and |δv|/|v|, plain norms

    def length(self, a):
        """The size of an acceleration in the mass metric."""
        return float(mp.sqrt(sum(m * x * x for m, x in zip(self.setting.mass, a, strict=True))))

    def error(self, a):
        """The distance of an acceleration (n,) from the nearest exact one in the mass metric."""
        return min(self.length([mp.mpf(float(x)) - y for x, y in zip(a, b, strict=True)]) for b in self.exact)

    @property
    def size(self):
        """The size of the exact acceleration in the mass metric."""
        return max(self.length(b) for b in self.exact)


def _rounded(values, shift):
    return np.array([float(x + mp.mpf(float(c))) for x, c in zip(values, shift, strict=True)])


def _trial(branch, setting, distance, eta, rates, t, q=None, v=None):
    """The trial of an exact state, at (q, v) or at its rounded values."""
    x, w, a = branch.exact(eta, rates, t, setting.mass, setting.force)
    with mp.workdps(50):
        place, speed = _rounded(x, setting.shift), np.array([float(y) for y in w])
        q, v = place if q is None else q, speed if v is None else v
        missed = [mp.mpf(float(p)) - mp.mpf(float(c)) - y for p, c, y in zip(q, setting.shift, x, strict=True)]
        dq = float(mp.sqrt(sum(y * y for y in missed)))
        dv = float(mp.sqrt(sum((mp.mpf(float(p)) - y) ** 2 for p, y in zip(v, w, strict=True))))
    size = float(np.linalg.norm(v))
    return Trial(branch, setting, distance, q, v, t, (a,), max(dq, dv / size if size > 0.0 else 0.0))


def exact_trial(branch, rng):
    """A state of the branch, rounded."""
    distance = 10.0 ** rng.uniform(NEAREST, FARTHEST)
    eta, rates, t = branch.draw(rng, distance)
    return _trial(branch, Setting.draw(branch, rng), distance, eta, rates, t)


def perturbed_trial(branch, rng):
    """A state of the branch that is moved in any direction, position and velocity alike."""
    distance = 10.0 ** rng.uniform(NEAREST, FARTHEST)
    eta, rates, t = branch.draw(rng, distance)
    plain = _trial(branch, Setting.draw(branch, rng), distance, eta, rates, t)
    size, shift, mass = 10.0 ** rng.uniform(*PERTURBED), plain.setting.shift, plain.setting.mass
    q = plain.q + size * max(1.0, np.linalg.norm(plain.q)) * _unit(rng, plain.q.size)
    speed = float(np.linalg.norm(plain.v))
    v = plain.v + size * speed * _unit(rng, plain.v.size)
    try:
        nearest = branch.nearest(eta, len(rates), [a - b for a, b in zip(q, shift, strict=True)], v, t, mass)
        exact = (*plain.exact, _trial(branch, plain.setting, distance, *nearest, t, q, v).exact[0])
    except (ZeroDivisionError, OverflowError):
        exact = plain.exact
    return Trial(branch, plain.setting, distance, q, v, t, exact, max(plain.off, size * max(1.0, np.linalg.norm(q))))


def projected_trial(branch, rng):
    """A state of the branch, moved across it by what its constraints do not see, its velocity projected on its rows.

    That is the worst that a projection of position and velocity onto the constraints leaves behind: where the smallest
    singular value is σ, a displacement of eps/σ changes no constraint by more than rounding, and the projection turns
    the velocity by eps/σ². Nearer than `PROJECTED` such a velocity would belong to no motion.
    """
    distance = 10.0 ** rng.uniform(PROJECTED, FARTHEST)
    eta, rates, t = branch.draw(rng, distance)
    plain = _trial(branch, Setting.draw(branch, rng), distance, eta, rates, t)
    setting, root = plain.setting, np.sqrt(plain.setting.mass)
    _, J, _ = branch.linear(plain.q - setting.shift, t)
    _, sigma, V = np.linalg.svd(J / root, full_matrices=False)
    shift = np.finfo(float).eps * float(np.linalg.norm(plain.q)) * sigma[0] / max(sigma[-1], 1e-300)
    q = plain.q + shift * rng.choice([-1.0, 1.0]) * V[-1] / root / np.linalg.norm(V[-1] / root)
    _, J, drift = branch.linear(q - setting.shift, t)
    v = plain.v - (np.linalg.pinv(J / root, rcond=1e-15) @ (J @ plain.v + drift)) / root
    x, w, _ = branch.exact(eta, rates, t, setting.mass, setting.force)
    dq = float(
        np.linalg.norm([float(mp.mpf(float(a)) - float(c) - b) for a, c, b in zip(q, setting.shift, x, strict=True)])
    )
    dv = float(np.linalg.norm([float(mp.mpf(float(a)) - b) for a, b in zip(v, w, strict=True)]))
    speed = float(np.linalg.norm(plain.v))
    return Trial(branch, setting, distance, q, v, t, plain.exact, max(dq, dv / speed if speed > 0.0 else 0.0))


def _unit(rng, n):
    x = rng.normal(size=n)
    return x / np.linalg.norm(x)


def integrated_trials(branch, rng, count):
    """States of one motion towards the singular position, at `count` distances (fewer if it turns round).

    The classical Runge-Kutta method in double precision, steps proportional to the distance; every step is followed by
    a projection of position and velocity onto the constraints that leaves nearly dependent combinations alone.
    """
    setting = Setting.draw(branch, rng)
    targets = sorted(10.0 ** rng.uniform(NEAREST, FARTHEST, count), reverse=True)
    eta, rates, t = branch.draw(rng, 0.15)
    eta[0], rates[0] = abs(eta[0]), -abs(rates[0])
    k, constants = len(rates), list(eta[len(rates) :])
    x, v, _ = branch.exact(eta, rates, t, setting.mass, setting.force)
    y = np.concatenate([_rounded(x, setting.shift), [float(u) for u in v]])
    n, found, guess = branch.n, [], [float(u) for u in eta]

    def rate(y, t):
        nonlocal guess
        guess, a = _followed(branch, setting, guess, k, y, t)
        return np.concatenate([y[n:], a])

    for target in targets:
        for _ in range(500):
            f = rate(y, t)
            gap, speed = guess[0] - target, -_speed_of(branch, setting, guess, k, y, t)
            if speed <= 0.0:
                return found
            if abs(gap) <= 1e-3 * target:
                break
            h = min(gap / speed, STEP * max(guess[0], target) / speed)
            k2 = rate(y + h / 2 * f, t + h / 2)
            k3 = rate(y + h / 2 * k2, t + h / 2)
            k4 = rate(y + h * k3, t + h)
            y, t = y + h / 6 * (f + 2 * k2 + 2 * k3 + k4), t + h
            y = _projected(branch, setting, y, t)
        else:
            return found
        eta, exact_rates = branch.nearest([*guess[:k], *constants], k, y[:n] - setting.shift, y[n:], t, setting.mass)
        trial = _trial(branch, setting, abs(float(eta[0])), eta, exact_rates, t, y[:n].copy(), y[n:].copy())
        if not trial.off < FOLLOWED:
            return found
        found.append(trial)
    return found


def _plain_tangents(branch, eta, k, t):
    place, drift, bend = (np.array([float(u) for u in part]) for part in branch.along(eta, [0.0] * k, t, 1.0))
    X = np.array([[float(u) for u in column] for column in branch.tangents(eta, k, t)]).T
    return place, drift, bend, X


def _followed(branch, setting, guess, k, y, t):
    """Parameters near a position, and the acceleration there, in double precision."""
    n, root = branch.n, np.sqrt(setting.mass)
    for _ in range(3):
        place, drift, _, X = _plain_tangents(branch, guess, k, t)
        step = np.linalg.lstsq(root[:, None] * X, root * (y[:n] - setting.shift - place), rcond=None)[0]
        guess = [*(u + d for u, d in zip(guess, step, strict=False)), *guess[k:]]
    place, drift, _, X = _plain_tangents(branch, guess, k, t)
    rates = np.linalg.lstsq(root[:, None] * X, root * (y[n:] - drift), rcond=None)[0]
    bend = np.array([float(u) for u in branch.along(guess, list(rates), t, 1.0)[2]])
    rise = np.linalg.lstsq(root[:, None] * X, root * (setting.force / setting.mass - bend), rcond=None)[0]
    return guess, X @ rise + bend


def _speed_of(branch, setting, guess, k, y, t):
    root = np.sqrt(setting.mass)
    _, drift, _, X = _plain_tangents(branch, guess, k, t)
    return np.linalg.lstsq(root[:, None] * X, root * (y[branch.n :] - drift), rcond=None)[0][0]


def _projected(branch, setting, y, t):
    """Position and velocity on the constraints, nearly dependent combinations of the rows left out."""
    n, root = branch.n, np.sqrt(setting.mass)
    q, v = y[:n].copy(), y[n:].copy()
    for _ in range(2):
        value, J, _ = branch.linear(q - setting.shift, t)
        q = q - (np.linalg.pinv(J / root, rcond=CUT) @ value) / root
    _, J, drift = branch.linear(q - setting.shift, t)
    v = v - (np.linalg.pinv(J / root, rcond=CUT) @ (J @ v + drift)) / root
    return np.concatenate([q, v])


# ------------------------------------------------------------------ the judgement


@dataclass(frozen=True, eq=False)
class Judgement:
    """What `gauss.classify` said at a trial, against the truth."""

    distance: float
    off: float
    uncertainty: float  # rounding of the position, or what the state is off its branch
    size: float  # of the exact acceleration, mass metric
    always: bool  # whether all states of the branch are singular
    failure: str = ""  # the name of an exception
    refused: bool = False  # rightly: the state is farther off its constraints than its own size allows
    verdicts: tuple[str, ...] = ()
    unique: bool = False
    warned: bool = True  # by a warning or a doubtful rank
    error: float = float("nan")  # of the acceleration, mass metric; nan where it is not unique
    bound: float = float("nan")
    sigma: float = float("nan")

    @property
    def ratio(self):
        """The error over its bound."""
        return self.error / self.bound if self.bound > 0.0 else (0.0 if self.error == 0.0 else np.inf)

    @property
    def wrong(self):
        """Whether the error exceeds its bound by more than what the state is off explains without any amplification."""
        return bool(self.error > self.bound + INHERENT * self.off * self.size)

    @property
    def falsely_regular(self):
        """Whether it is wrong and nothing warns of it."""
        return self.wrong and not self.warned

    @property
    def falsely_singular(self):
        """Whether a state that is clearly off the singular set is called singular."""
        return (
            not self.refused
            and self.distance > FAR * self.uncertainty
            and not (self.verdicts == ("regular",) or self.always)
        )


def judge(trial):
    """Classify the state of a trial."""
    rounding = 64.0 * np.finfo(float).eps * max(1.0, float(np.linalg.norm(trial.q)))
    known = {
        "distance": trial.distance,
        "off": trial.off,
        "uncertainty": max(rounding, trial.off),
        "size": trial.size,
        "always": trial.branch.always,
    }
    try:
        found = g.classify(trial.setting.system(trial.branch), trial.q, trial.v, trial.t)
    except g.errors.InconsistentStateError:
        refusable = trial.off > COARSE * max(float(np.max(np.abs(trial.q))), CRUMBS)
        return Judgement(**known, refused=refusable, failure="" if refusable else "InconsistentStateError")
    except g.errors.GaussError as error:
        return Judgement(**known, failure=type(error).__name__)
    error = bound = float("nan")
    if found.answer is not None:
        error, bound = trial.error(found.solution.a), found.error + found.solution.error_bound
    return Judgement(
        **known,
        verdicts=found.verdicts,
        unique=found.unique,
        warned=bool(found.warnings) or found.regularity.doubtful,
        error=error,
        bound=bound,
        sigma=found.sigma_min,
    )
