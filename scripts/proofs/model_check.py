"""Bounded model checking and induction with yosys-smtbmc and z3.

The model is brought down to gates before it becomes SMT-LIB, and smtbmc unrolls it step by step: z3 takes minutes to
read the same model as nested functions over words, and seconds like this."""

import pathlib
import re
import shutil
import tempfile

import tools

PREPARE = ["memory_map", "opt -full", "async2sync", "techmap", "opt -fast", "dffunmap", "abc -g AND,XOR,MUX",
           "opt_clean", "dffunmap"]


class Model:
    """The checker and the block in a folder of its own, as SMT-LIB; `bug`: with the block's seeded bug in it."""

    def __init__(self, proof, folder, bug=None, limit=None):
        self.proof, self.folder, self.limit = proof, folder, limit
        names = []
        for source in proof.sources:
            target = folder / source.name
            if bug is not None and source == bug.source:
                target.write_text(bug.text, encoding="utf-8")
            else:
                shutil.copyfile(source, target)
            names.append(source.name)
        script = [f'read_verilog -sv -formal "{name}"' for name in names] + [
            f"prep -top {proof.top} -flatten", "check -assert", *PREPARE, "write_smt2 -wires model.smt2"]
        (folder / "model.ys").write_text("\n".join(script) + "\n")
        code, text = tools.run(["yosys", "-q", "-s", "model.ys"], proof.block.name, folder, limit,
                               check=False)
        if code != 0:
            raise tools.Failure(f"{proof.block.name}: yosys refused the model:\n{tools.last_words(text)}")
        self.properties = len(re.findall(r"^; yosys-smt2-assert ", (folder / "model.smt2").read_text(), re.MULTILINE))
        if self.properties == 0:
            raise tools.Failure(f"{proof.block.name}: {proof.top} asserts nothing")

    def check(self, steps, induction=False, trace=None):
        """{"passed", "step" of the failure, "failed": the properties}. A failure's trace is written to `trace`."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            vcd = pathlib.Path(name) / "trace.vcd"
            _, text = tools.run(["yosys-smtbmc", "-s", "z3", "--unroll", "--noprogress", "-t", str(steps),
                                 "-i" if induction else "--presat", "--dump-vcd", str(vcd), "model.smt2"],
                                self.proof.block.name, self.folder, self.limit, check=False)
            status = re.search(r"Status: (\w+)", text)
            if status is None or status.group(1).upper() not in ("PASSED", "FAILED", "PREUNSAT"):
                raise tools.Failure(f"{self.proof.block.name}: yosys-smtbmc gave no verdict:\n{tools.last_words(text)}")
            if status.group(1).upper() == "PASSED":
                return {"passed": True, "step": None, "failed": []}
            if status.group(1).upper() == "PREUNSAT":
                raise tools.Failure(f"{self.proof.block.name}: the assumptions contradict each other, so that nothing "
                                    f"is proven:\n{tools.last_words(text)}")
            failed = re.findall(r"Assert failed in \S+: (\S+)", text)
            reached = re.findall(r"(?:Checking assertions in step|Trying induction in step) (\d+)", text)
            if trace is not None and vcd.is_file():
                trace.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(vcd, trace)
            return {"passed": False, "step": int(reached[-1]) if reached else None, "failed": failed}
