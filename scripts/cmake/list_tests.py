#!/usr/bin/python3
"""list_tests.py [--each] PROGRAM NAME RULES FILE: the tests of a program of GoogleTest as a file that ctest includes.

Each case is a test, NAME.SUITE.CASE; the number of a parameter is replaced by what is printed of it. With HEDDLE_TESTS_TOGETHER=1 in
ctest's environment cases of one suite are one test, NAME.SUITE.* (and NAME.SUITE.* 2 ... of many), and one process starts for them;
--each: it runs each case in a child of its own (tests/main/run_tests.h). A test of the label long stays one by itself.

RULES has a line `EXPRESSION<tab>TIMEOUT<tab>COST<tab>LABELS`: what holds of the tests whose names the expression finds. Of two time limits
the later line holds; labels, separated by commas, add up; what is empty says nothing."""

import os
import pathlib
import re
import subprocess
import sys

TOGETHER = 20  # cases, so that many processors have something to do as well
ENVIRONMENT = "SC_COPYRIGHT_MESSAGE=DISABLE"


def cases(program):
    """(suite, case, name for people) of each."""
    done = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, **dict([ENVIRONMENT.split("=")])})
    if done.returncode != 0:
        sys.exit(f"{program} --gtest_list_tests: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    suite = None
    for line in done.stdout.splitlines():
        words, _, comment = line.partition("#")
        if not line.startswith(" "):
            suite = words.strip().removesuffix(".")
            continue
        case, value = words.strip(), comment.partition(" GetParam() = ")[2].strip()
        yield suite, case, re.sub(r"(^|/)\d+$", lambda number: number[1] + value, case) if value else case


class Properties:
    def __init__(self, name, rules):
        self.timeout, self.cost, self.labels = 0, 0, []
        for expression, timeout, cost, labels in rules:
            if expression.search(name):
                self.timeout, self.cost = int(timeout or self.timeout), int(cost or self.cost)
                self.labels += [label for label in labels.split(",") if label and label not in self.labels]

    @property
    def key(self):
        return self.timeout, self.cost, tuple(self.labels)


def quoted(text):
    return f"[==[{text}]==]"


def test(name, command, timeout, properties, more):
    labels = f" LABELS {quoted(';'.join(properties.labels))}" if properties.labels else ""
    return (f"add_test({quoted(name)} {' '.join(map(quoted, command))})\n"
            f"set_tests_properties({quoted(name)} PROPERTIES TIMEOUT {timeout} COST {properties.cost} "
            f"ENVIRONMENT {ENVIRONMENT}{labels} {more})\n")


def one_by_one(program, name, listed):
    for suite, case, people, properties in listed:
        yield test(f"{name}.{suite}.{people}", [program, f"--gtest_filter={suite}.{case}"], properties.timeout, properties,
                   r'SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"')


def together(program, name, listed, each):
    groups = {}
    for suite, case, people, properties in listed:
        if "long" in properties.labels:
            yield from one_by_one(program, name, [(suite, case, people, properties)])
        else:
            groups.setdefault((suite, properties.key), []).append((case, properties))
    numbers = {}
    for (suite, _), group in groups.items():
        for begin in range(0, len(group), TOGETHER):
            part, properties = [f"{suite}.{case}" for case, _ in group[begin:begin + TOGETHER]], group[0][1]
            numbers[suite] = number = numbers.get(suite, 0) + 1
            limit = [f"--each={properties.timeout}"] if each else []
            yield test(f"{name}.{suite}.*{'' if number == 1 else f' {number}'}", [program, *limit, f"--gtest_filter={':'.join(part)}"],
                       properties.timeout * len(part) + 10, properties, "SKIP_RETURN_CODE 77")


def main():
    each = sys.argv[1] == "--each"
    program, name, rules, file = sys.argv[1 + each:]
    lines = [line.split("\t") for line in pathlib.Path(rules).read_text(encoding="utf-8").splitlines() if line]
    rules = [(re.compile(expression), *rest) for expression, *rest in lines]
    listed = [(suite, case, people, Properties(f"{name}.{suite}.{people}", rules)) for suite, case, people in cases(program)]
    pathlib.Path(file).write_text("".join(['if("$ENV{HEDDLE_TESTS_TOGETHER}" STREQUAL "1")\n', *together(program, name, listed, each),
                                           "else()\n", *one_by_one(program, name, listed), "endif()\n"]), encoding="utf-8")


if __name__ == "__main__":
    main()
