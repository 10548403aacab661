#!/usr/bin/python3
"""Detection of SIMT-induced deadlocks over all kernels of the suite, as `heddle analyze` gives it: every true case is
found, every false one is documented (scripts/reproduction/deadlocks.json), nothing is left after the transformation.

detection_cases.py --heddle PATH nvcc|clang"""

import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "reproduction"))

import runner  # noqa: E402
import ssde  # noqa: E402


def main():
    if len(sys.argv) != 4 or sys.argv[1] != "--heddle" or sys.argv[3] not in ("nvcc", "clang"):
        sys.exit(__doc__)
    machine = runner.Runner(sys.argv[2], "tiny", "tiny", sys.argv[3], 1, 1)
    known, seen, wrong = ssde.known(), set(), []
    for file in sorted(ssde.PTX.glob(f"*.{machine.compiler}.ptx")):
        module = ssde.Module(machine, file)
        for kernel in module.kernels:
            name, flagged = kernel["kernel"], kernel["counts"]["may_deadlock"]
            seen.add(name)
            true, false = ssde.documented(known, name, machine.compiler)
            print(f"{file.name}: {name}: {flagged} flagged, documented {true} true and {false} false ones")
            if flagged != true + false:
                wrong.append(f"{name}: {flagged} loops flagged, documented are {true} true and {false} false ones")
            if module.again.get(name, 0) != 0:
                wrong.append(f"{name}: {module.again[name]} loops flagged after the transformation")
            if not module.transformed and true:
                wrong.append(f"{name}: {file.name} is not transformed")
    wrong += [f"{name}: documented, but there is no such kernel"
              for name in sorted((set(known["true"]) | set(known["false"])) - seen)]
    if len(seen) < 40:
        wrong.append(f"only {len(seen)} kernels")
    if wrong:
        sys.exit("\n".join(wrong))


main()
