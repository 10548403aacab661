"""The locks of lock.sh for the Python scripts."""

import errno
import os
import pathlib
import subprocess
import sys

LOCK = pathlib.Path(__file__).with_name("lock.sh")
HELD = []  # open as long as this process lives


def take(folder):
    """Makes the folder if need be and waits for its lock, which this process holds until it ends. Throws OSError."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    HELD.append(os.open(folder / ".lock", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666))
    who = " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]])
    done = subprocess.run(["bash", "-c", 'source "$1" && take_lock "$2" "$3" "$4" "$5"', "bash", LOCK, str(HELD[-1]), folder,
                           str(os.getpid()), who], pass_fds=HELD[-1:], check=False)
    if done.returncode != 0:
        raise OSError(errno.ENOLCK, "cannot be locked", str(folder))
