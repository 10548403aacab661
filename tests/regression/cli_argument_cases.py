"""Structs by value, buffers that only structs point to, and tolerances of --compare."""

import math
import struct

import cli_kernels as kernels
from cli_command import BAD_INPUT, MISMATCH, case, check, stats


def axpy(c, *arguments, **expected):
    """y[i] += a * x[i] with {float a; unsigned n; const float* x;} by value."""
    return c.ptx(kernels.AXPY, "axpy", "--buffer", "x:32xf32:iota", "--arg", "buf=y:32xf32:const=1", *arguments, **expected)


@case
def struct_by_value(c):
    c.file("want.bin", struct.pack("<32f", *(1 + 2.5 * i if i < 20 else 1 for i in range(32))))
    done = axpy(c, "--arg", "struct=f32:2.5,u32:20,ptr:x", "--compare", "y=want.bin", "--check", "oracle", "--out", "result")
    check("'y' equals 'want.bin'" in done.stdout and "oracle: 2 buffers" in done.stdout, "wrong results")
    check(stats(c.folder / "result")["buffers"] == ["x:32xf32:iota"], "--buffer is not in stats.json")
    c.file("want.bin", struct.pack("<32f", *(1 + 2.5 * (i + 4) if i < 20 else 1 for i in range(32))))
    axpy(c, "--arg", "struct=f32:2.5,u32:20,ptr:x+16", "--compare", "y=want.bin")
    axpy(c, "--arg", "struct=hex:00002040,hex:14000000,align:8,ptr:x+16", "--compare", "y=want.bin")
    check("buffers" not in stats_of_scale(c), "stats.json names buffers where there are none")


def stats_of_scale(c):
    c.scale("--out", "scaled")
    return stats(c.folder / "scaled")


@case
def struct_as_bytes(c):
    raw = struct.pack("<fIQ", 2.5, 0, 0)
    done = axpy(c, "--arg", f"hex={raw.hex()}", "--print", "y:2")
    check("y = 1 1 ..." in done.stdout, "wrong results")
    c.file("struct.bin", raw)
    axpy(c, "--arg", "file=struct.bin", "--print", "y:2")


@case
def bad_structs(c):
    def refused(argument, *says):
        axpy(c, "--arg", argument, code=BAD_INPUT, says=[f"--arg {argument}: ", *says])

    refused("struct=f32:2.5,ptr:x,u32:20", "the struct has 24 bytes (f32 at 0, ptr at 8, u32 at 16)",
            "parameter 2 (axpy_p) of kernel axpy has 16", "pad:N and align:N")
    refused("struct=f32:2.5", "has 4 bytes (f32 at 0)")
    refused("hex=0011", "the struct has 2 bytes, parameter 2", "give as many bytes")
    refused("struct=f32:2.5,u32:20,ptr:z", "there is no buffer 'z'", "--buffer NAME:SIZE")
    refused("struct=f32:2.5,u32:20,ptr:x+128", "outside the buffer, which has 128 bytes")
    refused("struct=f32:2.5,u32:-1,ptr:x", "'-1' is not a value of type u32")
    refused("struct=f32:2.5,,ptr:x", "'' is not a field", "TYPE:VALUE")
    refused("struct=f32:2.5,i32:7,ptr:x", "unknown kind of field 'i32'", "u32")
    refused("hex=001", "is not bytes in hexadecimal", "two digits")
    refused("file=absent.bin", "cannot read 'absent.bin'", "No such file")
    refused("file=.", "is a directory")
    refused("file=/dev/zero", "too large", "32764")
    c.refused("run", "vecadd", "--buffer", "x:4", says=["--buffer goes with --ptx or --cubin only"])
    axpy(c, "--buffer", "x:4", "--arg", "struct=f32:1,u32:2,ptr:x", code=BAD_INPUT,
         says=["--buffer x:4: there is a buffer 'x' already"])
    axpy(c, "--buffer", "4", "--arg", "struct=f32:1,u32:2,ptr:x", code=BAD_INPUT, says=["--buffer 4: ", "NAME:SIZE[:FILL]"])


@case
def compare_with_a_tolerance(c):
    near = [2.5 * i * (1 + 1e-5) for i in range(100)]
    c.file("near,1.bin", struct.pack("<100f", *near))
    done = c.scale("--compare", "y=near,1.bin", code=MISMATCH)
    check("y[1] is 2.5, 'near,1.bin' has 2.500025; y[2] is 5," in done.stdout, "the first differences are not named")
    check("y[5]" not in done.stdout and "99 of 100 elements differ" in done.stdout, "all are listed, or not counted")
    done = c.scale("--compare", "y=near,1.bin,rel=2e-5", "--out", "result")
    check("'y' equals 'near,1.bin' within abs=0, rel=2e-05 (largest difference 0.00247" in done.stdout, "no verdict")
    c.scale("--compare", "y=near,1.bin,abs=0.0025")
    done = c.scale("--compare", "y=near,1.bin,abs=0.001", code=MISMATCH)
    check("differ by more than abs=0.001, rel=0" in done.stdout, "the tolerance is not named")
    c.scale("--compare", "y=near,1.bin,abs=0.0001,rel=9e-6", code=MISMATCH)
    c.scale("--compare", "y=near,1.bin,rel=9.7e-6,abs=0.0001")


@case
def compare_of_special_values(c):
    values = [2.5 * i for i in range(100)]
    for special in (math.nan, math.inf):
        c.file("want.bin", struct.pack("<100f", *values[:3], special, *values[4:]))
        done = c.scale("--compare", "y=want.bin,abs=1e30,rel=1", code=MISMATCH)
        check(f"y[3] is 7.5, 'want.bin' has {special}; 1 of 100" in done.stdout, f"{special} equals a number")
    # NaN times 2.5 is NaN; the file's has another payload.
    c.file("x.bin", struct.pack("<3I", 0x7f800000, 0x7fc00000, 0xff800000))
    c.file("want.bin", struct.pack("<3I", 0x7f800000, 0x7fc12345, 0xff800000))
    command = ["--arg", "buf=x:3xf32:file=x.bin", "--arg", "buf=y:3xf32", "--arg", "f32=2.5", "--arg", "u32=3"]
    c.ptx(kernels.SCALE, "scale", *command, "--compare", "y=want.bin,abs=0")
    done = c.ptx(kernels.SCALE, "scale", *command, "--compare", "y=want.bin", code=MISMATCH)
    check("y[1] is nan (bits 0x" in done.stdout and "has nan (bits 0x7fc12345)" in done.stdout, "the bits are not shown")


@case
def bad_tolerances(c):
    c.file("want.bin", bytes(400))
    for bad in ("abs=", "abs=-1", "rel=x", "abs=nan", "rel=inf"):
        c.scale("--compare", f"y=want.bin,{bad}", code=BAD_INPUT,
                says=[f"--compare y=want.bin,{bad}", "is not a tolerance", "at least 0"])
    c.scale("--compare", "y,abs=1", code=BAD_INPUT, says=["expected NAME=PATH[,abs=X][,rel=Y]"])
    c.file("bytes.bin", bytes(32))
    c.ptx(kernels.STORE, "store", "--arg", "buf=x:8xu32", "--arg", "u64=0", "--compare", "x=bytes.bin,abs=1", block="8",
          code=BAD_INPUT, says=["'x' holds u32, and a tolerance is for f32 and f64"])
