"""Forces that see multipliers: closed forms, proofs of uniqueness, and what is refused."""

import mpmath as mp
import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.contact import load_findings
from gauss.numerics import OPERATIONS, roots_in_box

M, ARM, INERTIA, C = 2.0, 0.3, 0.24, 0.02  # kg, m, kg m² about the pin, m


def pendulum(space, coordinates, law):
    if space:
        bar = mb.Body("bar", mb.box(M, (0.1, 0.1, 0.6), at=(0, 0, -ARM)))
        pin = mb.Revolute("pin", mb.GROUND, (0, 0, 0), bar, (0, 0, 0), axis1=(0, 1, 0))
    else:
        bar = mb.PlanarBody("bar", M, inertia=INERTIA - M * ARM**2, centre=(0.0, -ARM))
        pin = mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))
    friction = mb.BearingFriction("bearing", pin, law)
    return mb.Mechanism("pendulum", [bar], [pin], [friction], coordinates=coordinates), pin


def journal(angle, rate, inertia, arms=(C,)):
    """The angular acceleration of a pendulum with journals: J α = −m g l sin θ − Σ c |R|, |R| with its inertia."""
    with mp.workdps(40):
        along = M * (ARM * mp.mpf(rate) ** 2 + mp.mpf("9.81") * mp.cos(angle))

        def off(alpha):
            across = M * (ARM * alpha + mp.mpf("9.81") * mp.sin(angle))
            friction = sum(arms) * mp.sqrt(along**2 + across**2) * mp.sign(rate)
            return inertia * alpha + M * mp.mpf("9.81") * ARM * mp.sin(angle) + friction

        return mp.findroot(off, -M * 9.81 * ARM * mp.sin(angle) / inertia)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_a_journal_has_the_friction_of_its_whole_load(space, coordinates):
    def law(load, rate):
        return -C * load.radial * g.tanh(rate / 1e-4)

    held, _pin = pendulum(space, coordinates, law)
    q, v = held.state(values={"pin": 0.7}, rates={"pin": 2.0})
    found = g.accelerate(held, q, v)
    inertia = M * (0.1**2 + 0.6**2) / 12 + M * ARM**2 if space else INERTIA
    run = g.simulate(held, q, v, t_end=1e-3)
    # the joint's own angular acceleration, from a column of the body
    alpha = run["bar.angular_acceleration"][0]
    assert np.ravel(alpha)[1 if space else 0] == pytest.approx(float(journal(0.7, 2.0, inertia)), rel=1e-10)
    assert found.unique
    assert "unique" in found.loads.sentence


def test_a_journal_with_thrust_and_moment():
    disc = mb.Body("disc", mb.disc(4.0, 0.2, at=(0, 0, 0.5)))
    axle = mb.Revolute("axle", mb.GROUND, (0, 0, 0), disc, (0, 0, 0))

    def law(load, rate):
        return -(0.01 * load.radial + 0.02 * abs(load.axial) + 0.03 * load.moment) * g.tanh(rate / 1e-4)

    held = mb.Mechanism("disc", [disc], [axle], [mb.BearingFriction("b", axle, law)], gravity=(3.0, 0, -9.81))
    q, v = held.state(disc.pose(angular_velocity=(0, 0, 5.0)))
    found = g.accelerate(held, q, v)
    torque = 0.01 * 12.0 + 0.02 * 39.24 + 0.03 * 12.0 * 0.5  # N m: 12 N across at 0.5 m, 39.24 N along
    spin = -torque / (0.5 * 4.0 * 0.2**2)
    assert found.acceleration.disc_R21 == pytest.approx(spin, rel=1e-12)


def test_forces_and_columns_agree_with_witnesses_along_a_motion():
    held, _ = pendulum(False, "natural", lambda load, rate: -C * load.radial * g.tanh(rate / 0.05))
    run = g.simulate(held, *held.state(values={"pin": 1.2}), t_end=1.5)
    claims = g.crosscheck(run)
    assert run.ending.kind == "finished"
    assert all(claims)
    assert any("Gibbs" in claim.name for claim in claims)
    lost = (run.kinetic + run.potential)[0] - (run.kinetic + run.potential)[-1]
    rate = run["d_bar_s"] * run["bar_c"] - run["d_bar_c"] * run["bar_s"]
    power = C * np.hypot(run["pin[0]"], run["pin[1]"]) * np.tanh(rate / 0.05) * rate
    fine = np.linspace(0.0, 1.5, 401)
    dense = run.at(fine)
    rate = dense["d_bar_s"] * dense["bar_c"] - dense["d_bar_c"] * dense["bar_s"]
    power = C * np.hypot(dense["pin[0]"], dense["pin[1]"]) * np.tanh(rate / 0.05) * rate
    assert np.trapezoid(power, fine) == pytest.approx(lost, rel=1e-5)


def test_eccentric_wheel_with_rolling_resistance_in_proportion_to_its_load():
    m, J, r, e, arm = 3.0, 0.05, 0.25, 0.08, 0.02
    wheel = g.System(
        "wheel",
        "x y phi",
        kinetic_energy=lambda q, v: 0.5 * m * ((v.x + e * g.cos(q.phi) * v.phi) ** 2
                                               + (v.y - e * g.sin(q.phi) * v.phi) ** 2) + 0.5 * J * v.phi**2,
        potential_energy=lambda q: m * 9.81 * (q.y + e * g.cos(q.phi)),
        constraints=[g.Holonomic("ground", lambda q: q.y - r), g.Pfaffian("rolls", [[1.0, 0.0, -r]])],
        force=lambda v, load: {"phi": -arm * abs(load.ground) * g.tanh(v.phi / 1e-4)},
    )  # fmt: skip
    phi, w = 0.9, 6.0
    found = g.accelerate(wheel, [0.0, r, phi], [r * w, 0.0, w])
    with mp.workdps(40):  # N = m(g − e(sin φ α + cos φ ω²)), and the moments about the contact
        c, s = mp.cos(phi), mp.sin(phi)

        def off(alpha):
            normal = m * (mp.mpf("9.81") - e * (s * alpha + c * w**2))
            inertia = m * (r**2 + 2 * r * e * c + e**2) + J
            rest = -m * r * e * s * w**2 - m * mp.mpf("9.81") * e * s
            return inertia * alpha + rest + arm * abs(normal)

        alpha = mp.findroot(off, 1.0)
    assert found.a[2] == pytest.approx(float(alpha), rel=1e-12)
    assert found.multiplier("ground") == pytest.approx(float(m * (9.81 - e * (s * alpha + c * w**2))), rel=1e-12)


def car(mu, height):
    """A planar car of 1,000 kg, its axles at ± 1.25 m, the rear one driven by a tyre with Pacejka's formula."""

    def tyre(load, p):
        slip = 0.15
        stiff = 10.0 * slip - 0.5 * (10.0 * slip - g.atan(10.0 * slip))
        return p.mu * load.rear * g.sin(1.6 * g.atan(stiff))

    def force(load, p):
        pull = tyre(load, p)
        return {"x": pull, "pitch": height * pull}  # pitch is positive nose up

    return g.System(
        "car",
        "x z pitch",
        kinetic_energy=lambda v: 500.0 * (v.x**2 + v.z**2) + 0.5 * 1500.0 * v.pitch**2,
        potential_energy=lambda q: 9810.0 * q.z,
        constraints=[g.Holonomic("rear", lambda q: q.z - 1.25 * q.pitch),
                     g.Holonomic("front", lambda q: q.z + 1.25 * q.pitch)],
        parameters={"mu": mu},
        force=force,
    )  # fmt: skip


def test_a_tyre_loads_itself_as_the_car_accelerates():
    found = g.accelerate(car(0.9, 0.6), [0, 0, 0])
    stiff = 1.5 - 0.5 * (1.5 - np.arctan(1.5))
    grip = 0.9 * np.sin(1.6 * np.arctan(stiff))
    a = grip * 9.81 / 2 / (1 - grip * 0.6 / 2.5)  # N_rear = m g/2 + m a h/l
    assert found.a[0] == pytest.approx(a, rel=1e-12)
    assert found.multiplier("rear") == pytest.approx(500 * 9.81 + 1000 * a * 0.6 / 2.5, rel=1e-12)


def test_a_tyre_that_would_lift_the_car_is_followed_by_no_motion():
    high = car(2.5, 1.2)  # grip · h/l > 1: the one solution has a negative load, and no weaker tyre leads to it
    found = g.classify(high, [0, 0, 0])
    assert found.accelerations.status == "one"
    assert found.multiplier("rear") < 0.0
    with pytest.raises(g.errors.NonUniqueAccelerationError, match="no weaker force leads"):
        g.simulate(high, [0, 0, 0], t_end=1.0)


def creeping(load, v):
    """A railway wheel's creep force: of the 2/3rd power of its load, saturated at 0.3 of it."""
    size = g.fmax(load.rail, 1e-9)
    return -0.3 * size * g.tanh(40.0 * v.x / (0.3 * size ** (1 / 3)))


def test_creep_of_a_railway_wheel_by_mpmath():
    tilt = 0.8  # of the force that the creep's moment adds to the load
    wheel = g.System(
        "wheel",
        "x z",
        mass_matrix=[[10.0, 2.0], [2.0, 5.0]],
        force=lambda v, load: {"x": creeping(load, v), "z": -500.0 + tilt * creeping(load, v)},
        constraints=[g.Holonomic("rail", lambda q: q.z)],
    )
    found = g.accelerate(wheel, [0, 0], [0.05, 0])
    with mp.workdps(40):

        def force(N):
            return -mp.mpf("0.3") * N * mp.tanh(2 / (mp.mpf("0.3") * N ** (mp.mpf(1) / 3)))

        # 10 a = F, 2 a = −500 + 0.8 F + N
        N = mp.findroot(lambda N: 2 * force(N) / 10 + 500 - mp.mpf(tilt) * force(N) - N, 400)
    assert found.multiplier("rail") == pytest.approx(float(N), rel=1e-12)
    assert found.unique


def rod(mu):
    """Painlevé's rod, its tip held on the floor from both sides, with |N| in a smooth law of friction."""

    def force(q, v, p, load):
        push = -p.mu * abs(load.floor) * g.tanh((v.x + g.sin(q.th) * v.th) / 1e-3)
        return [push, 0.0, push * g.sin(q.th)]

    return g.System(
        "rod",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.th**2 / 3),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Holonomic("floor", lambda q: q.z - g.sin(q.th))],
        parameters={"mu": mu},
        force=force,
    )


@pytest.mark.parametrize(
    ("mu", "turning", "count"),
    [(0.5, 0.0, 1), (0.5, 4.0, 1), (1.3, 0.0, 1), (1.4, 0.0, 0), (1.4, 4.0, 2)],
)
def test_painleves_rod_has_as_many_solutions_as_its_equation(mu, turning, count):
    th = np.arctan(2.0)
    c, s = np.cos(th), np.sin(th)
    found = g.classify(rod(mu), [0, s, th], [-1.0 - s * turning, c * turning, turning])
    assert found.accelerations.status == ("none", "one", "several")[count]
    # z̈ = N − g, θ̈ = 3 (F s − N c)... of the gap: N (1 + 3c²) − 3 s c μ|N| = g − s ω²
    right = 9.81 - s * turning**2
    roots = sorted(
        right / (1 + 3 * c**2 - sign * 3 * s * c * mu) for sign in (1, -1)
        if sign * right / (1 + 3 * c**2 - sign * 3 * s * c * mu) > 0
    )  # fmt: skip
    assert len(roots) == count
    assert sorted(found.loads.solutions.ravel()) == pytest.approx(roots, rel=1e-9)
    assert len(found.candidates) == count


def test_simulate_refuses_a_start_with_several_and_ends_at_a_fold():
    th, turning = np.arctan(2.0), 4.0
    c, s = np.cos(th), np.sin(th)
    with pytest.raises(g.errors.NonUniqueAccelerationError, match="2 sets of multipliers"):
        g.simulate(rod(1.4), [0, s, th], [-1.0 - s * turning, c * turning, turning], t_end=1.0)
    growing = g.System(
        "fold",
        "x y",
        mass_matrix=[[1, 0], [0, 1]],
        constraints=[g.Holonomic("wall", lambda q: q.x)],
        force=lambda t, load: [-10.0 - 0.02 * t * load.wall**2, load.wall],
    )  # λ = 10 + 0.02 t λ²: real until t = 1/(4 · 10 · 0.02) = 1.25 s
    with pytest.warns(g.errors.MotionWarning):
        run = g.simulate(growing, [0, 0], t_end=2.0)
    assert run.ending.kind == "failed"
    assert "2 sets of multipliers" in run.ending.message
    assert run.t[-1] == pytest.approx(1.25, rel=1e-3)
    assert run.t[-1] < 1.25
    for i in (0, -1):
        t = run.t[i]
        lam = 20.0 / (1 + np.sqrt(1 - 0.8 * t))
        left = 1e-12 * 3 * lam / (1 - 0.04 * t * lam)  # of the iteration's residual, 1e-12 of its terms
        assert run["wall"][i] == pytest.approx(lam, abs=left + 1e-12)


def test_a_second_solution_beside_a_motion_is_told():
    system = g.System(
        "parts",
        "x y",
        mass_matrix=[[1, 0], [0, 1]],
        constraints=[g.Holonomic("wall", lambda q: q.x)],
        force=lambda t, load: [-10.0 - 0.02 * t * load.wall**2, 0.0],
    )
    with pytest.warns(g.errors.MotionWarning, match="2 sets of multipliers"):
        run = g.simulate(system, [0, 0], t_end=1.0)
    assert run.ending.kind == "finished"


def test_rows_that_depend_on_one_another_leave_loads_undecided():
    twice = [g.Holonomic(name, lambda q: q.x) for name in ("one", "other")]
    system = g.System(
        "wall", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=twice, force=lambda load: [-1.0, 0.1 * load.one]
    )
    found = g.classify(system, [0, 0])
    assert found.accelerations.status == "undecided"
    assert "do not determine" in found.why
    with pytest.raises(g.errors.NonUniqueAccelerationError):
        g.simulate(system, [0, 0], t_end=1.0)


def test_what_cannot_be_solved_is_refused_by_name():
    rows = [g.Holonomic("rail", lambda q: q.y), g.Unilateral("floor", lambda q: q.x)]
    with pytest.raises(g.errors.ModelError, match="one-sided rows or dry"):
        g.System("s", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=rows, force=lambda load: [load.rail, 0.0])
    with pytest.raises(g.errors.ModelError, match="no multiplier of an equality row 'floor'"):
        g.System("s", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=rows, force=lambda load: [load.floor, 0.0])
    held, pin = pendulum(False, "natural", lambda load: -load.radial)
    with pytest.raises(g.errors.InputError, match="inverse dynamics"):
        mb.inverse_dynamics(held, *held.state(values={"pin": 0.0}), {pin: 0.0})
    with pytest.raises(g.errors.InputError, match="Brake"):
        mb.BearingFriction("b", pin, 3.0)


def test_a_light_quaternion_body_keeps_its_load():
    """In joint coordinates the mass matrix is singular along the quaternion; the multipliers are the same."""

    def law(load, rate):
        return -C * load.radial * g.tanh(rate / 1e-4)

    values = []
    for coordinates in ("natural", "joint"):
        held, pin = pendulum(True, coordinates, law)
        q, v = held.state(values={"pin": 0.3}, rates={"pin": -1.0})
        values.append(mb.reaction(g.accelerate(held, q, v), pin).force)
    assert values[0] == pytest.approx(values[1], rel=1e-10, abs=1e-10)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - {"if_else_zero"}))
def test_intervals_contain_all_values(name):
    rng = np.random.default_rng(3)
    exact = {
        "assign": lambda x: x, "neg": np.negative, "twice": lambda x: 2 * x, "inv": np.reciprocal, "sq": np.square,
        "fabs": np.abs, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power,
        "constpow": np.power, "asinh": np.arcsinh, "atan": np.arctan, "asin": np.arcsin, "acos": np.arccos,
        "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal, "not": np.logical_not,
        "and": np.logical_and, "or": np.logical_or,
    }  # fmt: skip
    function = exact.get(name) or getattr(np, name)
    pairs = (
        "add",
        "sub",
        "mul",
        "div",
        "pow",
        "constpow",
        "hypot",
        "fmin",
        "fmax",
        "lt",
        "le",
        "eq",
        "ne",
        "and",
        "or",
    )
    two = name in pairs
    with np.errstate(all="ignore"):
        for _ in range(60):
            a, b = np.sort(rng.normal(scale=3.0, size=2)), np.sort(rng.normal(scale=3.0, size=2))
            b = np.repeat(rng.integers(1, 5), 2).astype(float) if name == "constpow" else b
            boxes = [(np.array([x[0]]), np.array([x[1]])) for x in ((a, b) if two else (a,))]
            low, high = OPERATIONS[name](*boxes)
            points = [rng.uniform(x[0], x[1], 50) for x in ((a, b) if two else (a,))]
            values = np.asarray(function(*points), dtype=float)
            values = values[np.isfinite(values)]
            assert np.all(values >= low[0])
            assert np.all(values <= high[0])


def test_all_roots_of_random_polynomials_are_found():
    rng = np.random.default_rng(5)
    for _ in range(6):
        wanted = np.sort(rng.uniform(-3.0, 3.0, 3))
        coefficients = np.poly(wanted)

        def horner(low, high, coefficients=coefficients):
            total = np.zeros_like(low), np.zeros_like(low)
            for c in coefficients:
                total = OPERATIONS["add"](OPERATIONS["mul"](total, (low, high)), (np.full_like(low, c),) * 2)
            return total

        inner = np.polyder(coefficients)

        def slope(low, high, inner=inner):
            return tuple(x[..., None] for x in horner(low, high, inner))

        found = roots_in_box(horner, slope, np.array([-10.0]), np.array([10.3]))
        assert found.all_known
        assert sorted(found.found.ravel()) == pytest.approx(wanted, rel=1e-9)
    double = roots_in_box(
        lambda low, high: OPERATIONS["sq"]((low, high)),
        lambda low, high: (2 * low[..., None], 2 * high[..., None]),
        np.array([-1.0]),
        np.array([1.1]),
    )
    assert not double.all_known
    assert not len(double.found)


def test_findings_of_an_arbitrary_law_agree_with_a_scan():
    """s = 3 + 10 sin s + cos(s)/3 has several roots, which a fine scan finds, too."""
    system = g.System(
        "waves",
        "x",
        mass_matrix=[[1.0]],
        constraints=[g.Holonomic("wall", lambda q: q.x)],
        force=lambda load: [-(3 + 10 * g.sin(load.wall) + g.cos(load.wall) / 3)],
    )
    found = load_findings(system, system.start([0]))
    s = np.linspace(-20, 20, 400_001)
    F = s - (3 + 10 * np.sin(s) + np.cos(s) / 3)
    count = int(np.sum(np.diff(np.sign(F)) != 0))
    assert found.status == "several"
    assert len(found.solutions) == count >= 3
