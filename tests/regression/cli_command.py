"""The heddle command seen from outside, for the cases of cli_cases.py and its companions."""

import json
import shutil
import subprocess

import cli_kernels as kernels

OK, MISMATCH, BAD_INPUT, KERNEL_FAULT, HANG, CYCLE_LIMIT, ASSERTION = 0, 1, 2, 3, 4, 5, 9
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Command:
    """The heddle command in a scratch folder of its own."""

    def __init__(self, heddle, folder):
        self.heddle = heddle
        self.folder = folder

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run(self, *arguments, code=OK):
        done = subprocess.run([self.heddle, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        print(f"$ heddle {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}[exit code {done.returncode}]")
        check(done.returncode == code, f"exit code {done.returncode}, expected {code}")
        check("Accellera" not in done.stdout + done.stderr, "the SystemC banner is in the output")
        return done

    def refused(self, *arguments, code=BAD_INPUT, says):
        """The run fails with one error that contains all of `says`, and leaves nothing behind but, if something was
        simulated, results that are marked as incomplete."""
        before = sorted(p.name for p in self.folder.iterdir())
        takes_out = arguments and arguments[0] == "run"
        simulated = takes_out and code in (KERNEL_FAULT, HANG, CYCLE_LIMIT, ASSERTION)
        done = self.run(*arguments, *(["--out", "result"] if takes_out else []), code=code)
        check(done.stderr.startswith("heddle: error: "), "stderr does not begin with 'heddle: error: '")
        check(done.stderr.count("heddle: error: ") == 1, "not exactly one error")
        for text in says:
            check(text in done.stderr, f"the error does not say '{text}'")
        check("internal" not in done.stderr and "terminate" not in done.stderr, "an internal error reached the user")
        if simulated:
            check("INCOMPLETE: " in done.stdout, "the report is not marked as incomplete")
            check(stats(self.folder / "result")["complete"] is False, "stats.json is not marked as incomplete")
            shutil.rmtree(self.folder / "result")
        else:
            check(done.stdout == "", "something was printed to stdout")
        after = sorted(p.name for p in self.folder.iterdir())
        check(before == after, f"files were left behind: {set(after) - set(before)}")
        return done

    def ptx(self, source, entry, *arguments, grid="1", block="32", **expected):
        """`heddle run --ptx` on platform tiny."""
        command = ["run", "--platform", "tiny", "--ptx", self.file("kernel.ptx", source), "--entry", entry, "--grid",
                   grid, "--block", block, *arguments]
        return self.refused(*command, **expected) if "says" in expected else self.run(*command, **expected)

    def scale(self, *arguments, n=100, grid="4", block="32", **expected):
        """y = 2.5 * x on n elements."""
        return self.ptx(kernels.SCALE, "scale", "--arg", f"buf=x:{n}xf32:iota", "--arg", f"buf=y:{n}xf32", "--arg",
                        "f32=2.5", "--arg", f"u32={n}", *arguments, grid=grid, block=block, **expected)


def stats(folder):
    return json.loads((folder / "stats.json").read_text())
