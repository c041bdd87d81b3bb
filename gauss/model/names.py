"""Names of a System: in units, tables and studies the name alone tells what is meant, so none means two things."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gauss.errors import InputError
from gauss.foundation.arrays import repeated_in

RESULTS = (  # what a trajectory's table holds beside the coordinates, their derivatives and the rows
    *("t", "zwang", "primal", "stationarity", "solver_distance", "off_position", "off_velocity"),
    *("kinetic", "potential", "energy", "sigma_min", "event"),
    *(f"stepping.{word}" for word in ("dissipated", "corrected", "work", "penetration", "residual")),
)


def refuse_ambiguous(
    system: str,
    coordinates: Sequence[str],
    rows: Sequence[str],
    constraints: Sequence[str],
    parameters: Collection[str],
    controls: Sequence[str],
) -> None:
    """Raise InputError where a name means two things; all but the first are names by what they are of."""
    refuse_collisions(system, coordinates, (*rows, *controls))
    others = {
        "a parameter": parameters,
        "a control": controls,
        "a constraint": {*constraints, *rows},
        "a coordinate or its derivative": {prefix + name for name in coordinates for prefix in ("", "d_", "dd_")},
    }
    for name in (*parameters, *controls):
        kinds = [kind for kind, names in others.items() if name in names]
        if len(kinds) > 1:
            raise InputError(
                f"system {system!r} has the name {name!r} twice, as {' and as '.join(kinds)}: units, tables and studies"
                " know each by its name. Give one of them another."
            )


def refuse_collisions(system: str, coordinates: Sequence[str], rows: Sequence[str] = ()) -> None:
    """Raise InputError where two columns of a trajectory's table would have the same name."""
    columns = [*RESULTS, *(prefix + name for name in coordinates for prefix in ("", "d_", "dd_")), *rows]
    repeated = repeated_in(columns)
    taken = [name for name in repeated if name in RESULTS]
    if taken:
        raise InputError(
            f"system {system!r} needs another name for {', '.join(map(repr, taken))}: a run has results called"
            f" {', '.join(RESULTS)}."
        )
    if repeated:
        raise InputError(
            f"system {system!r} uses the name {', '.join(map(repr, repeated))} twice: the coordinates, their velocities"
            " (d_ before the name), their accelerations (dd_), the constraint rows and the controls need different"
            " names."
        )
