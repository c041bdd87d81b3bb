"""A file gives back what was saved, or an error; `save` leaves the old file or the new one, and nothing else."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from frictional import Rub, rubbed

import gauss as g
from gauss.errors import FileError, InputError
from gauss.foundation import storage
from gauss.motion.record import columns
from gauss.nonsmooth import Disc, HalfPlane, NonsmoothMotion, Scene, SceneBody, moreau

G = 9.81  # m/s²


def block(name="block", mass=1.0, more=0.0):
    """A block that slides on a floor."""
    return g.System(
        name,
        "x z",
        kinetic_energy=lambda v: 0.5 * mass * (v.x**2 + v.z**2),
        potential_energy=lambda q: mass * G * q.z + more * q.x,
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )


def rough(coefficient=0.3, static=None):
    return [Rub("floor", lambda v: v.x, coefficient, static=static)]


@cache
def sliding():
    """A motion with friction, which has the optional array `sliding`."""
    return g.simulate(rubbed(block(), rough()), [0.0, 0.0], [0.5, 0.0], t_end=0.1)


@cache
def dropped():
    """A disc that falls onto a floor, by time stepping."""
    scene = Scene("drop", [SceneBody("disc", Disc(0.1), position=(0.0, 0.12))], [HalfPlane()])
    return moreau(scene, step=1e-2, t_end=0.3)


KINDS = {".nc": (sliding, g.Trajectory), ".npz": (dropped, NonsmoothMotion)}
both = pytest.mark.parametrize("ending", list(KINDS))


def numbers(run):
    """All that a motion holds, as bytes by name; texts as texts."""
    if isinstance(run, g.Trajectory):
        arrays = run.to_numpy()
        return {k: a.tobytes() for k, a in arrays.items()} | {"said": (run.about, run.events, run.ending, run.windows)}
    found = {k: getattr(run, k) for k in run.__dataclass_fields__}
    return {k: x.tobytes() if isinstance(x, np.ndarray) else x for k, x in found.items()}


def same(run, path):
    """Whether a file gives a motion back, to the bit."""
    return numbers(type(run).load(path)) == numbers(run)


def refused(path, kind=g.Trajectory, match=None):
    """`load` refuses a file, and names it."""
    with pytest.raises(FileError, match=match) as caught:
        kind.load(path)
    assert str(path) in str(caught.value)


# --- damage ---------------------------------------------------------------------------------------------------------


def damages(content, other, rng):
    """Yield files that are not `content`: bits, cuts, holes, blocks exchanged, pieces of another file, more at the end.

    The last ones hit only the last part of the file, where the checksum is.
    """
    for k in range(28):
        spoilt, size = bytearray(content), len(content)
        first = int(rng.integers(size)) if k < 21 else size - 1 - int(rng.integers(200))
        length = int(rng.integers(1, 600))
        match k % 7:
            case 0:
                spoilt[first] ^= 1 << int(rng.integers(8))
            case 1:
                del spoilt[first:]
            case 2:
                spoilt[first : first + length] = bytes(len(spoilt[first : first + length]))
            case 3:
                piece = spoilt[first : first + length]
                del spoilt[first : first + length]
                spoilt[0:0] = piece
            case 4:
                spoilt[first:] = other[first:]
            case 5:
                spoilt += bytes(length)
            case 6:
                spoilt[first : first + length] = rng.bytes(length)
        if spoilt not in (content, other):
            yield bytes(spoilt)


@both
def test_a_file_that_is_damaged_anywhere_is_refused(ending, tmp_path):
    make, kind = KINDS[ending]
    whole = make().save(tmp_path / f"whole{ending}").read_bytes()
    assert same(make(), tmp_path / f"whole{ending}")
    changed = replace(make(), q=make().q + 1.0)
    other = changed.save(tmp_path / f"other{ending}").read_bytes()
    path, count = tmp_path / f"spoilt{ending}", 0
    for spoilt in damages(whole, other, np.random.default_rng(1)):
        path.write_bytes(spoilt)
        refused(path, kind)
        count += 1
    assert count >= 25


def exchange(one, two):
    def change(file):
        file.move(one, "away")
        file.move(two, one)
        file.move("away", two)

    return change


def set_number(name):
    def change(file):
        file[name][(1,) * file[name].ndim] = np.nextafter(file[name][(1,) * file[name].ndim], 9.0)

    return change


def set_text(key, old, new):
    def change(file):
        assert old in file.attrs[key]
        file.attrs[key] = file.attrs[key].replace(old, new)

    return change


def delete(name):
    return lambda file: file.__delitem__(name)


def turned(file):
    values = file["q"][()]
    del file["q"]
    file["q"] = values[::-1]


def cut_short(file):
    for name in columns.ARRAYS:
        if name in file:
            values = file[name][()]
            del file[name]
            file[name] = values[:-1]


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (exchange("q", "v"), "'q' does not fit its checksum"),
        (exchange("kinetic", "potential"), "'kinetic' does not fit"),
        (set_number("q"), "'q' does not fit"),
        (set_number("sliding"), "'sliding' does not fit"),
        (set_text("about", '"block"', '"blocks"'), "'about' does not fit"),
        (set_text("events", "[", "[ "), "'events' does not fit"),
        (set_text("model", "1.618", "1.619"), "'model' does not fit"),
        (delete("sliding"), "no array 'sliding'"),
        (delete("zwang"), "no array 'zwang'"),
        (turned, "'q' does not fit"),
        (cut_short, "'t' does not fit"),
    ],
)
def test_what_another_program_changes_in_a_file_is_found(change, words, tmp_path):
    """HDF5 writes the file anew, without our last line: then the checksum of each array decides."""
    path = sliding().save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        file.attrs["history"] = "looked at"
    assert not path.read_bytes()[-storage.LENGTH :].startswith(storage.SEAL)
    assert same(sliding(), path)
    with h5py.File(path, "a") as file:
        change(file)
    refused(path, match=words)


@pytest.mark.long
def test_other_programs_read_the_file_and_may_copy_it(tmp_path):
    path = sliding().save(tmp_path / "run.nc")
    with xarray.open_dataset(path) as data:
        assert np.array_equal(data["q"].sel(coordinate="x"), sliding()["x"])
        assert data["t"].attrs["units"] == "s"
        data.to_netcdf(tmp_path / "packed.nc", engine="h5netcdf", encoding={"q": {"zlib": True}})
    assert same(sliding(), tmp_path / "packed.nc")


@pytest.mark.long
def test_no_link_out_of_a_file_is_followed(tmp_path):
    """The numbers are the right ones, with the right checksum, but they lie in another file."""
    run, secret = sliding(), tmp_path / "elsewhere.nc"
    shape = run.q.shape

    def external(file):
        file["q"] = h5py.ExternalLink(str(secret), "/q")

    def soft(file):
        file["else"] = run.q
        file["q"] = h5py.SoftLink("/else")

    def virtual(file):
        layout = h5py.VirtualLayout(shape=shape, dtype=float)
        layout[...] = h5py.VirtualSource(str(secret), "q", shape=shape)
        file.create_virtual_dataset("q", layout)

    def outside(file):
        file.create_dataset("q", shape, float, external=[(str(tmp_path / "raw"), 0, h5py.h5f.UNLIMITED)])

    run.save(secret)
    (tmp_path / "raw").write_bytes(run.q.tobytes())
    for place in (external, soft, virtual, outside):
        path = run.save(tmp_path / f"{place.__name__}.nc")
        with h5py.File(path, "a") as file:
            del file["q"]
            place(file)
            assert np.array_equal(file["q"][()], run.q)  # what a reader that follows it would find
        refused(path, match="no array 'q' of its own")


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("gauss trajectory 4", "newer version"),
        ("gauss trajectory 10", "newer version"),
        ("gauss trajectory 1", "early version"),
        ("gauss trajectory", "not a trajectory"),
        ("gauss film 2", "not a trajectory"),
        (2.0, "not a trajectory"),
    ],
)
def test_other_versions_and_other_things_are_told_apart(words, match, tmp_path):
    path = sliding().save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        file.attrs["format"] = words
    refused(path, match=match)


def test_a_motion_by_time_stepping_is_no_trajectory_and_the_reverse(tmp_path, monkeypatch):
    refused(dropped().save(tmp_path / "run.npz"), g.Trajectory, "not a readable")
    refused(sliding().save(tmp_path / "run.nc"), NonsmoothMotion, "not a readable")
    monkeypatch.setattr("gauss.nonsmooth.record.FORMAT", "gauss nonsmooth motion 4")
    newer = dropped().save(tmp_path / "newer.npz")
    monkeypatch.undo()
    refused(newer, NonsmoothMotion, "newer version")
    np.savez(tmp_path / "plain.npz", q=np.zeros(3))
    refused(tmp_path / "plain.npz", NonsmoothMotion, "does not end with a checksum")


@pytest.mark.long
@pytest.mark.parametrize(
    ("act", "match"),
    [("import time; time.sleep(60)", "does not come back"), ("import os; os.abort()", "crashes"), ("1/0", "division")],
)
def test_a_file_from_which_hdf5_does_not_come_back_is_refused(act, match, tmp_path, monkeypatch):
    path = sliding().save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        file.attrs["history"] = "looked at"
    assert len(g.Trajectory.load(path))
    monkeypatch.setattr("gauss.motion.record.files.PATIENCE", 0.5)
    monkeypatch.setattr("gauss.motion.record.files.TRIAL", act)
    refused(path, match=match)


def test_a_motion_with_many_events_is_kept(tmp_path):
    """HDF5 keeps no attribute of more than 64 kB in the usual place."""
    event = g.motion.MotionEvent(0.01, "event", "tick — λ ≥ 0", 1.0 / 3.0, q=(0.1, -0.0))
    run = replace(sliding(), events=(event,) * 3000)
    assert same(run, run.save(tmp_path / "run.nc"))
    strange = replace(sliding(), q=np.where(sliding().q > 0.0, np.nan, -0.0))
    assert same(strange, strange.save(tmp_path / "strange.nc"))


# --- writing --------------------------------------------------------------------------------------------------------


def listed(folder):
    return sorted(p.name for p in folder.iterdir())


@both
@pytest.mark.parametrize("where", ["write", "sync", "move"])
def test_a_disk_that_is_full_leaves_the_older_file(ending, where, tmp_path, monkeypatch):
    make, kind = KINDS[ending]
    path = make().save(tmp_path / f"run{ending}")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def half(self, content):
        with self.open("wb") as file:
            file.write(content[: len(content) // 2])
        full()

    owner, name, act = {
        "write": (Path, "write_bytes", half),
        "sync": (os, "fsync", full),
        "move": (Path, "replace", full),
    }[where]
    monkeypatch.setattr(owner, name, act)
    with pytest.raises(FileError, match=re.escape(f"cannot write {path}: No space left on device")):
        replace(make(), q=make().q + 1.0).save(path)
    monkeypatch.undo()
    assert same(make(), path)
    assert listed(tmp_path) == [path.name]
    assert kind.load(path).q.shape == make().q.shape


def test_an_interrupt_while_writing_leaves_the_older_file(tmp_path, monkeypatch):
    path = sliding().save(tmp_path / "run.nc")

    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        replace(sliding(), q=sliding().q + 1.0).save(path)
    monkeypatch.undo()
    assert same(sliding(), path)
    assert listed(tmp_path) == ["run.nc"]


LIMITED = """
import resource, sys
import numpy as np, gauss as g
from dataclasses import replace
run = g.Trajectory.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    replace(run, q=run.q + 1.0).save(sys.argv[1])
except g.errors.FileError as error:
    print(error)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="limits of Unix")
def test_a_file_that_may_not_grow_is_an_error_of_the_package_and_no_crash(tmp_path):
    """With a real limit, in a process of its own: the HDF5 library crashed here."""
    path = sliding().save(tmp_path / "run.nc")
    command = [sys.executable, "-c", LIMITED, str(path), "8000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert re.match(r"cannot write .*run\.nc: File too large", done.stdout)
    assert same(sliding(), path)
    assert listed(tmp_path) == ["run.nc"]


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # that fork does not go with threads
@both
def test_a_process_that_is_killed_while_it_saves_leaves_the_old_file_or_the_new_one(ending, tmp_path):
    one = KINDS[ending][0]()
    other = replace(one, q=one.q + 1.0)
    path = one.save(tmp_path / f"run{ending}")
    found = set()
    for k in range(8):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                while True:
                    other.save(path)
                    one.save(path)
            os._exit(1)
        time.sleep(0.01 + 0.003 * k)
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])  # it had not ended by an error
        found.add((same(one, path), same(other, path)))
    assert found <= {(True, False), (False, True)}


def test_a_link_stays_a_link_and_permissions_stay(tmp_path):
    (tmp_path / "far").mkdir()
    path = tmp_path / "run.nc"
    path.symlink_to(tmp_path / "far" / "real.nc")
    sliding().save(path)
    assert path.is_symlink()
    assert listed(tmp_path / "far") == ["real.nc"]
    mask = os.umask(0o022)
    os.umask(mask)
    real = tmp_path / "far" / "real.nc"
    assert stat.S_IMODE(real.stat().st_mode) == 0o666 & ~mask
    real.chmod(0o640)
    sliding().save(path)
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert same(sliding(), path)


def test_devices_read_only_files_and_impossible_paths_are_refused(tmp_path, monkeypatch):
    device = tmp_path / "device.nc"
    device.symlink_to(os.devnull)
    with pytest.raises(FileError, match="a device"):
        sliding().save(device)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    path = sliding().save(tmp_path / "run.nc")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write to any file
    with pytest.raises(FileError, match="read-only"):
        sliding().save(path)
    monkeypatch.undo()
    for bad in (tmp_path / ("long" * 200 + ".nc"), path / "below.nc"):
        with pytest.raises(FileError, match="cannot write"):
            sliding().save(bad)
        with pytest.raises(FileError, match=r"there is no file|cannot read"):
            g.Trajectory.load(bad)
    for act in (sliding().save, g.Trajectory.load, dropped().save, NonsmoothMotion.load):
        with pytest.raises(InputError, match="path of a file"):
            act("a\0b.nc")


@pytest.mark.parametrize("name", ["run.csv", "run.npz", "run.txt", "run", "run.nc.gz", "run.json", ".nc"])
def test_a_trajectory_is_not_written_under_a_name_that_says_something_else(name, tmp_path):
    with pytest.raises(FileError, match=r"ends in \.nc or .*to_csv"):
        sliding().save(tmp_path / name)
    assert listed(tmp_path) == []


def test_endings_that_work(tmp_path):
    for name in ("run.nc", "run.NC", "run.v2.nc4", "run.h5", "run.hdf5"):
        assert same(sliding(), sliding().save(tmp_path / name))
        assert h5py.is_hdf5(tmp_path / name)
    assert same(dropped(), dropped().save(str(tmp_path / "run.NPZ")))
    with np.load(tmp_path / "run.NPZ", allow_pickle=False) as data:
        assert np.array_equal(data["q"], dropped().q)
    for name in ("run.nc", "run.csv", "run"):
        with pytest.raises(FileError, match=r"ends in \.npz"):
            dropped().save(tmp_path / "new" / name)


def test_a_figure_is_replaced_only_by_a_whole_one(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    from gauss import scenario
    from gauss.outcome import run_scenario
    from gauss.show import save_figure

    outcome = run_scenario(scenario.load("spherical_pendulum"), t_end=0.1, progress="none")
    path = save_figure(outcome, tmp_path)
    picture = path.read_bytes()
    assert picture.startswith(b"\x89PNG")

    def full(self, target, **options):
        Path(target).write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Figure, "savefig", full)
    with pytest.raises(FileError, match=r"cannot write .*No space left"):
        save_figure(outcome, tmp_path)
    assert path.read_bytes() == picture
    assert listed(tmp_path) == [path.name]


# --- the model ------------------------------------------------------------------------------------------------------


def machine(
    mass=2.0,
    gravity=G,
    length=1.0,
    turn=0.3,
    wall=-5.0,
    wind=0.0,
    push=0.0,
    constant=0.0,
    cable=True,
    law=None,
    speed=1.0,
    squared=True,
):
    """A pendulum on a driven rail beside a wall; every number is written into its functions, none is a parameter."""
    rod = g.Holonomic(
        "rod", lambda q: (q.x**2 + q.y**2 - length**2) if squared else (q.y * q.y + q.x * q.x - length**2)
    )
    skate = g.Nonholonomic("drive", lambda v, t: v.s - speed * g.sin(turn * t))
    side = (g.Unilateral if cable else g.Holonomic)("wall", lambda q: q.s - wall if cable else q.s * 0.0 + q.s - wall)
    return g.System(
        "machine",
        "x y s",
        kinetic_energy=lambda v: 0.5 * mass * (v.x**2 + v.y**2) + 0.5 * v.s**2,
        potential_energy=lambda q: mass * gravity * q.y + constant,
        force=lambda v: [push - wind * v.x, 0.0, 0.0],
        black_box_force=law,
        constraints=[rod, skate, side],
    )


@cache
def stored(law=None):
    folder = Path(os.environ.get("TMPDIR", "/tmp"))
    path = folder / f"gauss_test_files_{os.getpid()}.nc"
    try:
        return g.Trajectory.load(g.simulate(machine(law=law), [1.0, 0.0, 0.0], t_end=0.2).save(path))
    finally:
        path.unlink()


def drag(q, v, t):
    return -0.1 * v


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": 2.0 * (1 + 1e-7)}, "mass matrix ('x')"),
        ({"gravity": G + 1e-6}, "force ('y')"),
        ({"wind": 1e-6}, "force ('x')"),
        ({"push": -1e-5}, "force ('x')"),
        ({"length": 1.0 + 1e-7}, "position residual ('rod')"),
        ({"turn": 0.3 + 1e-7}, "right-hand side of the rows ('drive')"),
        ({"speed": -1.0}, "right-hand side of the rows ('drive')"),
        ({"wall": -5.1}, "position residual ('wall')"),
        ({"constant": 0.5}, "potential energy"),
        ({"law": drag}, "black-box force ('"),
        ({"cable": False}, "kinds of the rows"),
    ],
)
def test_another_model_of_the_same_names_is_refused(change, words):
    assert len(stored().with_system(machine()).at([0.1])) == 1
    with pytest.raises(InputError, match=re.escape(words)):
        stored().with_system(machine(**change))


def test_the_same_model_written_otherwise_is_taken():
    again = stored().with_system(machine(squared=False))
    expected = g.simulate(machine(), [1.0, 0.0, 0.0], t_end=0.2).at([0.13])
    assert again.at([0.13]).q == pytest.approx(expected.q, abs=1e-12)


def test_a_black_box_force_is_compared_where_it_was_called_and_left_out_where_it_has_a_memory(tmp_path):
    def picky(q, v, t):
        assert abs(np.hypot(q[0], q[1]) - 1.0) < 1e-6, "asked off the constraints"
        return -0.1 * v

    run = g.simulate(machine(law=picky), [1.0, 0.0, 0.0], t_end=0.2)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    again = loaded.with_system(machine(law=drag))
    assert np.array_equal(again.at([0.1]).q, run.at([0.1]).q)
    with pytest.raises(InputError, match="black-box force"):
        loaded.with_system(machine(law=lambda q, v, t: -0.1001 * v))
    with pytest.raises(InputError, match="black-box force"):
        loaded.with_system(machine())
    calls = []

    def remembers(q, v, t):
        calls.append(t)
        return -0.1 * v + 1e-12 * len(calls)

    run = g.simulate(machine(law=remembers), [1.0, 0.0, 0.0], t_end=0.01, method="rk4", step=0.01)
    assert len(g.Trajectory.load(run.save(tmp_path / "run.nc")).with_system(machine(law=remembers)))


def test_other_friction_is_refused(tmp_path):
    loaded = g.Trajectory.load(sliding().save(tmp_path / "run.nc"))
    assert np.array_equal(loaded.with_system(rubbed(block(), rough())).at([0.05]).q, sliding().at([0.05]).q)
    for contacts in (rough(0.31), rough(0.3, static=0.4)):
        with pytest.raises(InputError, match=r"'floor' with 0.3.* in motion.*but the trajectory has"):
            loaded.with_system(rubbed(block(), contacts))
    belt = [Rub("floor", lambda v: v.x - 1e-6, 0.3)]
    with pytest.raises(InputError, match="velocity residual"):
        loaded.with_system(rubbed(block(), belt))


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e6, 1e12])
def test_models_are_told_apart_at_every_scale(size, tmp_path):
    """The length of the rod is written into its row, and counts at 1e-18 m² as it does at 1e24 m²."""

    def pendulum(length, factored=False):
        def rod(q):
            return (q.x - length) * (q.x + length) + q.y**2 if factored else q.x**2 + q.y**2 - length**2

        return g.System(
            "pendulum",
            "x y",
            mass_matrix=lambda: [[1.0, 0.0], [0.0, 1.0]],
            force=lambda: [0.0, -size],
            constraints=[g.Holonomic("rod", rod)],
        )

    run = g.simulate(pendulum(size), [size, 0.0], t_end=0.1, method="rk4", step=0.05)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert len(loaded.with_system(pendulum(size)))
    assert len(loaded.with_system(pendulum(size, factored=True)))  # whose residuals on the motion are rounded otherwise
    with pytest.raises(InputError, match="position residual"):
        loaded.with_system(pendulum(size * (1.0 + 1e-6)))


def test_a_model_that_is_not_defined_everywhere_is_taken(tmp_path):
    """Its mass √(1 − x²) is none beyond x = 1, and nan equals nan, but no number."""

    def bead(k=1.0):
        return g.System("bead", "x", mass_matrix=lambda q: [[g.sqrt(1.0 - q.x**2)]], force=lambda q: [k])

    run = g.simulate(bead(), [0.97], t_end=0.05)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    wide = replace(loaded, model={**loaded.model, "M": [[float("nan")] for _ in loaded.model["M"]]})
    assert {bool(np.isnan(each[0])) for each in loaded.model["M"]} == {True, False}
    assert len(loaded.with_system(bead()))
    with pytest.raises(InputError, match="force"):
        loaded.with_system(bead(1.0 + 1e-6))
    with pytest.raises(InputError, match="mass matrix"):
        wide.with_system(bead())


def test_a_motion_that_was_loaded_is_saved_with_the_fingerprint_it_came_with(tmp_path):
    path = stored().save(tmp_path / "again.nc")
    loaded = g.Trajectory.load(path)
    assert json.dumps(loaded.model) == json.dumps(stored().model)
    with pytest.raises(InputError, match="mass matrix"):
        loaded.with_system(machine(mass=3.0))


def test_an_empty_motion_has_a_fingerprint_too(tmp_path):
    empty = stored().with_system(machine()).at([])
    loaded = g.Trajectory.load(empty.save(tmp_path / "empty.nc"))
    assert len(loaded) == 0
    assert len(loaded.with_system(machine())) == 0
    with pytest.raises(InputError, match="force"):
        loaded.with_system(machine(gravity=9.8))
