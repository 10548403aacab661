"""heddle disasm: machine code as text."""

import json
import pathlib

from cli_command import BAD_INPUT, case, check

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "sass"
FAT = ROOT / "tests" / "fuzz" / "corpus" / "sass"


@case
def disasm_prints_what_nvdisasm_prints(c):
    for name in ("vecadd", "dispatch"):
        done = c.run("disasm", DATA / f"{name}.cubin")
        check(done.stdout == (DATA / f"{name}.listing").read_text(), f"{name} differs from nvdisasm's listing")
        check(done.stderr == "", "something was printed to stderr")


@case
def disasm_prints_one_kernel_with_its_words(c):
    done = c.run("disasm", DATA / "vecadd.cubin", "--kernel", "vector_add", "--hex")
    check("vector_add4" not in done.stdout, "another kernel is in the listing")
    lines = done.stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if "/*0000*/" in line)
    check("LDC R1, c[0x0][0x28] ;" in lines[first] and lines[first].endswith("/* 0x00000a00ff017b82 */"), lines[first])
    check(lines[first + 1].strip() == "/* 0x000fe20000000800 */", lines[first + 1])
    check(lines[first].index("/* 0x") == lines[first + 1].index("/* 0x"), "the words are not in one column")


@case
def disasm_reads_fat_binaries(c):
    kernels = set()
    for name in ("plain.fatbin", "zstd.fatbin"):
        done = c.run("disasm", FAT / name)
        check(done.stdout == (DATA / "reduction.listing").read_text(), f"{name} has another listing")
        kernels.add(done.stdout)
    check(len(kernels) == 1, "compression changes the listing")


@case
def disasm_as_json_has_operands_and_control_fields(c):
    done = json.loads(c.run("disasm", DATA / "vecadd.cubin", "--kernel", "vector_add4", "--json").stdout)
    check([module["sm"] for module in done["modules"]] == [90], "not one module for sm_90")
    kernel, = done["modules"][0]["kernels"]
    check(kernel["name"] == "vector_add4" and kernel["entry"] and kernel["parameter_base"] == 0x210, "another kernel")
    check([p["size"] for p in kernel["parameters"]] == [8, 8, 8, 4], f"parameters: {kernel['parameters']}")
    by_offset = {each["offset"]: each for each in kernel["instructions"]}
    # /*0100*/ LDG.E.128 R12, desc[UR4][R2.64]: sets scoreboard 3
    ldg = by_offset[0x100]
    check(ldg["text"] == "LDG.E.128 R12, desc[UR4][R2.64]" and ldg["opcode"] == "LDG.E.128", f"{ldg}")
    address = next(each for each in ldg["operands"] if each["role"] == "address")
    check(address["kind"] == "address" and address["number"] == 2 and address["uniform"] == 4 and address["descriptor"]
          and address["wide"] and address["value"] == 0, f"{address}")
    check(ldg["modifiers"]["size"] == 6, f"{ldg['modifiers']}")
    check(ldg["control"] == {"stall": 1, "yield": True, "write": 3, "read": None, "wait": []}, f"{ldg['control']}")
    check(by_offset[0xa0]["guard"] == "@P0", "EXIT has no guard")
    check(ldg["word"] == ["00000004020c7981", "000ee2000c1e1d00"], f"{ldg['word']}")


@case
def disasm_refuses_what_it_cannot_read(c):
    cubin = (DATA / "vecadd.cubin").read_bytes()
    c.refused("disasm", "missing.cubin", says=["missing.cubin"])
    c.refused("disasm", c.file("text.ptx", ".version 8.0\n"), says=["text.ptx", "neither a cubin nor a fat binary", "nvcc -cubin"])
    c.refused("disasm", c.file("cut.cubin", cubin[:3000]), says=["cut.cubin", "program headers", "damaged or cut off"])
    c.refused("disasm", DATA / "vecadd.cubin", "--kernel", "vector_ad", says=["--kernel", "vector_ad", "vector_add"])
    c.refused("disasm", DATA / "vecadd.cubin", "--hex", "--json", says=["--json"])
    other = bytearray(cubin)
    other[49] = 86
    c.refused("disasm", c.file("other.cubin", bytes(other)), says=["the machine code is for sm_86", "-arch=sm_75"])


@case
def disasm_marks_what_it_cannot_decode(c):
    cubin = bytearray((DATA / "vecadd.cubin").read_bytes())
    cubin[0x880 + 0x15] ^= 0xff  # an operation that no table has, at 0x10 of the first kernel
    cubin[0x880 + 0x10:0x880 + 0x12] = b"\xff\x0f"
    done = c.run("disasm", c.file("odd.cubin", bytes(cubin)), code=BAD_INPUT)
    check(done.stderr.startswith("heddle: error: ") and "kernel vector_add4: the instruction at 0x10 (word " in done.stderr,
          "the error does not name kernel, offset and word")
    check("cannot be decoded" in done.stderr, "the error does not say why")
    good = (DATA / "vecadd.listing").read_text().splitlines()
    lines = done.stdout.splitlines()
    differ = [i for i, (a, b) in enumerate(zip(good, lines)) if a != b]
    check(len(lines) == len(good) and len(differ) == 1, f"{len(differ)} lines differ")
    check("/*0010*/" in lines[differ[0]] and "there is no form" in lines[differ[0]], lines[differ[0]])
