"""Numbers leave the process: as C code that a compiler makes a library of, and pickled to another one."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb

COMPILER = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
ARM = """<robot name="arm"><link name="base"/>{}</robot>"""
LINK = """<link name="{0}"><inertial><origin xyz="0.2 0.01 0.03"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.1" izz="0.09" ixy="0.001" ixz="0" iyz="0.002"/></inertial></link>
<joint name="j{0}" type="continuous"><parent link="{1}"/><child link="{0}"/><origin xyz="0.4 0 0.1" rpy="0.1 0.2 0.3"/>
<axis xyz="{2}"/><dynamics damping="0.3" friction="0"/></joint>"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    links = [("a", "base", "0 0 1"), ("b", "a", "0 1 0"), ("c", "b", "1 0 0")]
    file = tmp_path_factory.mktemp("arm") / "arm.urdf"
    file.write_text(ARM.format("".join(LINK.format(*each) for each in links)))
    return g.load(file)


def compiled(function, folder):
    """A CasADi function as a call of a library that a C compiler has made of its code."""
    name = function.name()
    function.generate(f"{name}.c")  # CasADi writes into the folder where the program runs
    library = folder / f"{name}.so"
    subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", f"{name}.c", "-o", str(library), "-lm"], check=True)
    made = ctypes.CDLL(str(library))
    sizes = [(ctypes.c_longlong * 1)() for _ in range(4)]
    getattr(made, f"{name}_work")(*sizes)
    arrays, integers, reals = (int(size[0]) for size in (sizes[0], sizes[2], sizes[3]))
    results = int(sizes[1][0])

    def call(*given):
        held = [np.ascontiguousarray(x, dtype=float) for x in given]
        outputs = [np.zeros(max(function.nnz_out(k), 1)) for k in range(function.n_out())]
        pointers = [(ctypes.POINTER(ctypes.c_double) * max(size, 1))() for size in (arrays, results)]
        for place, values in zip(pointers, (held, outputs), strict=True):
            for k, x in enumerate(values):
                place[k] = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        spare = (ctypes.c_longlong * max(integers, 1))(), (ctypes.c_double * max(reals, 1))()
        assert getattr(made, name)(pointers[0], pointers[1], spare[0], spare[1], 0) == 0
        return [_dense(function, k, x) for k, x in enumerate(outputs)]

    return call


def _dense(function, k, x):
    pattern, matrix = function.sparsity_out(k), np.zeros(function.size_out(k))
    rows, columns = pattern.get_triplet()
    matrix[rows, columns] = x[: len(rows)]
    return matrix


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_c_code_gives_the_same_numbers(robot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers, rng = mb.Numbers(robot), np.random.default_rng(0)
    mass, bias = (compiled(numbers.function(name), tmp_path) for name in ("mass_matrix", "bias"))
    inverse = compiled(numbers.function("inverse_dynamics"), tmp_path)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, robot.system.n))
        assert np.allclose(mass(q)[0], numbers.mass_matrix(q), rtol=1e-13, atol=1e-13)
        assert np.allclose(bias(q, v)[0].ravel(), numbers.bias(q, v), rtol=1e-12, atol=1e-12)
        assert np.allclose(inverse(q, v, a)[0].ravel(), numbers.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12)


@pytest.mark.long
def test_numbers_and_robots_are_the_same_in_another_process(robot, tmp_path):
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=(2, robot.system.n))
    numbers = mb.Numbers(robot)
    expected = numbers.mass_matrix(q), numbers.bias(q, v), g.accelerate(robot, q, v).a
    (tmp_path / "sent").write_bytes(pickle.dumps((robot, numbers, q, v, expected)))
    code = """
import pickle, sys
import numpy as np
import gauss as g
robot, numbers, q, v, expected = pickle.load(open(sys.argv[1], "rb"))
found = numbers.mass_matrix(q), numbers.bias(q, v), g.accelerate(robot, q, v).a
assert all(np.allclose(x, y, rtol=1e-12, atol=1e-12) for x, y in zip(found, expected))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "sent")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
