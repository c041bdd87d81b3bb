"""Mechanisms in joint coordinates from random numbers, and states of theirs."""

import numpy as np

from gauss import bodies as mb


def body(name, rng):
    A = rng.normal(size=(3, 3))
    K = 0.05 * A @ A.T + 0.02 * np.eye(3)
    tensor = np.trace(K) * np.eye(3) - K
    return mb.Body(name, mb.Inertia.of_tensor(rng.uniform(0.5, 2.0), tensor, centre=0.1 * rng.normal(size=3)))


def arm(n, seed=0, axes=None, **more):
    """A chain of n bodies with revolute joints along random axes, or given ones."""
    rng = np.random.default_rng(seed)
    bodies, joints, last = [], [], mb.GROUND
    for k in range(n):
        here = body(f"link{k}", rng)
        axis = rng.normal(size=3) if axes is None else axes[k % len(axes)]
        joints.append(mb.Revolute(f"j{k}", last, 0.3 * rng.normal(size=3), here, (0, 0, 0), axis1=axis))
        bodies.append(here)
        last = here
    return mb.Mechanism("arm", bodies, joints, coordinates="joint", **more)


def flyer(seed=1):
    """A body that nothing holds, with a ball joint, a slide, a cylindrical and a universal joint, some backwards."""
    rng = np.random.default_rng(seed)
    base, leg, foot, wing, tail = (body(name, rng) for name in ("base", "leg", "foot", "wing", "tail"))
    at = lambda: 0.3 * rng.normal(size=3)  # noqa: E731
    joints = [
        mb.Spherical("hip", leg, at(), base, at()),
        mb.Prismatic("shin", leg, at(), foot, at(), axis1=(1, 2, 3)),
        mb.Cylindrical("shoulder", wing, at(), base, at(), axis1=(0, 1, 1), axis2=(1, 0, 2)),
        mb.Universal("neck", base, at(), tail, at(), axis1=(0, 0, 1), axis2=(1, 0, 0)),
    ]
    spring = mb.Spring("spring", foot, at(), wing, at(), stiffness=20.0, length=0.5)
    return mb.Mechanism("flyer", [base, leg, foot, wing, tail], joints, [spring], coordinates="joint")


def walker():
    """A body in the plane that nothing holds, with two legs."""
    trunk = mb.PlanarBody("trunk", 3.0, inertia=0.2, centre=(0.05, 0.1))
    legs = [mb.PlanarBody(f"leg{k}", 1.0, inertia=0.05, centre=(0.0, -0.2)) for k in range(2)]
    feet = [mb.PlanarBody(f"foot{k}", 0.5, inertia=0.01, centre=(0.02, -0.1)) for k in range(2)]
    joints = [mb.Pin(f"hip{k}", trunk, (0.0, -0.1), legs[k], (0.0, 0.0)) for k in range(2)]
    joints += [mb.Slider(f"shin{k}", feet[k], (0.0, 0.1), legs[k], (0.0, -0.4), axis1=(0.0, 1.0)) for k in range(2)]
    rotors = [mb.Armature(f"rotor{k}", joints[k], 0.03 * k) for k in (1, 2)]
    return mb.Mechanism("walker", [trunk, *legs, *feet], joints, rotors, coordinates="joint")


def state(mechanism, rng):
    """Random q and v (n,), on the rows of unit quaternions."""
    system = mechanism.system
    q, v = rng.normal(size=system.n), rng.normal(size=system.n)
    for _, step in mechanism.tree.balls:
        at = [system.coordinates.index(name) for name in step.names]
        q[at] /= np.linalg.norm(q[at])
        v[at] -= q[at] * (q[at] @ v[at])
    return q, v


def four_bar_in_space():
    """The rods and joints of a plane linkage of joints in space, whose rows depend on one another."""
    sizes, axis = (1.0, 2.0, 1.5), {"axis1": (0.6, 0.8, 0)}
    rods = [mb.Body(f"rod{k}", mb.box(1.0, (0.05, 0.05, x), at=(0, 0, x / 2))) for k, x in enumerate(sizes)]
    joints = [
        mb.Revolute("a", mb.GROUND, (0, 0, 0), rods[0], (0, 0, 0), **axis),
        mb.Revolute("b", rods[0], (0, 0, 1), rods[1], (0, 0, 0), **axis),
        mb.Revolute("d", mb.GROUND, (1.44, -1.08, 0), rods[2], (0, 0, 0), **axis),
        mb.Revolute("c", rods[1], (0, 0, 2), rods[2], (0, 0, 1.5), **axis),
    ]
    return rods, joints
