"""The conditions of higher order on the accelerations, written out."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, norms
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.rows.frame import Frame

WRITTEN = 12  # coordinates up to which conditions are written out
FIXED = 1e-10  # share of a coordinate that the rows leave open, up to which they give it


def formulas(frame: Frame, c: Conditions) -> tuple[str, ...]:
    """Return the conditions of orders 3 and 4 on the accelerations as text; of small systems only.

    An acceleration that the rows themselves give, as x'' = 0 of a rod along x at rest, is put in.
    """
    if frame.n > WRITTEN:
        return ()
    L, names, zero = frame.metric.L, frame.system.coordinates, np.zeros(frame.n)
    given, texts = _given(frame), list[str]()

    def written(H: Array, g: Array, value: float) -> str:
        left, a = np.isnan(given), np.nan_to_num(given)
        rest = H * np.outer(left, left), (g + 2.0 * H @ a) * left
        if max(np.max(np.abs(rest[0])), np.max(np.abs(rest[1]))) <= FIXED * max(np.max(np.abs(H)), np.max(np.abs(g))):
            return formula(H, g, value, names)
        return formula(*rest, value + float(g @ a + a @ H @ a), names)

    for row, right in zip(c.rows, c.right, strict=True):
        texts.append("order 3: " + written(np.zeros((frame.n, frame.n)), L @ row, -float(right)))
    for w, alpha in zip(c.active.T, c.eliminating.T, strict=True):
        parts = [frame.combination(3, zero, w), frame.combination(2, zero, alpha)]
        H, g = sum(p.by_zz for p in parts), sum(p.by_z for p in parts)
        texts.append("order 4: " + written(L @ H @ L.T / 2, L @ g, float(sum(p.value for p in parts))))
    return tuple(texts)


def _given(frame: Frame) -> Array:
    """Return the accelerations (n,) that the rows give each by itself, nan for the others; none beside contacts."""
    rows, r = frame.problem.rows, frame.rank
    if not np.array_equal(rows.lower[frame.index], rows.upper[frame.index]):
        return np.full(frame.n, np.nan)
    inverse = np.asarray(np.linalg.inv(frame.metric.L).T, dtype=np.float64)  # a = L⁻ᵀ z
    z = frame.V[:r].T @ ((frame.U[:, :r].T @ frame.gamma) / frame.sigma[:r])
    across = inverse - inverse @ frame.V[:r].T @ frame.V[:r]
    fixed = norms(across, 1) <= FIXED * norms(inverse, 1)
    return np.where(fixed, inverse @ z, np.nan)


def formula(H: Array, g: Array, c: float, names: tuple[str, ...]) -> str:
    """Return aᵀH a + gᵀa + c = 0 as text, with the second derivative of x written x''."""
    accelerations = [f"{name}''" for name in names]
    size = max(float(np.max(np.abs(H), initial=0.0)), float(np.max(np.abs(g), initial=0.0)), abs(c), 1e-300)
    terms: list[tuple[float, str]] = []
    for i in range(len(names)):
        terms.append((float(H[i, i]), f"{accelerations[i]}²"))
        terms += [(2.0 * float(H[i, j]), f"{accelerations[i]} {accelerations[j]}") for j in range(i + 1, len(names))]
    terms += [(float(x), a) for x, a in zip(g, accelerations, strict=True)]
    terms.append((c, ""))
    kept = [(x / size, word) for x, word in terms if abs(x) > 1e-9 * size]
    text = ""
    first = next((x for x, _ in kept), 1.0)
    for x, word in ((x * np.sign(first), word) for x, word in kept):
        number = "" if abs(abs(x) - 1.0) < 1e-9 and word else f"{abs(x):.6g} "
        sign = ("−" if x < 0.0 else "") if not text else (" − " if x < 0.0 else " + ")
        text += sign + (number + word).strip()
    return f"{text or '0'} = 0"
