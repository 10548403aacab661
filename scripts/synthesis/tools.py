"""The programs the RTL flows run: where they are, which version, how they end. A missing one is reported with the
Debian package that has it; scripts/setup installs them all."""

import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess

PACKAGES = {"yosys": "yosys", "yosys-abc": "yosys", "yosys-smtbmc": "yosys", "sta": "opensta", "iverilog": "iverilog",
            "vvp": "iverilog", "z3": "z3"}
LIBRARY_REMEDY = ("run scripts/setup, or install the package qflow-tech-osu018 (HEDDLE_CELLS names another folder with osu018_stdcells.lib and .v, "
                  "and .lef for scripts/synth --wires)")
LIBRARY = pathlib.Path(os.environ.get("HEDDLE_CELLS", "/usr/share/qflow/tech/osu018"))


class Failure(Exception):
    """A failed check or a tool that crashed: exit code 1."""


class InputError(Exception):
    """An error that the user can fix: exit code 2."""


def require(*names):
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        packages = sorted({PACKAGES[name] for name in missing})
        raise InputError(f"{', '.join(missing)} not found; run scripts/setup, or install the package"
                         f"{'s' if len(packages) > 1 else ''} {' '.join(packages)}")


def cells(name):
    """A file of the standard-cell library: liberty (.lib), Verilog (.v), or layers (.lef)."""
    file = LIBRARY / name
    if not file.is_file():
        raise InputError(f"the standard-cell library '{file}' is not there; {LIBRARY_REMEDY}")
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


def text_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()


def last_words(text, lines=12):
    return "\n".join("    " + line for line in text.strip().splitlines()[-lines:])


RUNNING = set()  # process groups, terminated when the run is aborted


def end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command, what, folder, limit=None, check=True):
    """Runs a program in a folder, for at most `limit` seconds; gives (exit code, all it printed). It has a process
    group of its own, since the programs start others (ABC, the solver), which must not outlive it."""
    try:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    except OSError as error:
        raise InputError(f"cannot run {command[0]}: {error.strerror}; run scripts/setup") from None
    RUNNING.add(process.pid)
    try:
        text, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        end(process.pid)
        process.communicate()
        raise Failure(f"{what}: {command[0]} did not end within {limit} s") from None
    finally:
        RUNNING.discard(process.pid)
    if check and process.returncode != 0:
        raise Failure(f"{what}: {command[0]} ended with exit code {process.returncode}; its last words:\n"
                      f"{last_words(text)}")
    return process.returncode, text


def interrupt_when_terminated():
    """SIGTERM ends a run like an interruption from the keyboard: with the programs it started."""
    def handler(number, frame):
        del number, frame
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, handler)
    signal.signal(signal.SIGINT, handler)  # a shell starts background jobs with SIGINT ignored


def parallel(tasks, jobs):
    """Calls the tasks {key: function} on that many threads; returns {key: result}. All are tried, and failures are
    raised at the end as one Failure. An InputError or an interruption stops the others at once."""
    found, failures = {}, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(task): key for key, task in tasks.items()}
        try:
            for done in concurrent.futures.as_completed(waiting):
                try:
                    found[waiting[done]] = done.result()
                except Failure as failure:
                    failures.append(str(failure))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for group in list(RUNNING):
                end(group)
            raise
    if failures:
        raise Failure("\n".join(sorted(failures)))
    return found
