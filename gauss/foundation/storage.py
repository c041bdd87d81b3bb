"""Files on disk: written beside and moved into place, so that what was there stays until the new file is whole."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from gauss.errors import FileError, InputError

SEAL = b"\ngauss seal sha256 "  # and 64 hexadecimal digits and a line feed end a file; readers of NetCDF pass over them


def as_path(value: object) -> Path:
    """Return `value` as a Path, or raise an InputError that shows it."""
    if not isinstance(value, (str, Path)) or "\0" in str(value):
        raise InputError(f"the path of a file must be a str or a pathlib.Path, but is {value!r}.")
    return Path(value)


def require_ending(path: Path, endings: Sequence[str], what: str, instead: str = "") -> None:
    """Raise FileError unless the name of a file to be written says what will be in it; `instead` names other ways."""
    if path.suffix.lower() not in endings and not path.is_dir():
        raise FileError(f"cannot write {path}: {what}, in a file that ends in {' or '.join(endings)}.{instead}")


def make_folder(folder: Path) -> None:
    """Make a folder, and those it lies in, where there is none. Raises FileError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror or error}.") from None


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to, which takes its place only when it is whole and on the disk.

    Whatever goes wrong, `path` stays as it was, and nothing else is left behind but by a process that is killed: the
    hidden file that it was writing. A link stays a link, and the permissions of an older file are kept. Raises
    FileError.
    """
    try:
        target = place_of(path)
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            yield part
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink()
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}.") from None
    with contextlib.suppress(OSError):  # some systems cannot open a folder; they move files durably without it
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def place_of(path: Path) -> Path:
    """Return the file that `path` names, through links. Raises FileError where none can be written, and OSError."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {target.parent}.")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {path}: it is {'a folder' if target.is_dir() else 'no file, but a device'}.")
    if target.exists() and not os.access(target, os.W_OK):
        raise FileError(f"cannot write {path}: it is read-only.")
    return target


def content_of(path: Path) -> bytes:
    """Return the bytes of a file. Raises FileError."""
    try:
        if not path.is_file():
            raise FileError(f"there is no file {path}.")
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from None


def damaged(path: Path, reason: object) -> FileError:
    """Return the error for a file of the right format with wrong contents."""
    return FileError(f"{path} is damaged: {str(reason).rstrip('.')}. Save it again.")


def seal(content: bytes) -> bytes:
    """Return what is written behind `content`, so that `is_sealed` finds any change."""
    return SEAL + hashlib.sha256(content).hexdigest().encode() + b"\n"


LENGTH = len(seal(b""))


def is_sealed(path: Path, content: bytes) -> bool:
    """Whether a seal ends a file. Raises FileError where it does and the bytes before are not those it was made for."""
    ending = content[-LENGTH:]
    if not ending.startswith(SEAL):
        return False
    if ending != seal(content[:-LENGTH]):
        raise damaged(path, "its contents do not fit its checksum")
    return True


def require_version(path: Path, found: object, wanted: str, what: str) -> None:
    """Raise FileError unless the name of a format is `wanted`, words and a number; say what other files are."""
    if found == wanted:
        return
    kind, _, number = wanted.rpartition(" ")
    other, _, version = str(found).rpartition(" ")
    if other != kind or not version.isdecimal():
        raise FileError(f"{path} is not {what} of this package (its format is not {wanted!r}).")
    if int(version) > int(number):
        raise FileError(f"{path} was written by a newer version of this package ({found!r}). Update gauss-dynamics.")
    raise FileError(f"{path} was written by an early version of this package, without checksums. Compute it again.")
