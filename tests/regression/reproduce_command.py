"""scripts/reproduce with a heddle command that answers from a table, and the cases that use it."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = {}

# Answers `sweep` with cycles that the settings of a run decide, notes the settings of each run in a log.
FAKE = r'''#!/usr/bin/python3 -IS
import json, pathlib, sqlite3, struct, sys
arguments = sys.argv[1:]


def note(words):
    with open(pathlib.Path(__file__).with_suffix(".log"), "a") as log:
        log.write(json.dumps(words) + "\n")


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
    note(arguments)
    out = pathlib.Path(arguments[arguments.index("--out") + 1])
    out.mkdir()
    (out / "correlation.json").write_text(json.dumps(rules["correlate"]))
    sys.exit(0)

def flat(group, prefix, to):
    """Statistics by the names of heddle's results: "core0" and "core1" are "core"; sums."""
    for name, value in group.items():
        name = prefix + (name.rstrip("0123456789") if not prefix and name[:4] in ("core", "part") else name)
        if isinstance(value, dict):
            flat(value, name + ".", to)
        else:
            to[name] = to.get(name, 0) + value


def run(words):
    """(status, verdict, the statistics of two cores and others, totals) of a run."""
    cycles, instructions, simd, requests, misses, more = 1000, 100, 0.5, 10, 4, {}
    for part, change in rules["run"]:
        if all(word in words for word in part.split()):
            if "exit" in change:
                return {1: "wrong", 2: "refused", 4: "hang", 5: "limit"}[change["exit"]], change.get("error", "hangs"), {}, {}
            cycles = change.get("cycles", cycles)
            instructions = change.get("instructions", instructions)
            simd = change.get("simd", simd)
            requests = change.get("requests", requests)
            misses = change.get("misses", misses)
            more.update(change.get("statistics", {}))
    core = {"memory_port": {"requests": requests}, "l1d": {"load_misses": misses}}
    return "passed", "", {"core0": core, "core1": core, "crossbar": {"memory_port": {"requests": 99}}, **more}, {
        "cycles": cycles, "warp_instructions": instructions, "simd_efficiency": simd}


spec, variants, kernels, excluded, common = {}, [], [{}], [], {}
lists = {"variants:": variants, "kernels:": kernels, "exclude:": excluded}
for line in pathlib.Path(arguments[1]).read_text().splitlines():
    if line in lists:
        at = lists[line]
    elif line.startswith("  - "):
        at.append(json.loads(line[4:]))
    elif line.startswith("  "):
        key, _, value = line.strip().partition(": ")
        common[key] = json.loads(value)
    elif not line.startswith("#"):
        key, _, value = line.partition(": ")
        spec[key] = value
kernels = kernels[1:] or kernels
out = pathlib.Path(arguments[arguments.index("--out") + 1])
if out.exists():  # --resume, and nothing is missing
    sys.exit(0)
out.mkdir()
database = sqlite3.connect(out / "results.sqlite")
database.executescript("CREATE TABLE runs (run, status, verdict, diagnosis, folder); CREATE TABLE parameters (run, name, value);"
                       "CREATE TABLE layouts (layout, names); CREATE TABLE vectors (run, layout, data);")
number = 0
for kernel in kernels:
    for variant in variants:
        names = {"variant": variant["name"], **({"kernel": kernel["name"]} if kernel else {})}
        if names in excluded:
            continue
        settings = {**common, **variant}
        words = ["run", *([settings["workload"]] if "workload" in settings else ["--ptx", kernel["name"]])]
        words += [key.removeprefix("param.") + "=" + value for key, value in settings.items() if key not in ("workload", "name", "platform")]
        note(words + [settings.get("platform") or arguments[arguments.index("--platform") + 1]])
        status, verdict, statistics, total = run(words)
        folder = out / "runs" / str(number)
        folder.mkdir(parents=True)
        (folder / "control_flow.cft").write_text(json.dumps(words))
        (folder / "stats.json").write_text(json.dumps({"kernels": [{"kernel": rules.get("kernel", "k"), "statistics": statistics}]}))
        values = {}
        flat({**statistics, "total": total}, "", values)
        database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", (number, status, verdict, verdict, "runs/" + str(number)))
        database.executemany("INSERT INTO parameters VALUES (?, ?, ?)", [(number, *pair) for pair in names.items()])
        if status == "passed":
            database.execute("INSERT INTO layouts VALUES (?, ?)", (str(number), "".join(name + "\n" for name in values)))
            database.execute("INSERT INTO vectors VALUES (?, ?, ?)", (number, str(number), struct.pack("<%dd" % len(values), *values.values())))
        number += 1
database.commit()
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
