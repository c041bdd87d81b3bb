"""Functions as machine code, by a C compiler that is there, where so many calls follow that its seconds pay.

CasADi evaluates a function instruction by instruction; its C code computes the same, to the bit, some twenty times as
fast. Nothing needs it.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import casadi as ca

from gauss.errors import InputError

FLAGS = ("-O1", "-fPIC", "-shared", "-ffp-contract=off")  # -O2 is no faster; contracted products round otherwise
_LOCK = Lock()
_MADE: dict[str, ca.Function] = {}  # by compiler and code


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="gauss-native-", ignore_cleanup_errors=True)


def require_compiler(compiler: str) -> str:
    """Return the path of a C compiler. Raises InputError where there is none."""
    found = shutil.which(compiler) if isinstance(compiler, str) and compiler else None
    if found is None:
        raise InputError(f"compiler is {compiler!r}, which is no program here; name a C compiler, or leave it out.")
    return found


def native(function: ca.Function, compiler: str) -> ca.Function:
    """Return a function as machine code. Raises InputError where the compiler is not there, or fails."""
    program, generator = require_compiler(compiler), ca.CodeGenerator("code.c")
    generator.add(function)
    code: str = generator.dump()
    key = sha256(f"{program}\n{code}".encode()).hexdigest()
    with _LOCK:
        if key not in _MADE:
            source = Path(_folder().name, f"{key[:16]}.c")
            source.write_text(code, encoding="utf-8")
            library = source.with_suffix(".so")
            command = [program, *FLAGS, str(source), "-o", str(library), "-lm"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                first = (done.stderr or done.stdout).strip().partition("\n")[0]
                raise InputError(f"the compiler {compiler!r} refuses the code of {function.name()!r}: {first}")
            _MADE[key] = ca.external(function.name(), str(library))
        return _MADE[key]
