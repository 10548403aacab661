"""scripts/test, the list of tests that ctest reads, and the runner of test programs, for scripts_cases.py."""

import os
import pathlib
import re
import subprocess

from scripts_command import ROOT, case, check, tree_of


def listed(scripts, together):
    """Names of the tests of the build."""
    folder = pathlib.Path(scripts.heddle).parent.parent
    done = subprocess.run(["ctest", "--test-dir", str(folder), "--show-only"], capture_output=True, text=True, check=True,
                          env={**os.environ, "HEDDLE_TESTS_TOGETHER": together})
    tests = re.findall(r"Test +#\d+: (.*)", done.stdout)
    check(len(tests) > 1000, "these are not the tests")
    return tests


def long_runs():
    return [line for line in (ROOT / "tests/long_runs.txt").read_text().splitlines() if not line.startswith("#")]


@case
def rtl_and_all_long_runs_are_tests(scripts):
    """Lines of tests/long_runs.txt that name no test leave a long one in the short suite."""
    tests = listed(scripts, "")
    without = [line for line in long_runs() if not any(re.match(f"({line})( |$)", test) for test in tests)]
    check(not without, f"no test has such a name: {without}")


@case
def rtl_and_all_cases_run_together_too(scripts):
    """Each case is in one test where those of a suite are one, and the long ones are tests by themselves in both."""
    folder = pathlib.Path(scripts.heddle).parent.parent
    for file in sorted(folder.glob("t*/**/*.tests.cmake")):
        together, _, alone = file.read_text(encoding="utf-8").partition("else()\n")
        cases = [re.findall(r"--gtest_filter=([^\]]+)", part) for part in (together, alone)]
        check(len(cases[1]) > 0 and sorted(":".join(cases[0]).split(":")) == sorted(cases[1]), f"{file.name}: other cases than those of the program")
    is_long = re.compile("|".join(f"({line})( |$)" for line in long_runs()))
    one_by_one, together = ({test for test in listed(scripts, value) if is_long.match(test)} for value in ("", "1"))
    check(one_by_one == together, f"long in one list only: {sorted(one_by_one ^ together)}")


@case
def tests_run_together_unless_they_are_named(scripts):
    tree = tree_of(scripts, "test")
    for name in ("setup", "build"):
        scripts.file(f"tree/scripts/{name}", "#!/bin/bash\n").chmod(0o755)
    scripts.stub("ctest", '[[ "$1" != --help ]] || { echo "  -R <regex>  = "; echo "  -L <regex>  = "; echo "  --rerun-failed = "; exit; }\n'
                          'echo "together=$HEDDLE_TESTS_TOGETHER $*"')
    for arguments, value in (([], "1"), (["--rerun-failed"], "1"), (["--all"], "1"), (["-L", "unit"], "1"), (["-R", "name"], ""),
                             (["--rerun-failed"], "")):
        done = subprocess.run([tree / "scripts" / "test", *arguments], env=scripts.environment, capture_output=True, text=True, check=False)
        check(done.returncode == 0 and done.stdout.startswith(f"together={value} --preset release"), f"{arguments}: {done}")


@case
def a_runner_of_tests_names_those_that_fail(scripts):
    program = pathlib.Path(scripts.heddle).parent / "heddle_failing_tests"

    def run(filter_, code, says):
        done = subprocess.run([program, "--each=5", f"--gtest_filter={filter_}"], capture_output=True, text=True, check=False, timeout=100)
        print(done.stdout + done.stderr)
        check(done.returncode == code, f"{filter_}: exit code {done.returncode}, expected {code}")
        for text in says:
            check(text in done.stdout, f"{filter_}: '{text}' is missing")

    run("*", 1, ["[       OK ] Ways.Passes (", "said by the one that fails", "[  FAILED  ] Ways.Fails: exit code 1", "[  FAILED  ] Ways.Dies: it died: Aborted",
                 "[  FAILED  ] Ways.Leaves: exit code 5", "[  FAILED  ] Ways.Hangs: it took more than 5 s", "said by the one that is skipped",
                 "[       OK ] Others.Pass (", "7 tests, 1 skipped, 4 failed", f"failed: Ways.Dies; alone: {program} --gtest_filter=Ways.Dies"])
    run("Ways.Passes:Others.*:Ways.Is*", 0, ["3 tests, 1 skipped, 0 failed"])
    run("Ways.IsSkipped", 77, ["1 tests, 1 skipped, 0 failed"])
    run("Ways.*s-Ways.Passes:*Dies:*Fails:*Hangs", 1, ["1 tests, 0 skipped, 1 failed", "Ways.Leaves: exit code 5"])
    run("Ways.Nothing", 1, ["no test is called Ways.Nothing"])
