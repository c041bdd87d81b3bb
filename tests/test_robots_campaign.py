"""Robots of files against Pinocchio and MuJoCo: a sample of what `validation/robots.py` compares at length.

It needs the packages pin, mujoco and, for known robots, example-robot-data; for those with loops the folder of the
environment variable GAUSS_ROBOTS.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="compares with Pinocchio: pip install pin")
pytest.importorskip("mujoco", reason="compares with MuJoCo: pip install mujoco")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "validation"))

import robots  # noqa: E402

STATES = 20
FOLDER = os.environ.get("GAUSS_ROBOTS", "")
needs_folder = pytest.mark.skipif(
    not Path(FOLDER, "2f85.xml").is_file() or not FOLDER, reason="GAUSS_ROBOTS is not set"
)
SAMPLE = ("TwoDofs.urdf", "ur5_robot.urdf", "bolt.urdf", "solo12.urdf", "panda.urdf", "iris_simple.urdf")


@pytest.mark.parametrize("name", SAMPLE)
def test_known_robots_have_the_matrices_of_other_programs(name):
    try:
        paths = robots.robots_of_package()
    except ModuleNotFoundError:
        pytest.skip("reads robots of the package example-robot-data")
    assert any(path.name == name for path in paths)
    record, failures = robots.urdf(STATES, np.random.default_rng(1), name)
    assert record
    assert not failures


def test_random_trees_have_the_matrices_of_other_programs():
    record, failures = robots.random_trees(6, np.random.default_rng(3))
    assert record["urdf"]["robots"] >= 4
    assert record["mjcf"]["robots"] >= 4
    assert not failures


@needs_folder
def test_loops_have_the_rows_ranks_and_freedoms_that_are_known():
    record, failures = robots.loops(STATES, np.random.default_rng(1), gaps=(1e-4,))
    assert not failures
    assert "rank 5 of 7" in record["2f85 opened"].values()


@needs_folder
def test_determined_forces_of_a_gripper_are_those_of_least_squares():
    record, failures = robots.reactions(1, np.random.default_rng(1))
    assert record["components"] == 20
    assert not failures


def test_random_chains_have_the_same_answers_in_both_coordinates():
    record, failures = robots.two_coordinates(1, np.random.default_rng(5))
    assert record["chains"] >= 1
    assert not failures
