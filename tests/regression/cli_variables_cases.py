"""Module-scope variables: printed, dumped, compared with files and with the oracle; constants and their limit."""

import struct

import cli_kernels as kernels
from cli_command import BAD_INPUT, MISMATCH, case, check

# y[i] = table[i] + 1, in place; out[i] = i. Compilers declare arrays as bytes.
TABLE = kernels.HEADER + """
.visible .global .align 4 .b8 table[32] = {0, 0, 128, 63, 0, 0, 0, 64};
.visible .global .s32 last = -7;
.visible .const .f32 half[2] = {0.5, 0.25};
.visible .global .b32 out[3] = {7, 8, 9};
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<3>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  mov.u64 %rd3, table;
  add.s64 %rd3, %rd3, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f1, %f1, 0f3F800000;
  st.global.f32 [%rd3], %f1;
  st.global.u32 [last], %r1;
  ret;
}
"""
RUN = ("--arg", "buf=out:8xu32")
TABLE_AFTER = [2, 3, *[1] * 6]


def table(c, *arguments, **expected):
    return c.ptx(TABLE, "k", *RUN, *arguments, block="8", **expected)


@case
def variables_are_printed_and_dumped(c):
    done = table(c, "--print", "table:3xf32", "--print", "table:4", "--print", "last", "--print", "half:1xu32", "--print", "half",
                 "--dump", "table=table.bin", "--check", "oracle")
    for line in ("table = 2 3 1 ...", "table = 0 0 0 64 ...", "last = 7", "half = 1056964608 ...", "half = 0.5 0.25"):
        check(f"  {line}\n" in done.stdout, f"--print does not show '{line}'")
    check((c.folder / "table.bin").read_bytes() == struct.pack("<8f", *TABLE_AFTER), "--dump wrote something else")
    check("oracle: 1 buffer and 4 variables, 88 bytes, are the same" in done.stdout, "the oracle was not asked about variables")
    done = table(c, "--print", "out", "--print", "out:2xs16")
    check("  out = 0 1 2 3 4 5 6 7\n" in done.stdout, "a buffer does not hide the variable of its name")
    check("  out = 0 0 ...\n" in done.stdout, "elements of a buffer have no other type")


@case
def variables_are_compared_with_files(c):
    c.file("want.bin", struct.pack("<8f", *TABLE_AFTER))
    c.file("near.bin", struct.pack("<8f", *(x * (1 + 1e-6) for x in TABLE_AFTER)))
    done = table(c, "--compare", "table=want.bin")
    check("'table' equals 'want.bin'" in done.stdout, "no verdict")
    done = table(c, "--compare", "table=near.bin,rel=1e-5,type=f32")
    check("'table' equals 'near.bin' within abs=0, rel=1e-05" in done.stdout, "no verdict")
    done = table(c, "--compare", "table=near.bin,type=f32", code=MISMATCH)
    check("table[0] is 2, 'near.bin' has 2.000002" in done.stdout, "elements of type= are not shown")
    c.file("last.bin", struct.pack("<i", 6))
    done = table(c, "--compare", "last=last.bin", code=MISMATCH)
    check("last[0] is 7, 'last.bin' has 6" in done.stdout, "the variable's own type is not used")


@case
def bad_names_and_types_of_variables(c):
    def refused(*arguments, says):
        table(c, *arguments, code=BAD_INPUT, says=says)

    c.file("want.bin", struct.pack("<8f", *TABLE_AFTER))
    for option, value in (("--print", "tabel"), ("--dump", "tabel=t.bin"), ("--compare", "tabel=want.bin")):
        refused(option, value, says=[f"{option} {value}: there is no buffer and no variable 'tabel'",
                                     "buffers: out; variables of the module: table, last, half, out"])
    refused("--print", "table:xf32", says=["--print table:xf32: expected NAME, NAME:COUNT or NAME:COUNTxTYPE"])
    refused("--print", "table:4xf16", says=["--print table:4xf16: 'f16' is not an element type", "u8 s8"])
    refused("--compare", "table=want.bin,type=q7", says=["'q7' is not an element type"])
    refused("--compare", "table=want.bin,abs=1", says=["'table' holds u8, and a tolerance is for f32 and f64", "type=f32"])
    refused("--compare", "last=want.bin,type=u64", says=["the 4 bytes of 'last' are no whole number of u64"])
    refused("--compare", "last=want.bin", says=["'want.bin' has 32 bytes, the variable has 4"])


@case
def the_oracle_sees_what_variables_hold(c):
    source = TABLE.replace("st.global.u32 [last], %r1;", "mov.u32 %r2, %clock; st.global.u32 [last], %r2;")
    done = c.ptx(source, "k", *RUN, "--check", "oracle", block="8", code=MISMATCH)
    check("of variable 'last' is 0x" in done.stdout and "FAILED" in done.stdout, "a variable that differs is not named")


@case
def the_lock_of_128_bit_atomics_is_no_variable(c):
    source = TABLE.replace(".visible .entry", ".global .align 16 .b64 wide[2];\n.visible .entry").replace(
        "  ret;", "  .reg .b128 %q; mov.u64 %rd4, 5; mov.b128 %q, {%rd4, %rd4}; atom.global.exch.b128 %q, [wide], %q;\n  ret;")
    done = c.ptx(source, "k", *RUN, "--print", "wide", "--check", "oracle", block="8")
    check("  wide = 5 5\n" in done.stdout, "the atomic has not stored")
    check("oracle: 1 buffer and 5 variables, 104 bytes, are the same" in done.stdout, "the lock is compared as well")


@case
def more_than_64_kib_of_constants(c):
    source = kernels.STORE.replace(".visible .entry", ".const .b8 big[65536];\n.visible .entry", 1)
    more = ("--arg", "buf=x:8xu32", "--arg", "u64=0")
    c.ptx(source, "store", *more, block="8")
    line = source[:source.index(".const")].count("\n") + 1
    for run in ([], ["--check", "oracle"]):
        c.ptx(source.replace("65536", "65537"), "store", *more, *run, block="8",
              says=[f"kernel.ptx:{line}:12: with 'big' the .const variables of the module take 65537 bytes, of 65536 (64 KiB)",
                    "__device__ const"])


@case
def the_oracle_sees_the_variables_of_workloads(c):
    for workload, says in (("aes", "3 buffers and 1 variable, 9200 bytes, are the same"),
                           ("dispatch", "are the same (4 addresses by what they point to)"),
                           ("histogram256", "not compared with the oracle: it relies on lanes that execute together"),
                           ("racey", "not compared with the oracle: its memory depends on a legal race")):
        done = c.run("run", workload, "--platform", "tiny", "--size", "tiny", "--check", "oracle")
        check(says in done.stdout, f"{workload} does not say '{says}'")
