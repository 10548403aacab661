"""Programs whose fat binaries have machine code."""
import re

from program_command import HERE, case, check

TEXTURES = ("array_bounds", "convolution", "surfaces", "texture_kinds", "texture_values")
# Programs of cu/ whose machine code differs in kind from their PTX, and the architectures for which it does.
OTHERS = {"byte_atomics": (75, 90), "recursion_and_shuffles": (75, 90), "rounding": (75,), "spilled_barriers": (75, 90), "waiting_lanes": (75, 90), "warp_masks": (90,)}


def compilations():
    """(name, nvcc's words, folder)."""
    alone = ["-cudart", "shared", "-gencode", "arch=compute_75,code=sm_75"]
    made = [("both", ["-cudart", "shared", "-arch=sm_75", "both.cu"], HERE / "both"), ("alone", [*alone, "both.cu"], HERE / "both"),
            ("left", ["-cudart", "shared", "-gencode", "arch=compute_75,code=compute_75", "left.cu"], HERE / "both"),
            ("shared_units", [*alone, "shared_units.cu"], HERE / "both"), ("gradients", ["-cudart", "shared", "-arch=sm_90", "gradients.cu"], HERE / "both"),
            ("all_shared", ["-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90", "all_shared.cu"], HERE / "both")]
    return made + [(f"{name}_{arch}", ["-cudart", "shared", "-gencode", f"arch=compute_{arch},code=sm_{arch}", f"{name}.cu"], HERE / "cu")
                   for name, archs in {**dict.fromkeys(TEXTURES, (75, 90)), **OTHERS}.items() for arch in archs]


@case
def nvcc_linked_objects_run_from_ptx_and_from_machine_code(b):
    program = b.program("linked")
    for keys in ((), ("--set", "runtime.code=machine_code")):
        check(b.cuda("--quiet", *keys, program).stdout == "104 108 258 96 cudaSuccess\n", f"wrong results with {keys}")


@case
def nvcc_machine_code_addresses_whole_units_of_shared_memory(b):
    program = b.program("shared_units")
    for device in ("model", "oracle"):
        check(b.cuda("--quiet", "--device", device, program).stdout == "4 5 3040 cudaSuccess\n", f"wrong results on the {device}")


@case
def nvcc_what_the_hardware_reserves_is_not_the_kernels(b):
    """228 KiB on a core: 1 KiB of each block is the hardware's, in the addresses of sm_90's machine code too."""
    program = b.program("all_shared")
    done = b.cuda("--quiet", "--platform", "h100", "--set", "dispatch.gpc.tpcs=", "--set", "runtime.code=machine_code", program)
    check(done.stdout == "232448 bytes, cudaSuccess, one more cudaErrorInvalidValue; own 0 and 400; 2 blocks of a half; 29056 cudaSuccess\n", f"{done.stdout} {done.stderr}")


@case
def nvcc_kernel_without_executable_machine_code_runs_from_ptx(b):
    """The variables of both codes are the same."""
    program = b.program("both")
    machine_code = ("--set", "runtime.code=machine_code")
    for device in ("model", "oracle"):
        for keys, line in (((), False), (machine_code, True)):
            done = b.cuda("--quiet", "--device", device, *keys, program)
            check(done.stdout == "printed 7 3.5 word\ncudaSuccess\n4032 206 0 35 400 12\n12832 19840 6\n", f"wrong results with {keys} on the {device}")
            said = re.findall(r"kernel (\w+) runs from PTX, since its machine code is not executed here: ", done.stderr)
            check([name for name in said if "texture" in name] == said and len(said) == line, f"it says {said}")
    done = b.cuda("--quiet", *machine_code, "--set", "runtime.ptx_fallback=false", program)
    check(done.stdout == "printed 7 3.5 word\ncudaErrorNotSupported\n4032 205 0 17 200 9\n12832 19840 6\n" and "texture" in done.stderr, f"not refused: {done.stdout} {done.stderr}")


@case
def nvcc_machine_that_issues_by_control_codes_refuses_ptx(b):
    """Of one kernel, whose machine code calls a function of the driver that is not modelled; the line says with what it runs. Only that kernel is
    refused."""
    program = b.program("gradients")
    h100 = ("--quiet", "--platform", "h100", "--set", "dispatch.gpc.tpcs=", "--set", "runtime.code=machine_code")
    line = "does not run from its PTX on a machine that issues by control codes; with core.scoreboard.kind=per_warp it does"
    done = b.cuda(*h100, program)
    check(done.stdout == "64 cudaSuccess\n0 cudaErrorNotSupported\n" and line in done.stderr, f"{done.stdout} {done.stderr}")
    done = b.cuda(*h100, "--set", "core.scoreboard.kind=per_warp", program)
    check(done.stdout == "64 cudaSuccess\n2016 cudaSuccess\n" and line not in done.stderr, f"{done.stdout} {done.stderr}")


@case
def nvcc_machine_code_alone_refuses_single_kernels(b):
    """The machine has what machine code needs, without a key; gradients of three dimensions refuse the launches of their kernels. printf, malloc and
    assert do not."""
    program = b.program("alone")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program, "assert", code=None)
        check(done.stdout == "printed 7 3.5 word\ncudaErrorNotSupported\n4032 205 0 17 200 9\n12832 19840 6\ncudaErrorAssert\n" and "texture" in done.stderr
              and "Assertion `number != 7` failed" in done.stderr, f"on the {device}: {done.stdout} {done.stderr}")


def print_the_same_from_machine_code(b, programs):
    """As from PTX, which the executables do not have."""
    for name, archs in programs.items():
        for arch in archs:
            program = b.program(f"{name}_{arch}")
            for device in ("model", "oracle"):
                done = b.cuda("--quiet", "--device", device, program)
                check(done.stdout == (HERE / "expected" / f"{name}.txt").read_text(), f"{name} of sm_{arch} on the {device}: {done.stdout} {done.stderr}")


@case
def nvcc_textures_in_machine_code(b):
    print_the_same_from_machine_code(b, dict.fromkeys(TEXTURES, (75, 90)))


@case
def nvcc_programs_in_machine_code(b):
    print_the_same_from_machine_code(b, OTHERS)


@case
def nvcc_best_code_is_that_of_the_machine_if_all_of_it_runs(b):
    """What is chosen is said, and is what the run is described by."""
    def chosen(name, *keys):
        done = b.cuda("--out", "out", "--set", "runtime.code=best", *keys, b.program(name))
        said = re.findall(r"PTX runs, no machine code: (.*)", done.stderr)
        code = re.search(r"^ *code: (\w+)", (b.folder / "out" / "config.yaml").read_text(), re.MULTILINE)
        return done.stdout, code and code[1], said

    same = "104 108 258 96 cudaSuccess\n"
    check(chosen("linked") == (same, "machine_code", []), f"{chosen('linked')}")
    output, code, said = chosen("both")
    check(output == "printed 7 3.5 word\ncudaSuccess\n4032 206 0 35 400 12\n12832 19840 6\n" and code == "ptx", f"{output} from {code}")
    check(len(said) == 1 and "texture" in said[0], f"it says {said}")
    output, code, said = chosen("linked", "--set", "runtime.compute_capability=90")
    check((output, code) == (same, "ptx") and "there is none for sm_90" in said[0], f"{output} from {code}, {said}")
    check(chosen("shared_units") == ("4 5 3040 cudaSuccess\n", "machine_code", []), f"{chosen('shared_units')}")
