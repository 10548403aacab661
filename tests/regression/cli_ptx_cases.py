"""Cases of cli_cases.py: kernels in PTX files, their arguments, and what they must not do."""

import pathlib
import struct

import cli_kernels as kernels
from cli_command import ASSERTION, KERNEL_FAULT, MISMATCH, case, check, stats

CUDA = pathlib.Path(__file__).resolve().parents[1] / "data" / "cuda"


@case
def own_kernel_prints_dumps_and_compares(c):
    want = struct.pack("<100f", *(2.5 * i for i in range(100)))
    c.file("want.bin", want)
    done = c.scale("--print", "y:4", "--dump", "y=y.bin", "--compare", "y=want.bin", "--check", "oracle", "--out",
                   "result")
    check("y = 0 2.5 5 7.5 ..." in done.stdout, "--print does not show the elements")
    check((c.folder / "y.bin").read_bytes() == want, "--dump wrote something else")
    check("'y' equals 'want.bin'" in done.stdout, "--compare is not in the report")
    check("oracle: 2 buffers" in done.stdout, "--check oracle is not in the report")
    check(stats(c.folder / "result")["entry"] == "scale", "the kernel's name is not in stats.json")


@case
def own_kernel_that_differs_exits_with_1(c):
    values = [2.5 * i for i in range(100)]
    values[17] = 3
    c.file("want.bin", struct.pack("<100f", *values))
    done = c.scale("--compare", "y=want.bin", code=MISMATCH)
    check("y[17] is 42.5, 'want.bin' has 3" in done.stdout, "the difference is not named")


@case
def own_kernel_takes_files_and_references(c):
    c.file("x.bin", struct.pack("<8I", *range(8)))
    done = c.ptx(kernels.STORE, "store", "--arg", "buf=x:16xu32:const=9", "--arg", "u64=0", "--print", "x", block="4")
    check("x = 0 1 2 3 9 9" in done.stdout, "wrong memory")
    done = c.ptx(kernels.SCALE, "scale", "--arg", "buf=x:8xu32:file=x.bin", "--arg", "ref=x+16", "--arg", "f32=0",
                 "--arg", "u32=2", "--print", "x", block="32")
    check("x = 0 1 2 3 0 0 6 7" in done.stdout, "wrong memory")


@case
def approximations_are_rounded_or_those_of_a_card(c):
    text = kernels.HEADER + """
.entry k(.param .u64 out) {
  .reg .f32 %f<3>; .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.global.f32 %f1, [%rd];
  rcp.approx.f32 %f2, %f1;
  st.global.f32 [%rd], %f2;
  ret;
}
"""
    c.file("x.bin", struct.pack("<I", 0x42FF0000))
    for value, last_bits in (("rounded", 1006665857), ("mufu", 1006665856)):
        done = c.ptx(text, "k", "--arg", "buf=x:1xu32:file=x.bin", "--print", "x", "--set",
                     f"core.approximations={value}", block="1")
        check(f"x = {last_bits}" in done.stdout, f"rcp.approx with {value}: {done.stdout}")


# ---- bad input


@case
def missing_ptx_file(c):
    c.refused("run", "--ptx", "none.ptx", "--entry", "k", "--grid", "1", "--block", "1", says=["none.ptx"])


@case
def malformed_ptx(c):
    c.ptx(kernels.MALFORMED, "broken", "--arg", "u64=0", says=["kernel.ptx:8:", "mov.u32 %r1, ;", "^"])
    c.ptx("", "broken", says=["kernel.ptx"])
    c.ptx(bytes(range(256)).decode("latin-1"), "broken", says=["kernel.ptx"])


@case
def machine_code_is_no_ptx(c):
    cubin = "\x7fELF\x02\x01\x01" + "\0" * 57
    c.ptx(cubin, "k", says=["kernel.ptx: this is machine code, not PTX", "--cubin"])


@case
def cuda_source_is_no_ptx(c):
    c.file("scale.cu", "extern \"C\" __global__ void scale(float* x) {}\n")
    c.refused("run", "--ptx", "scale.cu", "--entry", "scale", "--grid", "1", "--block", "32",
              says=["scale.cu: this is CUDA source, not PTX", "nvcc -arch=sm_75 -O3 -ptx"])


@case
def unsupported_ptx(c):
    c.ptx(kernels.UNSUPPORTED, "fancy", "--arg", "u64=0", says=["kernel.ptx:8", "frobnicate"])


@case
def missing_entry(c):
    c.ptx(kernels.SCALE, "scales", says=["scales", "scale"])
    path = c.file("kernel.ptx", kernels.SCALE)
    c.refused("run", "--ptx", path, "--grid", "1", "--block", "32", says=["--entry", "scale"])


@case
def missing_grid_or_block(c):
    path = c.file("kernel.ptx", kernels.SCALE)
    c.refused("run", "--ptx", path, "--entry", "scale", "--block", "1", says=["--grid is missing"])
    c.refused("run", "--ptx", path, "--entry", "scale", "--grid", "1", says=["--block is missing"])


@case
def wrong_number_of_arguments(c):
    c.ptx(kernels.SCALE, "scale", "--arg", "buf=x:4", says=["scale", "1 argument", "4 parameters"])
    c.ptx(kernels.STORE, "store", "--arg", "buf=x:4", "--arg", "u64=0", "--arg", "u64=0", says=["3 arguments", "2 par"])


@case
def wrong_size_of_an_argument(c):
    c.ptx(kernels.STORE, "store", "--arg", "buf=x:128", "--arg", "u32=0", says=["argument 2", "4 bytes", "8"])


@case
def malformed_arguments(c):
    for argument, words in {"u32=x": "not a value of type u32", "buf=x": "NAME:SIZE", "x": "TYPE=VALUE",
                            "buf=x:4:file=none.bin": "No such file", "ref=y": "no buffer 'y'",
                            "buf=x:1000000000000": "too large"}.items():
        c.ptx(kernels.STORE, "store", "--arg", argument, "--arg", "u64=0", says=[f"--arg {argument}", words])


@case
def bad_grid(c):
    for grid, words in {"0": "dimension is 0", "1,0": "dimension is 0", "x": "whole number", "1,1,1,1": "X,Y,Z",
                        "2147483648": "exceeds", "1,65536": "exceeds"}.items():
        c.scale(grid=grid, says=["grid", words])


@case
def bad_block(c):
    for block, words in {"0": "dimension is 0", "1025": "1025", "32,64": "2048 threads", "1,1,65": "exceeds"}.items():
        c.scale(block=block, says=["block", words])


@case
def too_much_shared_memory(c):
    c.scale("--shared", "1000000", says=["shared memory", "1000000"])


@case
def bad_dump_compare_and_print(c):
    c.scale("--dump", "z=z.bin", says=["--dump z=z.bin", "no buffer and no variable 'z'", "buffers: x, y"])
    c.scale("--dump", "y", says=["--dump y: expected NAME=PATH"])
    c.scale("--dump", "y=none/y.bin", says=["--dump y=none/y.bin", "cannot write"])
    c.scale("--compare", "y=none.bin", says=["--compare y=none.bin", "cannot read"])
    c.file("short.bin", b"1234")
    c.scale("--compare", "y=short.bin", says=["4 bytes", "400"])
    c.scale("--print", "z", says=["--print z", "no buffer and no variable 'z'"])
    c.scale("--print", "y:x", says=["--print y:x", "NAME:COUNT"])


# ---- illegal actions


@case
def out_of_bounds_access(c):
    c.ptx(kernels.STORE, "store", "--arg", "buf=x:128", "--arg", "u64=128", code=KERNEL_FAULT,
          says=["kernel.ptx:15", "store", "thread", "'x'"])
    c.ptx(kernels.STORE, "store", "--arg", "u64=0", "--arg", "u64=0", code=KERNEL_FAULT, says=["kernel.ptx:15"])


@case
def misaligned_access(c):
    c.ptx(kernels.STORE, "store", "--arg", "buf=x:256", "--arg", "u64=2", code=KERNEL_FAULT,
          says=["kernel.ptx:15", "aligned"])


# ---- what CUDA offers beyond instructions


@case
def grid_barrier_takes_a_cooperative_launch(c):
    source = (CUDA / "grid_sync.nvcc.ptx").read_text()
    arguments = ("--arg", "buf=a:256xs32", "--arg", "buf=b:256xs32", "--print", "b:2")
    done = c.ptx(source, "grid_sync", *arguments, "--cooperative", "--check", "oracle", grid="4", block="64")
    check("b = 766765 763762" in done.stdout, "wrong memory")
    check("oracle: 2 buffers" in done.stdout, "not compared with the oracle")
    c.ptx(source, "grid_sync", *arguments, grid="4", block="64", code=KERNEL_FAULT,
          says=["executed trap", "cooperative launch", "--cooperative"])
    c.ptx(source, "grid_sync", "--arg", "buf=a:64xs32", "--arg", "buf=b:64xs32", "--cooperative", grid="9", block="64",
          says=["a cooperative grid of 9 CTAs; at most 8 are resident at once", "launch at most 8 CTAs"])


@case
def failed_assertion_exits_with_9(c):
    c.ptx((CUDA / "heap.nvcc.ptx").read_text(), "asserts", "--arg", "buf=values:32xs32:const=100", block="2",
          code=ASSERTION, says=["heap.cu:69: void asserts(const int *): block: [0,0,0], thread: [0,0,0] Assertion "
                                "`values[threadIdx.x] < 100` failed.", "thread: [1,0,0] Assertion"])


@case
def heap_is_the_platforms(c):
    source = (CUDA / "heap.nvcc.ptx").read_text()
    done = c.ptx(source, "exhaust", "--arg", "u64=1024", "--arg", "buf=count:1xs32", "--print", "count", "--set",
                 "heap_kib=5", "--check", "oracle", block="1")
    check("count = 5\n" in done.stdout, "not the heap's size")
    c.ptx(source, "twice", "--arg", "buf=out:1xu64", block="1", code=KERNEL_FAULT, says=["frees 0x", "freed already"])
