"""What the cases of program_cases.py share: where things lie, and running a program under the command."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
ENDS_WITH = {}  # exit codes that are not 0
FEW_CORES = ("--set", "cores=4")
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Bench:
    def __init__(self, arguments, folder):
        self.heddle, self.registered, self.nvcc = arguments.heddle, arguments.registered, arguments.nvcc
        self.built, self.folder = pathlib.Path(arguments.built), folder

    def run(self, words, code=0, environment=None, **options):
        done = subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True, check=False, errors="replace",
                              env={**os.environ, **(environment or {})}, **options)
        print(f"$ {' '.join(map(str, words))}\n{done.stdout}{done.stderr}[exit code {done.returncode}]")
        check(code is None or done.returncode == code, f"exit code {done.returncode}, expected {code}")
        return done

    def cuda(self, *words, code=0):
        return self.run([self.heddle, "cuda", *FEW_CORES, *words], code=code)

    def program(self, name):
        path = self.built / name
        if not path.exists():
            print("no nvcc: not compiled")
            sys.exit(SKIPPED)
        return path

    def compiled(self, name, words, folder):
        """Unless it is newer than its sources."""
        target = self.built / name
        sources = [*folder.glob("*"), *self.built.glob(f"{name}.cu")]
        newest = max(path.stat().st_mtime for path in sources if path.is_file())
        if target.exists() and target.stat().st_mtime > newest:
            return ""
        done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, check=False)
        return f"{name}: {done.stdout}{done.stderr}" if done.returncode != 0 else ""
