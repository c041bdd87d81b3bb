"""Files that robots name: ``package://``, ``model://``, ``file://`` and plain paths, found on this computer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from gauss.errors import InputError

SCHEMES = ("package://", "model://")
VARIABLES = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "AMENT_PREFIX_PATH")


@dataclass(frozen=True)
class Packages:
    """Where the files that a robot names are: beside it or above it, in folders that are given, in those of ROS.

    `given` are folders by the name of the package, or one folder that holds packages.
    """

    file: Path
    given: Mapping[str, Path] = field(default_factory=dict)  # of packages; "" holds them

    @staticmethod
    def of(file: Path, given: str | Path | Mapping[str, str | Path] | None) -> Packages:
        """Return them as a user gives them. Raises InputError for what is no folder."""
        named = given if isinstance(given, Mapping) else {} if given is None else {"": given}
        folders = {str(name): Path(folder).expanduser() for name, folder in named.items()}
        for name, folder in folders.items():
            if not folder.is_dir():
                raise InputError(f"the package {name!r} is to be in {folder}, which is no folder.".replace("'' ", ""))
        return Packages(file, folders)

    def path(self, name: str) -> Path | None:
        """Return the file that a robot names, None where it is not found."""
        word = unquote(name.strip())
        scheme = next((each for each in SCHEMES if word.startswith(each)), None)
        if scheme is None:
            path = Path(word.removeprefix("file://"))
            found = path if path.is_absolute() else self.file.parent / path
            return found if found.is_file() else None
        rest = word.removeprefix(scheme).lstrip("/")
        return next((each for each in self._places(rest) if each.is_file()), None)

    def _places(self, rest: str) -> list[Path]:
        """Return where a file of a package may be: the folder of the package, or what holds it, is on the way."""
        package, _, inner = rest.partition("/")
        found = [folder / inner if name == package else folder / rest for name, folder in self.given.items()]
        for above in self.file.resolve().parents:
            found.append(above / rest)
            if above.name == package:
                found.append(above / inner)
        for variable in VARIABLES:
            for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                found += [Path(folder) / rest, Path(folder) / "share" / rest]
                if Path(folder).name == package:
                    found.append(Path(folder) / inner)
        return found
