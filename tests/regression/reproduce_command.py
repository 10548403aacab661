"""scripts/reproduce with a heddle command that answers from a table, and the cases that use it."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = {}

# Answers `run` with cycles that the settings decide, notes its arguments in a log.
FAKE = r'''#!/usr/bin/python3 -IS
import json, pathlib, sys
arguments = sys.argv[1:]
with open(pathlib.Path(__file__).with_suffix(".log"), "a") as log:
    log.write(json.dumps(arguments) + "\n")
rules = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
if arguments[0] == "analyze":
    source = pathlib.Path(arguments[1])
    answer = rules["analyze"].get(source.name.split(".")[0], {})
    if "--transform" in arguments:
        if "refused" in answer:
            sys.exit(2)
        text = source.read_text().replace("exit;", "").replace("ret;", "nop; ret;")
        pathlib.Path(arguments[-1]).write_text("// transformed\\n" + text)
        sys.exit(0)
    after = source.read_text().startswith("// transformed")
    kernels = answer.get("after" if after else "before", [])
    print(json.dumps([{"kernel": name, "counts": counts} for name, counts in kernels]))
    sys.exit(1 if any(counts["may_deadlock"] for _, counts in kernels) else 0)
if arguments[0] == "compare-traces":
    reference, other = (json.loads(pathlib.Path(path).read_text()) for path in arguments[1:3])
    total = {"instructions": 100, "other_instructions": 100, "distance": 0, "difference": 0.0, "difference_in_any_order": 0.0, "simd": 0.5, "other_simd": 0.5}
    for of, part, change in rules["compare"]:
        if all(word in reference for word in of.split()) and all(word in other for word in part.split()):
            total.update(change)
    print(json.dumps({"total": total}))
    sys.exit(1 if total["distance"] else 0)
if arguments[0] == "correlate":
    out = pathlib.Path(arguments[arguments.index("--out") + 1])
    out.mkdir()
    (out / "correlation.json").write_text(json.dumps(rules["correlate"]))
    sys.exit(0)
if "--trace-control-flow" in arguments:
    pathlib.Path(arguments[arguments.index("--trace-control-flow") + 1]).write_text(json.dumps(arguments))
cycles, instructions, simd, requests, misses, more = 1000, 100, 0.5, 10, 4, {}
for part, change in rules["run"]:
    if all(word in arguments for word in part.split()):
        if "exit" in change:
            print("heddle: error: " + change.get("error", "hangs"), file=sys.stderr)
            sys.exit(change["exit"])
        cycles = change.get("cycles", cycles)
        instructions = change.get("instructions", instructions)
        simd = change.get("simd", simd)
        requests = change.get("requests", requests)
        misses = change.get("misses", misses)
        more.update(change.get("statistics", {}))
out = pathlib.Path(arguments[arguments.index("--out") + 1])
out.mkdir()
core = {"memory_port": {"requests": requests}, "l1d": {"load_misses": misses}}
(out / "stats.json").write_text(json.dumps({
    "total": {"cycles": cycles, "warp_instructions": instructions, "simd_efficiency": simd},
    "kernels": [{"kernel": rules.get("kernel", "k"), "statistics": {"core0": core, "core1": core, "crossbar": {"memory_port": {"requests": 99}}, **more}}]}))
'''


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Reproduce:
    def __init__(self, folder):
        self.heddle = folder / "heddle"
        self.heddle.write_text(FAKE)
        self.heddle.chmod(0o755)

    def run(self, *arguments, rules=(), analyze=None, compare=(), kernel="k", correlate=None, code=0):
        answers = {"run": rules, "analyze": analyze or {}, "compare": compare, "kernel": kernel, "correlate": correlate}
        self.heddle.with_suffix(".json").write_text(json.dumps(answers))
        done = subprocess.run([ROOT / "scripts" / "reproduce", *arguments, "--heddle", self.heddle],
                              capture_output=True, text=True, check=False)
        print(f"$ scripts/reproduce {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        check(done.returncode == code, f"exit code {done.returncode}, expected {code}")
        check("Traceback" not in done.stderr, "an exception reached the user")
        return done

    def calls(self):
        return [json.loads(line) for line in self.heddle.with_suffix(".log").read_text().splitlines()]


def row(text, *words):
    """Cells of the one table row that contains all words as cells."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    found = [cells for cells in rows if all(word in cells for word in words)]
    check(len(found) == 1, f"{len(found)} rows with {words}")
    return found[0]


def verdicts(text):
    """By claim: ours, and the verdict."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("| ")]
    return {cells[1]: (cells[-3], cells[-2]) for cells in rows if len(cells) == 7}
