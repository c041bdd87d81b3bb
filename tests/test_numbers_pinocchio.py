"""Numbers for controllers are those of Pinocchio, on models that both make from the same random numbers."""

import numpy as np
import pytest
from robots import body

from gauss import bodies as mb

pin = pytest.importorskip("pinocchio", reason="the wheel of Pinocchio is not installed")


def turns(n, rng):
    """An arm of revolute and prismatic joints."""
    bodies, joints, last = [], [], mb.GROUND
    for k in range(n):
        here = body(f"link{k}", rng)
        kind = mb.Prismatic if k % 3 == 2 else mb.Revolute
        joints.append(kind(f"j{k}", last, 0.3 * rng.normal(size=3), here, (0, 0, 0), axis1=rng.normal(size=3)))
        bodies.append(here)
        last = here
    return mb.Mechanism("arm", bodies, joints, coordinates="joint")


def animal(rng):
    """A body that nothing holds, two legs with ball joints."""
    trunk = body("trunk", rng)
    bodies, joints = [trunk], []
    for k in range(2):
        thigh, shank = body(f"thigh{k}", rng), body(f"shank{k}", rng)
        joints.append(mb.Spherical(f"hip{k}", trunk, 0.3 * rng.normal(size=3), thigh, (0, 0, 0)))
        joints.append(
            mb.Revolute(f"knee{k}", thigh, 0.3 * rng.normal(size=3), shank, (0, 0, 0), axis1=rng.normal(size=3))
        )
        bodies += [thigh, shank]
    return mb.Mechanism("animal", bodies, joints, coordinates="joint")


class Twin:
    """The same in Pinocchio: joint frames are those of the bodies."""

    def __init__(self, robot):
        self.robot, self.numbers, self.model = robot, mb.Numbers(robot), pin.Model()
        self.frames = {}
        zero = robot.state(values={})[0]
        self.model.gravity.linear = np.array(robot.gravity)
        ids = {-1: 0}
        for k, node in enumerate(robot.tree.nodes):
            inertia = pin.Inertia(node.body.inertia.mass, node.body.inertia.centre, node.body.inertia.central_tensor)
            placement, kind = pin.SE3.Identity(), pin.JointModelFreeFlyer()
            if node.joint is not None:
                R = self.numbers.placement(zero, node.body)[1]
                if node.parent >= 0:
                    R = self.numbers.placement(zero, robot.tree.nodes[node.parent].body)[1].T @ R
                placement = pin.SE3(R, np.array(node.joint.point1, dtype=float))
                if isinstance(node.joint, mb.Spherical):
                    kind = pin.JointModelSpherical()
                elif isinstance(node.joint, mb.Prismatic):
                    kind = pin.JointModelPrismaticUnaligned(R.T @ np.array(node.joint.axis1, dtype=float))
                else:
                    kind = pin.JointModelRevoluteUnaligned(R.T @ np.array(node.joint.axis1, dtype=float))
            ids[k] = self.model.addJoint(ids[node.parent], kind, placement, node.body.name)
            self.model.appendBodyToJoint(ids[k], inertia, pin.SE3.Identity())
            frame = pin.Frame(node.body.name, ids[k], 0, pin.SE3(np.eye(3), np.array([0.1, 0.2, 0.3])), pin.OP_FRAME)
            self.frames[node.body.name] = self.model.addFrame(frame)
        self.data = self.model.createData()

    def of(self, q, v):
        """q and v of Pinocchio, S with v' = S v, and Ṡ v."""
        place, S, drift = [], np.zeros((self.model.nv, len(q))), np.zeros(self.model.nv)
        at = row = 0
        for node in self.robot.tree.nodes:
            if node.joint is None:
                p = q[at + 3 : at + 7]
                R = pin.Quaternion(*p).matrix()
                ν = R.T @ v[at : at + 3]
                S[row : row + 3, at : at + 3] = R.T
                drift[row : row + 3] = -np.cross(2.0 * conjugate(p) @ v[at + 3 : at + 7], ν)
                place += [*q[at : at + 3]]
                at, row = at + 3, row + 3
            if node.joint is None or isinstance(node.joint, mb.Spherical):
                p = q[at : at + 4]
                S[row : row + 3, at : at + 4] = 2.0 * conjugate(p)
                place += [*p[1:], p[0]]
                at, row = at + 4, row + 3
            else:
                place.append(q[at])
                S[row, at] = 1.0
                at, row = at + 1, row + 1
        return np.array(place), S @ v, S, drift

    def measures(self, q):
        """Σ μ p pᵀ of the unit quaternions."""
        found = np.zeros((len(q), len(q)))
        for node, step in self.robot.tree.balls:
            at = [self.numbers.coordinates.index(name) for name in step.names]
            found[np.ix_(at, at)] = 4.0 / 3.0 * np.trace(node.body.inertia.tensor) * np.outer(q[at], q[at])
        return found


def conjugate(p):
    """The matrix (3, 4) of the imaginary part of p* ṗ."""
    w, x, y, z = p
    return np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])


@pytest.fixture(scope="module", params=["arm", "animal"])
def twin(request):
    rng = np.random.default_rng(11)
    return Twin(turns(7, rng) if request.param == "arm" else animal(rng))


def states(twin, count=100):
    rng = np.random.default_rng(12)
    for _ in range(count):
        q, v, a = rng.normal(size=(3, twin.numbers.n))
        for _, step in twin.robot.tree.balls:
            at = [twin.numbers.coordinates.index(name) for name in step.names]
            q[at] /= np.linalg.norm(q[at])
            v[at] -= q[at] * (q[at] @ v[at])
            a[at] -= q[at] * (q[at] @ a[at] + v[at] @ v[at])
        yield q, v, a


def close(one, other):
    assert np.abs(one - other).max() <= 1e-10 * np.abs(other).max()


def test_masses_bias_and_gravity(twin):
    model, data, numbers = twin.model, twin.data, twin.numbers
    for q, v, _ in states(twin):
        place, speed, S, drift = twin.of(q, v)
        M = np.array(pin.crba(model, data, place))
        M = np.triu(M) + np.triu(M, 1).T
        μ = twin.measures(q)
        close(numbers.mass_matrix(q), S.T @ M @ S + μ)
        h = np.array(pin.nle(model, data, place, speed))
        squares = np.zeros(len(q))
        for _, step in twin.robot.tree.balls:
            at = [numbers.coordinates.index(name) for name in step.names]
            squares[at] = v[at] @ v[at]
        close(numbers.bias(q, v), S.T @ (h + M @ drift) + μ @ q * squares)
        close(numbers.gravity(q), S.T @ np.array(pin.computeGeneralizedGravity(model, data, place)))


def test_inverse_and_forward_dynamics(twin):
    model, data, numbers = twin.model, twin.data, twin.numbers
    rng = np.random.default_rng(1)
    for q, v, a in states(twin):
        place, speed, S, drift = twin.of(q, v)
        close(numbers.inverse_dynamics(q, v, a), S.T @ np.array(pin.rnea(model, data, place, speed, S @ a + drift)))
        tau = rng.normal(size=model.nv)
        found = numbers.forward_dynamics(q, v, S.T @ tau)
        close(S @ found + drift, np.array(pin.aba(model, data, place, speed, tau)))


def test_frames_and_what_they_do(twin):
    model, data, numbers = twin.model, twin.data, twin.numbers
    point = np.array([0.1, 0.2, 0.3])
    for q, v, _ in states(twin):
        place, speed, S, drift = twin.of(q, v)
        pin.forwardKinematics(model, data, place, speed, drift)
        pin.computeJointJacobians(model, data, place)
        pin.updateFramePlacements(model, data)
        for each in twin.robot.bodies:
            frame = twin.frames[each.name]
            position, R = numbers.placement(q, each, point)
            close(position, data.oMf[frame].translation)
            close(R, data.oMf[frame].rotation)
            for axes, kind in (("space", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
                J = np.array(pin.getFrameJacobian(model, data, frame, kind)) @ S
                close(numbers.jacobian(q, each, point, axes=axes), J)
                bias = pin.getFrameClassicalAcceleration(model, data, frame, kind).vector
                close(numbers.bias_acceleration(q, v, each, point, axes=axes), np.array(bias))
            at_origin = point - R.T @ position  # the point of the body at the origin of space
            J = np.array(pin.getFrameJacobian(model, data, frame, pin.WORLD)) @ S
            close(numbers.jacobian(q, each, at_origin), J)


def test_centroidal_momentum(twin):
    model, data, numbers = twin.model, twin.data, twin.numbers
    for q, v, _ in states(twin):
        place, speed, S, _ = twin.of(q, v)
        close(numbers.centroidal_matrix(q), np.array(pin.ccrba(model, data, place, speed)) @ S)
        close(
            numbers.centroidal_momentum(q, v), np.array(pin.computeCentroidalMomentum(model, data, place, speed).vector)
        )
        close(numbers.centre_of_mass(q), np.array(pin.centerOfMass(model, data, place)))


def test_the_regressor(twin):
    model, data, numbers = twin.model, twin.data, twin.numbers
    for q, v, a in states(twin):
        place, speed, S, drift = twin.of(q, v)
        Y = pin.computeJointTorqueRegressor(model, data, place, speed, S @ a + drift)
        close(numbers.regressor(q, v, a), S.T @ np.array(Y))
    parameters = np.concatenate([model.inertias[k].toDynamicParameters() for k in range(1, model.njoints)])
    close(numbers.inertial_parameters, parameters)
