"""The commands of scripts/ in a scratch folder, for the cases of scripts_cases.py."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("bench", "build", "contracts", "counters", "formal", "heddle", "mutants", "pages", "reproduce", "requests", "run", "setup", "summary", "synth", "test", "tidy",
           "timeline")
TOOLS = ("apt-get", "dpkg-query", "sudo", "cmake", "ninja", "c++", "g++", "ccache", "yosys", "clang-tidy")
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Scripts:
    """The scripts in a scratch folder; of the tools that install and build there are only stand-ins that fail and leave a
    trace."""

    def __init__(self, folder, heddle):
        self.folder, self.heddle = folder / "work", heddle
        self.folder.mkdir()
        self.used = folder / "used"
        self.stubs = folder / "stubs"
        self.stubs.mkdir()
        for tool in TOOLS:
            self.stub(tool, f'echo {tool} >> "{self.used}"\nexit 99')
        self.environment = {**os.environ, "PATH": f"{self.stubs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        self.environment.pop("HEDDLE_SKIP_SETUP", None)

    def stub(self, tool, action):
        """A stand-in for a tool: a shell script."""
        path = self.stubs / tool
        path.write_text(f"#!/bin/bash\n{action}\n")
        path.chmod(0o755)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def run(self, script, *arguments, code=0, **options):
        done = subprocess.run([ROOT / "scripts" / script, *map(str, arguments)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False, **options)
        print(f"$ scripts/{pathlib.PurePath(script).name} {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}[exit code {done.returncode}]")
        check("Traceback" not in done.stderr, "an exception reached the user")
        check(not self.used.exists(), f"it called {self.used.read_text() if self.used.exists() else ''}")
        check(done.returncode == code, f"exit code {done.returncode}, expected {code}")
        return done

    def refused(self, script, *arguments, says):
        """One line on stderr, which contains all of `says`, exit code 2, and nothing left behind."""
        def everything():
            return {path: path.read_bytes() if path.is_file() else None for path in self.folder.rglob("*")}

        before = everything()
        done = self.run(script, *arguments, code=2)
        check(done.stderr.startswith(f"{pathlib.PurePath(script).name}: error: ") and len(done.stderr.splitlines()) == 1, "not one line")
        for text in says:
            check(text in done.stderr, f"the error does not say '{text}'")
        check(done.stdout == "", "something was printed")
        check(everything() == before, "files were left behind, or changed")


def tree_of(scripts, *names):
    """A tree with these scripts and what they have in common."""
    tree = scripts.folder / "tree"
    common = [path for path in (ROOT / "scripts" / "common").iterdir() if path.is_file()]
    for path in (ROOT / "CMakePresets.json", *common, *(ROOT / "scripts" / name for name in names)):
        scripts.file(tree / path.relative_to(ROOT), path.read_text()).chmod(0o755)
    return tree


def mutants_tree(scripts, programs, **more):
    """A tree with one mutant, of a source with one line; `more`: of the mutant's entry."""
    tree = tree_of(scripts, "mutants")
    scripts.file(tree / "sum.cpp", "return a + b;\n")
    scripts.file(tree / "tests" / "all.cmake", "heddle_test(gpu_test SOURCES a.cpp)\nheddle_test(cli_${topic}_test SOURCES b.cpp)\n")
    scripts.file(tree / "tests" / "mutants" / "all.json",
                 [{"name": "sum.minus", "file": "sum.cpp", "replace": "+", "with": "-", "why": "no sum", "programs": programs, **more}])
    return tree / "scripts" / "mutants"
