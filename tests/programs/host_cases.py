"""What host programs do around their kernels."""
import os
import pathlib
import sys

from program_command import HERE, SKIPPED, case, check


def compilations():
    """(name, nvcc's words, folder)."""
    words = ["-cudart", "shared", "-gencode", "arch=compute_75,code=compute_75"]
    return [("host", [*words, "host.cu", "-ldl"], HERE / "host"), ("libplugin.so", [*words, "-shared", "-Xcompiler", "-fPIC", "plugin.cu"], HERE / "host"),
            ("per_thread", [*words, "-default-stream", "per-thread", "per_thread.cu"], HERE / "host")]


BEFORE = "before main cudaSuccess\n"
REFUSED = "cudaErrorNotPermitted"


def behind(sum_, code="cudaSuccess"):
    return f"at exit {code}\nbehind main {code} {sum_} {code}\n"


@case
def nvcc_objects_use_the_device_before_main_and_behind_it(b):
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, b.program("host"))
        check(done.stdout == BEFORE + "at a thread's end cudaSuccess\n" + behind(160), f"on the {device}")


@case
def nvcc_host_function_that_waits_for_itself_has_an_error(b):
    """Its end of the program ends the program, too."""
    done = b.cuda("--quiet", b.program("host"), "inside")
    check(done.stdout == BEFORE + f"{' '.join([REFUSED] * 6)}\ncudaSuccess cudaErrorNotReady\ncudaSuccess\n" + behind(224), "wrong output")
    done = b.cuda("--quiet", b.program("host"), "exit", code=3)
    check(done.stdout == BEFORE + behind(0, REFUSED), "wrong output")


@case
def nvcc_program_forks_and_loads_libraries(b):
    """A child has a device of its own, of the same command, also where the program has cleared its environment; a library that is loaded again has fresh variables."""
    for what in ("fork", "cleared"):
        done = b.cuda("--quiet", b.program("host"), what)
        check(done.stdout == BEFORE + "child cudaSuccess 32\nparent cudaSuccess 32\n" + behind(160) and done.stderr == "", f"wrong output: {done}")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, b.program("host"), "plugin", b.program("libplugin.so"))
        check(done.stdout == BEFORE + "15\n16\n" + behind(160), f"on the {device}")


@case
def nvcc_threads_have_default_streams(b):
    for device, keys in (("model", ()), ("oracle", ()), ("model", ("--set", "runtime.concurrent_streams=true"))):
        check(b.cuda("--quiet", "--device", device, *keys, b.program("per_thread")).stdout == "64 64\n", f"wrong results on the {device} with {keys}")


@case
def nvcc_program_that_compiles_while_it_runs(b):
    """With NVIDIA's compiler library, where there is one."""
    b.program("host")
    done = b.run([b.nvcc, "-cudart", "shared", "-o", "compiles", HERE / "driver" / "compiles.cpp", "-lnvrtc", "-lcuda"], code=None)
    if done.returncode != 0 and "nvrtc" in done.stderr:
        sys.exit(SKIPPED)
    check(done.returncode == 0, "it does not compile")
    libraries = pathlib.Path(os.path.realpath(b.nvcc)).parent.parent / "lib64"
    for device in ("model", "oracle"):
        done = b.run([b.heddle, "cuda", "--quiet", "--set", "cores=4", "--device", device, "./compiles"],
                     environment={"LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"})
        check(done.stdout == "21 28 35\nerror in line 1\n", f"on the {device}")
