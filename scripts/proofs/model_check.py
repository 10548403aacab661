"""Bounded model checking and induction with ABC, which yosys ships as yosys-abc.

yosys maps the checker and the block to gates and latches (AIGER); ABC's SAT solver unrolls these cycle by cycle (bmc3)
and does the inductive step (ind). smtbmc and z3 take a hundred times as long, but keep signal names: they replay a
failure that ABC has found, with its inputs given, which confirms it and yields the waveform."""

import pathlib
import re
import shutil

import codes
import tools

# A cover statement as an assertion that it never happens: ABC's counterexample is the cover trace.
COVERS = """(* techmap_celltype = "$cover" *)
module cover_never (input A, input EN);
  \\$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
"""
# What a generate branch leaves undefined (an assertion that is never enabled) may be anything.
WORDS = ["memory_map", "opt -full", "setundef -anyseq", "async2sync", "dffunmap"]
GATES = ["techmap", "opt_expr", "opt_clean", "dffunmap", "abc -g AND -fast", "opt_clean"]
# The queries for ABC, one file each; the properties are its outputs.
GOALS = {
    "asserts": ["chformal -cover -remove"],
    "covers": ["chformal -assert -remove", "techmap -map covers.v", "techmap", "opt_clean"],
    # True in every cycle: it is reachable as long as the assumptions are satisfiable.
    "always": ["chformal -assert -cover -remove", "add -output always 1", "connect -set always 1'b1", "opt_clean"],
}


def place(cell):
    """`file:line` of the statement that yosys named the cell after."""
    named = re.search(r"\$(?:assert|cover)\$([^$]+:\d+)\$", cell)
    return named.group(1) if named else cell


class Model:
    """The checker and the block as gates, in a separate folder; `bug`: with the block's seeded bug; `top`: another checker; `instance`: without
    the other instances in it; `keep`: a file for the gates. Seconds go into the gates, not into the search, so that one of several instances is ready several times as fast."""

    def __init__(self, proof, folder, bug=None, limit=None, top=None, instance=None, keep=None):
        self.proof, self.folder, self.limit = proof, folder, limit
        names = []
        for source in proof.sources:
            target = folder / source.name
            if bug is not None and source == bug.source:
                target.write_text(bug.text, encoding="utf-8")
            else:
                shutil.copyfile(source, target)
            names.append(source.name)
        block = proof.block.sources[-1]
        (folder / f"{block.stem}_codes.svh").write_text(codes.include(block), encoding="utf-8")
        (folder / "covers.v").write_text(COVERS)
        top = top or proof.top
        script = [f'read_verilog -sv -formal "{name}"' for name in names]
        if instance:
            # Behind hierarchy, which makes some wrappers again (for a '0 on a port). What is no instance has a type with a $, as an instance with parameters has.
            script += [f"hierarchy -check -top {top}", f"select -assert-count 1 {top}/c:{instance}",
                       f"select -set others {top}/c:* {top}/t:$* %d {top}/t:$paramod* %u {top}/c:{instance} %d", "delete @others"]
        script += [f"prep -top {top} -flatten", "check -assert", *WORDS, "write_smt2 -wires model.smt2", *GATES, *([f"write_rtlil {keep}"] if keep else [])]
        for goal, commands in GOALS.items():
            script += ["design -push-copy", *commands, f"tee -q -o {goal}.txt select -list t:$assert",
                       f"write_aiger -zinit -no-startoffset -map {goal}.aim {goal}.aig", "design -pop"]
        (folder / "model.ys").write_text("\n".join(script) + "\n")
        code, text = tools.run(["yosys", "-q", "-s", "model.ys"], proof.block.name, folder, limit,
                               check=False)
        if code != 0:
            raise tools.Failure(f"{proof.block.name}: yosys refused the model:\n{tools.last_words(text)}")
        self.asserts, self.covers = ([place(cell) for cell in (folder / f"{goal}.txt").read_text().splitlines()]
                                     for goal in ("asserts", "covers"))
        if not self.asserts:
            raise tools.Failure(f"{proof.block.name}: {top} asserts nothing")

    def abc(self, goal, commands):
        _, text = tools.run(["yosys-abc", "-c", f"read_aiger {goal}.aig; fold; strash; {commands}"],
                            self.proof.block.name, self.folder, self.limit, check=False)
        return text

    def no_verdict(self, program, text):
        return tools.Failure(f"{self.proof.block.name}: {program} gave no verdict:\n{tools.last_words(text)}")

    def bounded(self, steps, trace=None):
        """{"passed", "step" of the failure, "failed": locations of the properties}, over all runs of that many cycles
        from reset. A failure's trace is written to `trace`."""
        if f"asserted in frame {steps - 1}." not in self.abc("always", f"bmc3 -S {steps - 1} -F {steps}"):
            raise tools.Failure(f"{self.proof.block.name}: the assumptions contradict each other within {steps} steps, "
                                "so that nothing is proven")
        text = self.abc("asserts", f"bmc3 -F {steps}; write_cex -a asserts.aiw")
        if f"No output asserted in {steps} frames" in text:
            return {"passed": True, "step": None, "failed": []}
        failed = re.search(r"Output (\d+) of miter .* was asserted in frame (\d+)\.", text)
        if failed is None:
            raise self.no_verdict("yosys-abc", text)
        found = {"passed": False, "step": int(failed.group(2)), "failed": [self.asserts[int(failed.group(1))]]}
        if trace is not None:
            again = self.smtbmc(trace, "--aig", "asserts.aim:asserts.aiw", "--aig-noheader")
            if again["passed"]:
                raise tools.Failure(f"{self.proof.block.name}: yosys-abc finds that {found['failed'][0]} fails, and "
                                    "smtbmc does not, in the same run")
            found["failed"] = again["failed"] or found["failed"]
        return found

    def induction(self, steps, trace=None):
        """The same by induction: from any state, if all properties hold for `steps` cycles, they hold in the next
        one."""
        if "Networks are equivalent" in self.abc("asserts", f"orpos; dc2; ind -F {steps + 1}"):
            return {"passed": True, "step": None, "failed": []}
        return self.smtbmc(trace, "-t", str(steps), "-i")  # shows where the induction does not close

    def reached(self, steps):
        """(cover statements reached within that many steps, as {location: step}; locations of the others)"""
        if not self.covers:
            return {}, []
        text = self.abc("covers", f"bmc3 -a -F {steps}")
        if re.search(r"outputs are (found to be )?SAT|No output asserted", text):
            step = {int(output): int(frame)
                    for output, frame in re.findall(r"Output +(\d+) was asserted in frame +(\d+)", text)}
        else:
            step = self.reached_apart(steps)
        return ({self.covers[output]: frame for output, frame in step.items()},
                [where for output, where in enumerate(self.covers) if output not in step])

    def reached_apart(self, steps):
        """{number of a cover statement: step}, one after another: of some models (sib_table's) ABC 1.01 crashes in the
        search for all of them."""
        step = {}
        for output in range(len(self.covers)):
            text = self.abc("covers", f"cone -s -O {output}; bmc3 -F {steps}")
            found = re.search(r"Output 0 of miter .* was asserted in frame (\d+)\.", text)
            if found:
                step[output] = int(found.group(1))
            elif f"No output asserted in {steps} frames" not in text:
                raise self.no_verdict("yosys-abc", text)
        return step

    def smtbmc(self, trace, *arguments):
        vcd = self.folder / "trace.vcd"
        _, text = tools.run(["yosys-smtbmc", "-s", "z3", "--unroll", "--noprogress", *arguments, "--dump-vcd", str(vcd),
                             "model.smt2"], self.proof.block.name, self.folder, self.limit, check=False)
        status = re.search(r"Status: (\w+)", text)
        if status is None or status.group(1).upper() not in ("PASSED", "FAILED"):
            raise self.no_verdict("yosys-smtbmc", text)
        failed = [place(cell) for cell in re.findall(r"Assert failed in \S+: \S+ \((\S+)\)", text)]
        reached = re.findall(r"(?:Checking assertions in step|Trying induction in step) (\d+)", text)
        if trace is not None and vcd.is_file():
            trace.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(vcd, trace)
        return {"passed": status.group(1).upper() == "PASSED", "step": int(reached[-1]) if reached else None,
                "failed": failed}
