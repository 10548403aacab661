"""The heddle command of this tree for the Python scripts."""

import os
import pathlib
import subprocess

from command_line import InputError

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = SCRIPTS.parent / "build" / "release" / "bin"
HELD = []  # open as long as this process lives


def heddle(*targets):
    """Builds it, and `targets` beside it in PROGRAMS. None: that failed. The path stays the program that was built, also when
    another script builds meanwhile: all runs of a measurement are runs of one program."""
    if subprocess.run([SCRIPTS / "build", "--quiet", "release", "heddle", *targets], check=False).returncode != 0:
        return None
    HELD.append(os.open(PROGRAMS / "heddle", os.O_RDONLY))
    return pathlib.Path(f"/proc/{os.getpid()}/fd/{HELD[-1]}")


def chosen(given):
    """The command that --heddle gives, or else the one of this tree, built."""
    if given is None:
        return heddle()
    if not given.is_file() or not os.access(given, os.X_OK):
        raise InputError(f"--heddle {given}", "is no program", "give the file of a heddle command; without --heddle it is built")
    return given.absolute()
