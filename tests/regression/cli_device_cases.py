"""Cases of cli_cases.py: heddle run --device gpu, with the stub driver of tests/card, and --device oracle."""

import contextlib
import json
import os
import signal
import subprocess
import time

import cli_kernels as kernels
from cli_command import ASSERTION, CYCLE_LIMIT, HANG, KERNEL_FAULT, MISMATCH, case, check, stats

INTERRUPTED = 130
ENDLESS = kernels.HEADER + """
.visible .entry wait(.param .u64 x)
{
  .reg .b64 %a; .reg .b32 %v; .reg .pred %p;
  ld.param.u64 %a, [x];
AGAIN:
  ld.volatile.global.u32 %v, [%a];
  setp.eq.u32 %p, %v, 0;
  @%p bra AGAIN;
  ret;
}
"""
VARIABLES = kernels.HEADER + """
.global .align 4 .b8 table[16];
.const .align 4 .b32 factor = 3;
.visible .entry fill(.param .u64 x)
{
  .reg .b64 %a, %o, %s; .reg .b32 %v, %t;
  ld.param.u64 %a, [x];
  mov.u32 %t, %tid.x;
  ld.const.u32 %v, [factor];
  mul.lo.u32 %v, %v, %t;
  mov.u64 %s, table;
  mul.wide.u32 %o, %t, 4;
  add.u64 %s, %s, %o;
  st.global.u32 [%s], %v;
  add.u64 %a, %a, %o;
  st.global.u32 [%a], %v;
  ret;
}
"""
EXTERNAL = kernels.HEADER + """
.extern .func elsewhere;
.visible .entry k(.param .u64 x) { call.uni elsewhere; ret; }
"""
TRANSACTION = kernels.HEADER + """
.extern .func tx_begin;
.extern .func tx_commit;
.visible .entry k(.param .u64 x) { call.uni tx_begin; call.uni tx_commit; ret; }
"""


@contextlib.contextmanager
def card(trouble=""):
    """The stub driver's card, in which something is wrong."""
    os.environ["HEDDLE_CUDA_LIBRARY"] = os.environ["HEDDLE_TEST_STUB_DRIVER"]
    os.environ["HEDDLE_STUB_DRIVER"] = trouble
    try:
        yield
    finally:
        del os.environ["HEDDLE_CUDA_LIBRARY"], os.environ["HEDDLE_STUB_DRIVER"]


def on_card(c, source, entry, *arguments, block="4", **expected):
    command = ["run", "--device", "gpu", "--ptx", c.file("kernel.ptx", source), "--entry", entry, "--grid", "1", "--block",
               block, *arguments]
    return c.refused(*command, **expected) if "says" in expected else c.run(*command, **expected)


@case
def device_gpu_runs_a_workload(c):
    with card():
        done = c.run("run", "bfs", "--size", "tiny", "--device", "gpu", "--check", "oracle", "--out", "result", "--per-launch")
    for text in ("bfs on Stub card (nvcc PTX, size tiny, seed 1)", "result          passed: ", "; oracle: ",
                 "compute capability 9.0, 2 multiprocessors, 1000 MHz at most; driver's CUDA 13.0", "time (us)", "host "):
        check(text in done.stdout, f"the report does not say '{text}'")
    found = stats(c.folder / "result")
    check(found["device"] == "gpu" and found["platform"] == "Stub card" and found["passed"], "stats.json: the header")
    check(found["card"]["driver_cuda"] == "13.0", "stats.json: the card")
    launches = found["total"]["launches"]
    check(launches > 2 and len(found["launches"]) == launches, "stats.json: the launches")
    check(abs(found["total"]["microseconds"] - 12.5 * launches) < 0.01, "stats.json: the time")
    check(sum(each["launches"] for each in found["kernels"]) == launches, "stats.json: the kernels")
    check(found["launches"][0]["grid"] == found["kernels"][0]["grid"], "stats.json: the shapes")
    host = json.loads((c.folder / "result" / "host.json").read_text())
    check(set(host["files"]) == {"report.txt", "stats.json"}, "host.json: the files")
    check(not (c.folder / "result" / "config.yaml").exists(), "a configuration of a card")


@case
def device_oracle_runs_a_workload(c):
    done = c.run("run", "bfs", "--size", "tiny", "--device", "oracle", "--out", "result")
    check("bfs on oracle" in done.stdout and "thread instr." in done.stdout, "the report")
    found = stats(c.folder / "result")
    check(found["device"] == "oracle" and found["total"]["thread_instructions"] > 1000, "stats.json")
    check("microseconds" not in found["total"], "the oracle has no time")
    c.run("run", "atm-tx", "--size", "tiny", "--device", "oracle")
    with card():
        c.run("run", "bh-build", "--size", "tiny", "--device", "gpu")  # its module has kernels with transactions as well
    c.run("run", "spinlock", "--size", "tiny", "--device", "oracle")


@case
def device_gpu_runs_a_kernel_of_ones_own(c):
    with card():
        done = on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", "--print", "x", "--print", "table:4xu32", "--dump",
                       "table=table.bin", "--check", "oracle")
    check("x = 0 3 6 9" in done.stdout and "table = 0 3 6 9" in done.stdout, "wrong memory")
    check("oracle: 1 buffer and 2 variables, 36 bytes, are the same" in done.stdout, "the comparison")
    check((c.folder / "table.bin").read_bytes()[4:8] == b"\3\0\0\0", "--dump")
    c.file("want.bin", b"\0\0\0\0\3\0\0\0\6\0\0\0\7\0\0\0")
    with card():
        on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", "--compare", "x=want.bin", code=MISMATCH)


@case
def device_gpu_is_compared_with_the_oracle(c):
    with card("flips"):
        done = on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", "--check", "oracle", code=MISMATCH)
    check("FAILED" in done.stdout and "on the oracle it is 0x" in done.stdout, "the difference is not named")


@case
def device_gpu_without_a_driver(c):
    os.environ["HEDDLE_CUDA_LIBRARY"] = "/nonexistent/libcuda.so.1"
    c.refused("run", "vecadd", "--device", "gpu", says=["CUDA driver: /nonexistent/libcuda.so.1 cannot be opened",
                                                        "HEDDLE_CUDA_LIBRARY names it"])
    os.environ["HEDDLE_CUDA_LIBRARY"] = "libm.so.6"
    c.refused("run", "vecadd", "--device", "gpu", says=["CUDA driver: libm.so.6 has no function cuInit", "Update the driver"])


@case
def device_gpu_without_a_card_or_with_an_old_driver(c):
    with card("no_device"):
        c.refused("run", "vecadd", "--device", "gpu", says=["there is no card: CUDA_ERROR_NO_DEVICE", "nvidia-smi"])
    with card("old"):
        c.refused("run", "vecadd", "--device", "gpu", says=["vecadd.nvcc.ptx", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
                                                            "update the driver"])
    with card("refuses"):
        c.refused("run", "vecadd", "--device", "gpu", says=["vecadd.nvcc.ptx", "CUDA_ERROR_INVALID_PTX",
                                                            "line 5; error   : Feature 'x' requires"])
    with card("small"):
        c.refused("run", "vecadd", "--size", "paper", "--device", "gpu", says=["allocation of '", "bytes do not fit", "of the card's 1048576 are free"])


@case
def device_gpu_reports_faults(c):
    with card():
        on_card(c, kernels.STORE, "store", "--arg", "buf=x:4xu32", "--arg", "u64=17179869184", code=KERNEL_FAULT,
                says=["launch of kernel store: CUDA_ERROR_ILLEGAL_ADDRESS", "The GPU model and the oracle name the thread"])
    for number, code, name in ((710, ASSERTION, "CUDA_ERROR_ASSERT"), (716, KERNEL_FAULT, "CUDA_ERROR_MISALIGNED_ADDRESS"),
                               (719, KERNEL_FAULT, "CUDA_ERROR_LAUNCH_FAILED")):
        with card(f"fails={number}"):
            on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", code=code, says=[f"launch of kernel fill: {name}"])
    with card("fails=702"):  # the driver's words for it are those that refused() takes for a crash
        done = on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", code=HANG)
    check("launch of kernel fill: CUDA_ERROR_LAUNCH_TIMEOUT" in done.stderr, "the error")


@case
def device_gpu_ends_a_launch_that_does_not_end(c):
    with card("never_ends"):
        on_card(c, ENDLESS, "wait", "--arg", "buf=x:4xu32", "--max-seconds", "0.2", code=CYCLE_LIMIT,
                says=["launch of kernel wait: has not ended in 0.2 seconds"])
        command = [c.heddle, "run", "--device", "gpu", "--ptx", "kernel.ptx", "--entry", "wait", "--grid", "1", "--block",
                   "4", "--arg", "buf=x:4xu32", "--out", "result"]
        with subprocess.Popen(command, cwd=c.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(1.5)
            run.send_signal(signal.SIGINT)
            out, _ = run.communicate(timeout=20)
    check(run.returncode == INTERRUPTED, f"exit code {run.returncode}")
    check("INCOMPLETE: interrupted (SIGINT) in launch 1 (wait) after 1." in out or "(wait) after 0." in out, out)
    check(stats(c.folder / "result")["complete"] is False, "stats.json is not marked as incomplete")


@case
def device_gpu_refuses_what_only_the_model_has(c):
    with card():
        for option in (["--set", "cores=4"], ["--platform", "tiny"], ["--max-cycles", "5"], ["--profile"],
                       ["--deterministic-check", "3"], ["--trace-tables", "t.json"], ["--trace-timeline", "t.json"],
                       ["--trace-control-flow", "t"]):
            for device in ("gpu", "oracle"):
                if device == "oracle" and option[0] in ("--set", "--platform"):
                    continue  # how matrix products are summed
                c.refused("run", "vecadd", "--device", device, *option,
                          says=[f"{option[0]} is of the GPU model and does not go with --device {device}"])
        on_card(c, TRANSACTION, "k", "--arg", "u64=0", code=2, says=["kernel 'k' has transactions, which no card has"])
        on_card(c, EXTERNAL, "k", "--arg", "u64=0", code=2, says=["function 'elsewhere' is of another module"])
        on_card(c, ".listing\n", "k", "--arg", "u64=0", code=2, says=["a card takes PTX"])
        on_card(c, VARIABLES, "fil", "--arg", "u64=0", code=2, says=["there is no kernel 'fil'; did you mean 'fill'?"])
    c.run("run", "vecadd", "--size", "tiny", "--device", "oracle", "--platform", "h100", "--set", "core.tensor_extra_bits=1")
    c.refused("run", "vecadd", "--max-seconds", "3", says=["--max-seconds goes with --device gpu only"])
    c.refused("run", "vecadd", "--device", "oracle", "--check", "oracle", says=["compares another device with the oracle"])
    c.refused("run", "vecadd", "--device", "card", says=["--device", "model", "gpu", "oracle"])


@case
def device_gpu_checks_launches(c):
    with card():
        on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", block="2048", code=2, says=["2048"])
        on_card(c, VARIABLES, "fill", "--arg", "buf=x:4xu32", "--shared", "100000", code=2, says=["100000 bytes of shared memory"])
        on_card(c, VARIABLES, "fill", code=2, says=["0 arguments given, but it has 1 parameter"])
        c.refused("run", "--device", "gpu", "--ptx", "kernel.ptx", "--entry", "fill", "--grid", "33", "--block", "1024",
                  "--cooperative", "--arg", "buf=x:33792xu32",
                  says=["a cooperative grid of 33 CTAs; at most 4 are resident at once (2 on each of 2 multiprocessors)"])
