"""Files under attack: damaged in a thousand ways, written by processes that are killed, written on disks that are full.

    python validation/files.py --count 1000 --seed 1 --json validation/files.json

*damaged*: `count` files, each a saved motion (with friction; with impacts and events; across a singular position; by
time stepping) with bytes damaged in one of the ways of `BYTES`. Half of those in NetCDF are first written anew by HDF5,
as by a program that adds a note, and some of these are changed by it (`INSIDE`). Each is loaded in a process of its
own. It may be refused with a FileError, or give the motion back to the bit; other numbers, other errors and crashes are
failures. `without checksums` says what plain readers find.

*killed*: count/5 processes that save two motions in turn over one file and are killed (SIGKILL) after up to 0.2 s. The
file must be one of the two. `hidden parts` are the files that were being written. `written in place` says what is left
where the same bytes are written straight into the file, in a quarter as many trials.

*full*: count/20 disks (tmpfs, if the system allows it) with less room left than two files need, and as many limits on
the size of a file. Saving must work, or end with a FileError, the older file must stay, and nothing else be left.
`by HDF5 itself` says what happens where xarray writes into a file of limited size, in a fifth as many trials.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import h5py
import numpy as np
import xarray
from campaign import options_of, run_families

import gauss as g
from gauss import scenario
from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, moreau

LONGEST = 0.2  # s until a process is killed: several times what it takes to save
PATIENCE = 10  # s that a process may take: HDF5 does not always come back from a damaged file
ENDS = ("the motion", "FileError", "other numbers", "another error")  # of a process, by its exit code


def sliding():
    """A block that slides, stops and is pulled back by a spring."""
    block = g.System(
        "block",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z + 50.0 * q.x**2,
        constraints=[g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.3, lambda v: v.x))],
    )
    return g.simulate(block, [0.2, 0.0], t_end=1.0)


def bouncing():
    """A ball that falls on a floor."""
    ball = g.System(
        "ball",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.6)],
    )
    return g.simulate(ball, [0.0, 1.0], [1.0, 0.0], t_end=1.5, events=[g.Event("mark", lambda q: q.x - 0.3)])


def crossing():
    """A flat four-bar linkage through its singular position."""
    loaded = scenario.load("four_bar_chain")
    return g.simulate(loaded.system, loaded.start.q, loaded.start.v, t_end=1.0)


def falling():
    """Discs that fall on a floor, by time stepping."""
    bodies = [SceneBody(f"disc {k}", Disc(0.1), position=(0.05 * k, 0.15 + 0.25 * k)) for k in range(3)]
    return moreau(Scene("discs", bodies, [HalfPlane()]), step=5e-3, t_end=0.5)


def motions():
    """Return the motions that are saved, and others of the same names, by the ending of their files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        made = [sliding(), bouncing(), crossing(), falling()]
    return [(run, replace(run, q=run.q + 1e-9)) for run in made]


def ending_of(run):
    """Return the ending of the files of a motion."""
    return ".nc" if isinstance(run, g.Trajectory) else ".npz"


def same(one, other):
    """Whether two motions are the same to the bit."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
                return False
        elif field.compare and field.name != "windows" and a != b:
            return False
    return [w.plain() for w in getattr(one, "windows", ())] == [w.plain() for w in getattr(other, "windows", ())]


def reading(run, path):
    """Load a file; return which of `ENDS` it comes to."""
    try:
        return 0 if same(run, type(run).load(path)) else 2
    except g.errors.FileError:
        return 1
    except Exception:
        return 3


def plain_reading(run, path):
    """Read the arrays of a file as xarray and NumPy do, without regard to checksums."""
    try:
        if ending_of(run) == ".nc":
            with xarray.open_dataset(path, engine="h5netcdf", decode_cf=False) as data:
                found = {name: data[name].values for name in ("t", "q", "v", "a", "multipliers", "kinetic")}
        else:
            with np.load(path, allow_pickle=False) as data:
                found = {name: data[name] for name in ("t", "q", "v", "kinetic", "normal", "first")}
        return 0 if all(getattr(run, name).tobytes() == array.tobytes() for name, array in found.items()) else 2
    except Exception:
        return 3


def apart(act, *arguments):
    """Call a function that returns a place in `ENDS` in a process of its own; return the words, or how it crashed."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(PATIENCE)
        os._exit(act(*arguments))
    status = os.waitpid(child, 0)[1]
    return f"killed by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else ENDS[os.WEXITSTATUS(status)]


# --- damaged --------------------------------------------------------------------------------------------------------


def span(content, rng):
    """Return a random slice of up to 4 kB, log-uniform, a quarter of them in the last kilobyte."""
    last = len(content) - 1
    first = last - int(rng.integers(min(1024, last))) if rng.random() < 0.25 else int(rng.integers(last))
    return slice(first, first + int(4096.0 ** rng.random()))


def one_bit(content, other, rng):
    """Turn one bit."""
    content[span(content, rng).start] ^= 1 << int(rng.integers(8))


def many_bits(content, other, rng):
    """Turn twenty bits."""
    for _ in range(20):
        one_bit(content, other, rng)


def cut(content, other, rng):
    """Leave out the end."""
    del content[span(content, rng).start :]


def hole(content, other, rng):
    """Set a part to zero."""
    part = span(content, rng)
    content[part] = bytes(len(content[part]))


def noise(content, other, rng):
    """Set a part to random bytes."""
    part = span(content, rng)
    content[part] = rng.bytes(len(content[part]))


def lost(content, other, rng):
    """Leave out a part."""
    del content[span(content, rng)]


def longer(content, other, rng):
    """Add random bytes at the end."""
    content += rng.bytes(1 + int(rng.integers(4096)))


def exchanged_blocks(content, other, rng):
    """Exchange two blocks of the same size."""
    size = 1 << int(rng.integers(3, 12))
    a, b = (size * int(k) for k in rng.integers(max(len(content) // size, 1), size=2))
    content[a : a + size], content[b : b + size] = content[b : b + size], content[a : a + size]


def spliced(content, other, rng):
    """End like the file of another motion of the same length."""
    first = span(content, rng).start
    content[first:] = other[first:]


def half_overwritten(content, other, rng):
    """Begin like the file of another motion."""
    first = span(content, rng).start
    content[:first] = other[:first]


BYTES = (one_bit, many_bits, cut, hole, noise, lost, longer, exchanged_blocks, spliced, half_overwritten)


def exchanged_arrays(file, rng):
    """Exchange two arrays of the same shape."""
    one, two = rng.choice(["q", "v", "a"], 2, replace=False)
    for old, new in ((one, "away"), (two, one), ("away", two)):
        file.move(old, new)


def one_number(file, rng):
    """Change one number by as little as it can."""
    array = file[rng.choice(["t", "q", "v", "a", "kinetic", "active"])]
    place = tuple(int(rng.integers(size)) for size in array.shape)
    array[place] = np.nextafter(array[place], 9.0) if array.dtype.kind == "f" else 1 - array[place]


def one_word(file, rng):
    """Change one letter of what is said."""
    key = rng.choice(["about", "events", "ending", "model"])
    at = int(rng.integers(len(file.attrs[key])))
    file.attrs[key] = file.attrs[key][:at] + "7" + file.attrs[key][at + 1 :]


def array_of_another(file, rng):
    """Put a slightly different array in the place of one."""
    name = rng.choice(["t", "q", "v", "a"])
    values = file[name][()] * (1.0 + 1e-12)
    del file[name]
    file[name] = values


def shortened(file, rng):
    """Leave out the last state of all arrays but the times."""
    for name, array in list(file.items()):
        if array.ndim and array.shape[0] == file["t"].shape[0] and name != "t":
            values = array[()]
            del file[name]
            file[name] = values[:-1]


INSIDE = (exchanged_arrays, one_number, one_word, array_of_another, shortened)


def damaged(count, rng, saved, folder):
    """Damage files and load them."""
    results, plainly, failures = {}, Counter(), []
    done = 0
    while done < count:
        run, path, other = saved[done % len(saved)]
        spoilt = folder / f"spoilt{path.suffix}"
        by_program = path.suffix == ".nc" and rng.random() < 0.5
        if by_program:  # the last line of the file goes with it, and only the checksums of the arrays are left
            shutil.copy(path, spoilt)
            with h5py.File(spoilt, "a") as file:
                file.attrs["history"] = "looked at"
            content = spoilt.read_bytes()
            assert reading(run, spoilt) == 0
        else:
            content = path.read_bytes()
        damage = rng.choice([*BYTES, *INSIDE] if by_program else BYTES)
        if damage in INSIDE:
            with h5py.File(spoilt, "a") as file:
                damage(file, rng)
        else:
            changed = bytearray(content)
            damage(changed, other, rng)
            spoilt.write_bytes(changed)
        if spoilt.read_bytes() in (content, other):
            continue
        done += 1
        end, plain = apart(reading, run, spoilt), apart(plain_reading, run, spoilt)
        name = f"{damage.__name__}, {'anew by HDF5' if by_program else path.suffix}"
        results.setdefault(name, Counter())[end] += 1
        plainly[plain] += 1
        if end not in ENDS[:2]:
            failures.append({"file": path.name, "damage": name, "end": end, "case": done})
    total = sum(results.values(), Counter())
    return {"files": done, "ends": total, "without checksums": plainly, "by damage": dict(sorted(results.items()))}, (
        failures
    )


# --- killed ---------------------------------------------------------------------------------------------------------


def writing_in_place(path, contents):
    """Write two contents in turn, straight into a file."""
    while True:
        for content in contents:
            path.write_bytes(content)


def saving(path, pair):
    """Save two motions in turn over one file."""
    while True:
        for each in pair:
            each.save(path)


def killed(count, rng, pairs, folder):
    """Kill processes that save."""
    ends, in_place, parts, failures = Counter(), Counter(), 0, []
    for k in range(count + count // 4):
        new_way, pair = k < count, pairs[k % len(pairs)]
        run = pair[0]
        path = pair[0].save(folder / f"killed{ending_of(run)}")
        contents = [each.save(folder / f"{i}{ending_of(run)}").read_bytes() for i, each in enumerate(pair)]
        ready, begins = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                os.write(begins, b".")
                saving(path, pair[::-1]) if new_way else writing_in_place(path, contents[::-1])
            os._exit(1)
        os.read(ready, 1)
        time.sleep(LONGEST * rng.random())
        os.kill(child, signal.SIGKILL)
        died = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        os.close(ready)
        os.close(begins)
        now = [reading(each, path) for each in pair]
        end = "the old one" if now[0] == 0 else "the new one" if now[1] == 0 else "neither"
        (ends if new_way else in_place)[end] += 1
        left = list(folder.glob(".*.part"))
        parts += len(left)
        for part in left:
            part.unlink()
        if new_way and (end == "neither" or not died):
            failures.append({"case": k, "end": end, "killed": died})
    return {"processes": count, "file": ends, "hidden parts": parts, "written in place": in_place}, failures


# --- full -----------------------------------------------------------------------------------------------------------


def saving_once(run, path, most):
    """Save where a file may have at most so many bytes (None: any); return a place in `ENDS`."""
    if most is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        run.save(path)
        return 0
    except g.errors.FileError:
        return 1
    except Exception:
        return 3


def exporting_once(run, path, most):
    """Let xarray and HDF5 write into the file, as this package did."""
    if most is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        run.to_xarray().to_netcdf(path, engine="h5netcdf")
        return 0
    except Exception:
        return 3


@contextlib.contextmanager
def disk(folder, size):
    """Give a folder on a disk of so many bytes, or None where the system does not let us make one."""
    place = folder / "disk"
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True)
    try:
        yield place if done.returncode == 0 else None
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", place], check=True)


def full(count, rng, pairs, folder):
    """Save where there is no room."""
    ends, exported, failures = {"disk": Counter(), "limit": Counter()}, Counter(), []
    trials = [("disk", True), ("limit", True)] * count + [("limit", False)] * (count // 5)
    for k, (how, new_way) in enumerate(trials):
        old, new = pairs[(k // 2) % len(pairs)] if new_way else pairs[k % 3]
        size = old.save(folder / f"size{ending_of(old)}").stat().st_size
        plain = contextlib.nullcontext(folder / "limit")
        with disk(folder, 2 * size + 65536) if how == "disk" else plain as home:
            if home is None:
                ends[how]["not tried"] += 1
                continue
            home.mkdir(exist_ok=True)
            path = old.save(home / f"run{ending_of(old)}")
            if how == "disk":
                room = shutil.disk_usage(home).free - int(rng.integers(int(1.2 * size)))
                (home / "filler").write_bytes(bytes(max(room, 0)))
            most = int(rng.integers(int(1.2 * size))) if how == "limit" else None
            before = sorted(p.name for p in home.iterdir())
            end = apart(saving_once if new_way else exporting_once, new, path, most)
            look = reading if new_way else plain_reading
            names = {"the older file": old, "the new file": new}
            left = next((name for name, run in names.items() if apart(look, run, path) == ENDS[0]), "neither")
            (ends[how] if new_way else exported)[f"{end}: {left}"] += 1
            good = (end, left) in ((ENDS[0], "the new file"), (ENDS[1], "the older file"))
            if new_way and not (good and before == sorted(p.name for p in home.iterdir())):
                failures.append({"case": k, "how": how, "end": end, "left": left})
    return {"trials": 2 * count, **ends, "by HDF5 itself": exported}, failures


def main():
    """Run the campaign; return 1 if anything failed."""
    options = options_of(__doc__, 1000, 1, "damaged files; a fifth as many are killed, a twentieth are full")
    pairs = motions()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        saved = []
        for k, (run, other) in enumerate(pairs):
            twin = other.save(folder / f"twin{k}{ending_of(run)}").read_bytes()
            saved.append((run, run.save(folder / f"motion{k}{ending_of(run)}"), twin))
        return run_families(
            options,
            (
                ("damaged", lambda count, rng: damaged(count, rng, saved, folder), options.count),
                ("killed", lambda count, rng: killed(count, rng, pairs, folder), max(options.count // 5, 1)),
                ("full", lambda count, rng: full(count, rng, pairs, folder), max(options.count // 20, 5)),
            ),
        )


if __name__ == "__main__":
    sys.exit(main())
