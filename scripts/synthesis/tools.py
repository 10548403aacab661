"""The programs the RTL flows run: where they are, which version, how they end. A missing one is reported with the Debian
package that has it; scripts/setup installs them all."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

PACKAGES = {"yosys": "yosys", "yosys-smtbmc": "yosys", "sta": "opensta", "iverilog": "iverilog", "vvp": "iverilog",
            "z3": "z3"}
LIBRARY = pathlib.Path(os.environ.get("HEDDLE_CELLS", "/usr/share/qflow/tech/osu018"))


class Failure(Exception):
    """A check that did not pass, or a tool that broke down: exit code 1."""


class InputError(Exception):
    """Something the user can put right: exit code 2."""


def require(*names):
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        packages = sorted({PACKAGES[name] for name in missing})
        raise InputError(f"{', '.join(missing)} not found; run scripts/setup, or install the package"
                         f"{'s' if len(packages) > 1 else ''} {' '.join(packages)}")


def cells(name):
    """A file of the standard-cell library, as liberty (.lib) or Verilog (.v)."""
    file = LIBRARY / name
    if not file.is_file():
        raise InputError(f"the standard-cell library '{file}' is not there; run scripts/setup, or install the package "
                         "qflow-tech-osu018 (HEDDLE_CELLS names another folder with osu018_stdcells.lib and .v)")
    return file


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def versions(*names):
    """What each program says of itself, in one line; of the library: what its liberty file hashes to."""
    ask = {"yosys": (["yosys", "-V"], r"Yosys (.*)"), "sta": (["sta", "-version"], r"(.*)"),
           "iverilog": (["iverilog", "-V"], r"Icarus Verilog version (.*?) \("), "z3": (["z3", "--version"], r"(.*)")}
    found = {}
    for name in names:
        command, pattern = ask[name]
        match = re.search(pattern, output_of(command))
        found[name] = match.group(1).strip() if match else "unknown"
    return found


def file_hash(*files):
    digest = hashlib.sha256()
    for file in files:
        text = pathlib.Path(file).read_bytes()
        digest.update(f"{pathlib.Path(file).name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def last_words(text, lines=12):
    return "\n".join("    " + line for line in text.strip().splitlines()[-lines:])


def run(command, what, folder, limit=None, check=True):
    """Runs a program in a folder, for at most `limit` seconds; gives (exit code, all it printed)."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"{what}: {command[0]} did not end within {limit} s") from None
    except OSError as error:
        raise InputError(f"cannot run {command[0]}: {error.strerror}; run scripts/setup") from None
    if check and done.returncode != 0:
        raise Failure(f"{what}: {command[0]} ended with exit code {done.returncode}; its last words:\n"
                      f"{last_words(done.stdout)}")
    return done.returncode, done.stdout
