"""A state of MuJoCo as the arguments of `check`: masses, forces and the rows of its constraints, with their names."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised

TURNS, PLACE = ("wx", "wy", "wz"), ("x", "y", "z")
KINDS = {"connect": "BODY", "weld": "BODY", "joint": "JOINT", "tendon": "TENDON", "flex": "FLEX"}  # of what they join


@advised
def mujoco_state(model: Any, data: Any) -> dict[str, Any]:
    """Return the arguments of `gauss.check` for the state of a MuJoCo `data`, after ``mj_forward`` or ``mj_step1``.

    They are arrays of their own (n = model.nv, m = data.nefc): M (n, n), f (n,), J (m, n), whether MuJoCo stores it
    sparse or dense, a (n,), forces, gamma, regularization and gap (m,), unilateral and friction (m,), with names of
    rows and coordinates. Rows are named by what they belong to: "connect of tip and base[0]", "knee limit lower",
    "contact of foot and floor". Of a contact with the pyramid each edge is a row; their sum is its normal force.

    Raises InputError for contacts with the elliptic cone, which are no rows.

    >>> import gauss as g
    >>> import mujoco  # doctest: +SKIP
    >>> model = mujoco.MjModel.from_xml_path("robot.xml")  # doctest: +SKIP
    >>> data = mujoco.MjData(model)  # doctest: +SKIP
    >>> mujoco.mj_forward(model, data)  # doctest: +SKIP
    >>> print(g.check(**g.analysis.mujoco_state(model, data)))  # doctest: +SKIP
    """
    mujoco = import_module("mujoco")  # late: it is optional, and whoever has a model has it
    kind, n, m = mujoco.mjtConstraint, int(model.nv), int(data.nefc)
    types = np.array(data.efc_type[:m])
    if np.any(types == int(kind.mjCNSTR_CONTACT_ELLIPTIC)):
        raise InputError(
            'a contact has the elliptic cone, which is no row: give the model cone="pyramidal", or its contacts'
            ' condim="1".'
        )
    M = np.zeros((n, n))
    for k, column in enumerate(np.eye(n)):
        mujoco.mj_mulM(model, data, M[k], column)
    J = _rows(mujoco, model, data)
    of_friction = [int(kind.mjCNSTR_FRICTION_DOF), int(kind.mjCNSTR_FRICTION_TENDON)]
    named = [_name(mujoco, model, data, int(types[k]), int(data.efc_id[k]), J[k]) for k in range(m)]
    equality = types == int(kind.mjCNSTR_EQUALITY)
    friction = np.isin(types, of_friction)
    found: dict[str, Any] = {
        "M": M,
        "f": np.array(data.qfrc_smooth),
        "J": J,
        "a": np.array(data.qacc),
        "forces": np.array(data.efc_force[:m]),
        "gamma": np.array(data.efc_aref[:m]),
        "regularization": np.array(data.efc_R[:m]),
        "gap": np.where(equality, np.array(data.efc_pos[:m]), 0.0),
        "unilateral": ~equality & ~friction,
        "friction": friction,
    }
    return found | {"names": _apart(named), "coordinates": _coordinates(mujoco, model)}


def _rows(mujoco: Any, model: Any, data: Any) -> Array:
    """Return J (m, n)."""
    n, m = int(model.nv), int(data.nefc)
    flat = np.asarray(data.efc_J, dtype=float).ravel()
    if not mujoco.mj_isSparse(model):
        return flat[: m * n].reshape(m, n).copy()
    J = np.zeros((m, n))
    columns = np.asarray(data.efc_J_colind).ravel()
    for k in range(m):
        start = int(data.efc_J_rowadr[k])
        stored = slice(start, start + int(data.efc_J_rownnz[k]))
        J[k, columns[stored]] = flat[stored]
    return J


def _name(mujoco: Any, model: Any, data: Any, kind: int, which: int, row: Array) -> tuple[int, int, str]:
    """Return what a row belongs to, by kind and number, and how that is called."""
    kinds = mujoco.mjtConstraint

    def called(what: str, index: int) -> str:
        return _called(mujoco, model, what, index)

    if kind == int(kinds.mjCNSTR_EQUALITY):
        text = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_EQUALITY, which) or _equality(mujoco, model, which)
    elif kind == int(kinds.mjCNSTR_FRICTION_DOF):
        text = f"friction of {called('JOINT', int(model.dof_jntid[which]))}"
    elif kind == int(kinds.mjCNSTR_FRICTION_TENDON):
        text = f"friction of {called('TENDON', which)}"
    elif kind in (int(kinds.mjCNSTR_LIMIT_JOINT), int(kinds.mjCNSTR_LIMIT_TENDON)):
        what = "JOINT" if kind == int(kinds.mjCNSTR_LIMIT_JOINT) else "TENDON"
        one = np.count_nonzero(row) == 1
        end = (" lower" if row.sum() > 0.0 else " upper") if one else ""
        text = f"{called(what, which)} limit{end}"
    else:
        pair = data.contact[which].geom
        text = f"contact of {called('GEOM', int(pair[0]))} and {called('GEOM', int(pair[1]))}"
    return kind, which, text


def _called(mujoco: Any, model: Any, what: str, index: int) -> str:
    """Return the name of an object of MuJoCo, or its kind and number."""
    name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{what}"), index) if index >= 0 else None
    return name or f"{what.lower()} {index}"


def _equality(mujoco: Any, model: Any, which: int) -> str:
    """Return what an equality without a name is called: its kind, and what it joins."""
    word = mujoco.mjtEq(int(model.eq_type[which])).name.removeprefix("mjEQ_").lower()
    what = KINDS.get(word, "BODY")
    if int(model.eq_objtype[which]) == int(mujoco.mjtObj.mjOBJ_SITE):
        what = "SITE"
    ends = [int(model.eq_obj1id[which]), int(model.eq_obj2id[which])]
    return f"{word} of " + " and ".join(_called(mujoco, model, what, end) for end in ends if end >= 0)


def _apart(named: list[tuple[int, int, str]]) -> list[str]:
    """Return names of rows that differ: contacts of one pair get numbers, several rows of one part places."""
    owners = list(dict.fromkeys(named))
    alike: Counter[str] = Counter()
    texts = {}
    for owner in owners:
        alike[owner[2]] += 1
        texts[owner] = owner[2] + (f" ({alike[owner[2]]})" if alike[owner[2]] > 1 else "")
    count, seen, found = Counter(named), Counter[Any](), []
    for owner in named:
        found.append(texts[owner] + (f"[{seen[owner]}]" if count[owner] > 1 else ""))
        seen[owner] += 1
    return found


def _coordinates(mujoco: Any, model: Any) -> list[str]:
    """Return names of the n coordinates of velocities: joints, and of free and ball joints their directions."""
    found = []
    for k in range(int(model.nv)):
        joint = int(model.dof_jntid[k])
        kind, name = int(model.jnt_type[joint]), _called(mujoco, model, "JOINT", joint)
        place = k - int(model.jnt_dofadr[joint])
        if kind == int(mujoco.mjtJoint.mjJNT_FREE):
            name += f"_{(*PLACE, *TURNS)[place]}"
        elif kind == int(mujoco.mjtJoint.mjJNT_BALL):
            name += f"_{TURNS[place]}"
        found.append(name)
    return found
