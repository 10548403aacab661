#!/usr/bin/python3
"""CUDA programs on heddle cuda. A program of cu/ prints the same on the model and on the oracle: what expected/ has.

program_cases.py --list prints the names of the cases; program_cases.py --heddle PATH ... CASE runs one."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import host_cases
import machine_code_cases
from program_command import CASES, ENDS_WITH, FEW_CORES, HERE, SKIPPED, Bench, case, check
from source_groups import PROGRAMS, arch_of, group_source, groups


@case
def compile(b):
    """All that need nvcc, as PTX; `linked` with machine code as well."""
    if not b.nvcc or "NOTFOUND" in b.nvcc:
        sys.exit(SKIPPED)
    b.built.mkdir(parents=True, exist_ok=True)
    work = []
    for number, (names, headers) in enumerate(groups()):
        source, target = HERE / "cu" / f"{names[0]}.cu", names[0]
        if len(names) > 1:
            target = f"group_{number}"
            source = b.built / f"{target}.cu"
            text = group_source(names, headers)
            if not source.exists() or source.read_text() != text:
                source.write_text(text)
            for name in names:
                (b.built / name).unlink(missing_ok=True)
                (b.built / name).symlink_to(target)
        elif (b.built / target).is_symlink():  # it was in a group
            (b.built / target).unlink()
        arch = arch_of(names[0])
        work.append((target, [b.nvcc, "-cudart", "shared", "-Xcompiler", "-Werror=return-type", "-I", HERE / "cu",
                              "-gencode", f"arch=compute_{arch},code=compute_{arch}", "-o", b.built / target, source], HERE / "cu"))
    work.append(("linked", [b.nvcc, "-cudart", "shared", "-rdc=true", "-o", b.built / "linked", "first.cu", "second.cu"],
                 HERE / "linked"))
    work.append(("nested", [b.nvcc, "-cudart", "shared", "-rdc=true", "-o", b.built / "nested", "nested.cu"], HERE / "linked"))
    for name in ("driver", "objects", "ranges"):
        work.append((name, [b.nvcc, "-cudart", "shared", "-o", b.built / name, f"{name}.cpp", "-lcuda"], HERE / "driver"))
    work.append(("libraries", [b.nvcc, "-cudart", "shared", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", "-o", b.built / "libraries", "libraries.cpp", "-lcuda"],
                 HERE / "driver"))
    static = b.run([b.heddle, "cuda", "--runtime-folder"]).stdout.strip()
    work.append(("mixed", [b.nvcc, "-gencode", "arch=compute_75,code=compute_75", f"-L{static}", "-o", b.built / "mixed", "mixed.cu", "-lcuda"],
                 HERE / "driver"))
    work += [(name, [b.nvcc, *words, "-o", b.built / name], folder) for module in (host_cases, machine_code_cases)
             for name, words, folder in module.compilations()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [text for text in pool.map(lambda each: b.compiled(*each), work) if text]
    check(not problems, "\n".join(problems))


def prints_the_same(b, name):
    program = b.program(name)
    expected = (HERE / "expected" / f"{name}.txt").read_text()
    code = ENDS_WITH.get(name, 0)
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program, code=code)
        check(done.stdout == expected, f"on the {device} it prints\n{done.stdout}instead of\n{expected}")


for each in PROGRAMS:
    CASES[f"cu_{each}"] = lambda b, name=each: prints_the_same(b, name)


# Kernels of ptx/: file, entry, threads, arguments, keys. Random bits are infinities and NaNs as well; random f32 are in [0, 1).
TIGHT = ("buf=a:512xu16:random=3", "buf=b:512xu16:random=4")
KERNELS = [
    *(("async_copies", entry, 64, ("buf=in:512xu32:iota", "buf=out:64xu32"), ())
      for entry in ("_Z6stagedPKiPi", "_Z5apartPKiPi", "_Z9pipelinedPKiPi", "_Z10at_barrierPKiPi", "_Z7groupedPKiPi")),
    ("async_copies", "_Z10with_zerosPK4int4PS_i", 64, ("buf=in:360:iota", "buf=out:1024", "u32=90"), ()),
    ("bfloat16", "_Z10arithmeticPKfP13__nv_bfloat16", 64, ("buf=in:64xu32:random=1", "buf=out:512"), ()),
    ("bfloat16", "_Z5pairsPKfP14__nv_bfloat162", 32, ("buf=in:64xu32:random=2", "buf=out:512"), ()),
    ("bfloat16", "_Z4sumsP13__nv_bfloat16P14__nv_bfloat162", 96, ("buf=one:4", "buf=two:4"), ()),
    ("bfloat16", "_Z11conversionsPKfPfPh", 64, ("buf=in:64xu32:random=3", "buf=out:1024", "buf=bytes:128"), ()),
    ("bulk_copies", "_Z10in_and_outPKiPij", 64, ("buf=in:512xu32:iota", "buf=out:512xu32", "u32=528"), ()),
    ("bulk_copies", "_Z7clusterPi", 64, ("buf=out:64xu32",), ()),
    ("packed", "_Z6packedPKjS0_Pj", 64, ("buf=a:64xu32:random=1", "buf=b:64xu32:random=2", "buf=out:576xu32"), ()),
    *(("products", entry, 32, arguments, keys)
      for keys in ((), ("--platform", "h100"), (*FEW_CORES, "--set", "core.tensor_block_bits=64", "--set", "core.tensor_extra_bits=0"))
      for entry, arguments in (
          ("f16", (*TIGHT, "buf=c:512xu32:random=5")), ("f16_in_f16", (*TIGHT, "buf=c:1024xu16:random=5")),
          ("bf16", ("buf=a:512xu16:random=6", "buf=b:512xu16:random=7", "buf=c:1024xf32:random=5")),
          ("tf32", ("buf=a:512xf32:random=8", "buf=b:512xf32:random=9", "buf=c:512xf32:random=5")),
          ("s8", ("buf=a:512xu8:random=1", "buf=b:512xu8:random=2", "buf=c:512xu32:random=5")),
          ("f64", ("buf=a:256xf64:random=1", "buf=b:256xf64:random=2", "buf=c:256xf64:random=5")),
          ("by_hand", (*TIGHT, "buf=c:128xf32:random=5")))),
]


@case
def ptx_kernels_are_equal_on_model_and_oracle(b):
    """This needs no CUDA installation."""
    for file, entry, threads, arguments, keys in KERNELS:
        words = [word for argument in arguments for word in ("--arg", argument)]
        done = b.run([b.heddle, "run", "--ptx", HERE / "ptx" / f"{file}.ptx", "--entry", entry, "--grid", "1", "--block", str(threads),
                      *words, *(keys or FEW_CORES), "--check", "oracle"])
        check("oracle:" in done.stdout, f"{entry} was not compared")


@case
def nvcc_kernels_launch_kernels(b):
    """Below each kernel: first what it launches, in order and each with its own, then its tail launches."""
    program = b.program("nested")
    for device, keys in (("model", ()), ("oracle", ()), ("model", ("--detail", "none")), ("model", ("--set", "runtime.code=machine_code"))):
        done = b.cuda("--quiet", "--device", device, *keys, program)
        check(done.stdout == "cudaSuccess\n0 1 2 3 266 266 903 166 166 902 66 66 901 \n1010101 1010101 1010102 0\n20 20 20 20\n0: 9 9 70 1010101\n24 deep, refused\n"
              "13108 without room, refused\n", f"on the {device} with {keys} it prints\n{done.stdout}")


TOGETHER = ("four streams", "a grid behind a large one", "a copy beside a kernel", "copies both ways", "chunks")
AFTER = ("one stream", "events between", "default stream between", "copies to the device")


@case
def nvcc_streams_overlap_with_a_key(b):
    """Elapsed times say what was at the same time. Results are the same, and a run is as the one before."""
    program = b.program("concurrent_streams")
    expected = (HERE / "expected" / "concurrent_streams.txt").read_text()
    concurrent = ("--set", "runtime.concurrent_streams=true")
    outputs = [b.cuda("--quiet", *keys, "--out", f"out{i}", program, "times").stdout for i, keys in enumerate(((), concurrent, concurrent))]
    check(outputs[1] == outputs[2], "two runs differ")
    for output, together in zip(outputs, ((), TOGETHER)):
        said = dict(line.split(": ") for line in output.splitlines() if ": " in line)
        check(said == {what: "together" if what in together else "one after another" for what in (*TOGETHER, *AFTER)}, f"it says {said}")
        check(output.endswith(expected), f"wrong results: {output}")
    stats = [json.loads((b.folder / f"out{i}" / "stats.json").read_text())["kernels"][0] for i in range(3)]
    check(stats[1] == stats[2], "two runs have other statistics")
    check(stats[0]["launches"] == stats[1]["launches"], "other launches")
    for count in ("warp_instructions", "thread_instructions"):
        counted = [each["summary"][count] for each in stats]
        check(counted[0] == counted[1], f"{count} differ: {counted}")
    check(b.cuda("--quiet", "--device", "oracle", *concurrent, program).stdout == expected, "wrong results on the oracle")


@case
def nvcc_launch_that_has_no_memory_leaves_the_others(b):
    """Alone, and among those that are left until the program waits."""
    for keys in ((), ("--set", "runtime.concurrent_streams=true")):
        done = b.cuda("--quiet", *keys, b.program("left"))
        check(done.stdout == "cudaErrorLaunchOutOfResources 64 128\n", f"with {keys}: {done.stdout} {done.stderr}")


@case
def nvcc_program_of_the_driver_interface(b):
    program = b.program("driver")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program)
        check(done.stdout == "1 Heddle 7\nCUDA_ERROR_NOT_FOUND, threads\n15 15 3 3, time passes\n", f"wrong output on the {device}")


@case
def nvcc_program_of_the_drivers_objects(b):
    program = b.program("objects")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program)
        check(done.stdout == "0, 0 1, 1\n16 bytes, CUDA_ERROR_NOT_FOUND\n0 wrong, 1 1, 32 x 4 of format 1\n9 9 0, 1 128, 2, 9000\n128 threads, some blocks\n"
              "0 0, 1 3020, CUDA_ERROR_INVALID_PTX\n1 0 0\ngiven again\n",
              f"wrong output on the {device}")


@case
def nvcc_program_of_the_drivers_libraries(b):
    """Also names of per-thread default streams. A function that is not here says so."""
    program = b.program("libraries")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program)
        check(done.stdout == "add 4 1 1, 7 7\n1 128 1\n1 1\n1, CUDA_ERROR_NOT_FOUND\n"
              "CUDA_ERROR_INVALID_CONTEXT CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_NOT_SUPPORTED\n", f"wrong output on the {device}")
        for name in ("cuStreamWaitValue32_v2", "cuTensorMapEncodeTiled"):
            check(f"heddle: {name}: this runtime does not have this function\n  " in done.stderr, f"no reason for {name}")


@case
def nvcc_program_of_the_drivers_virtual_memory(b):
    program = b.program("ranges")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program)
        check(done.stdout == "1 2097152, 7 7 8, 2\n3, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE\n8, 1\n"
              "CUDA_ERROR_INVALID_VALUE CUDA_ERROR_INVALID_VALUE CUDA_ERROR_INVALID_VALUE 1\n",
              f"wrong output on the {device}")


@case
def nvcc_static_runtime_and_driver_interface_have_one_device(b):
    program = b.program("mixed")
    for device in ("model", "oracle"):
        check(b.cuda("--quiet", "--device", device, program).stdout == "3 3 cudaSuccess\n", f"wrong results on the {device}")


@case
def nvcc_program_that_links_while_it_runs(b):
    """With NVIDIA's linker library, where there is one."""
    b.program("mixed")
    done = b.run([b.nvcc, "-cudart", "shared", "-o", "jit_link", HERE / "driver" / "jit_link.cpp", "-lnvJitLink", "-lcuda"], code=None)
    if done.returncode != 0 and "nvJitLink" in done.stderr:
        sys.exit(SKIPPED)
    check(done.returncode == 0, "it does not compile")
    libraries = pathlib.Path(os.path.realpath(b.nvcc)).parent.parent / "lib64"
    for device in ("model", "oracle"):
        done = b.run([b.heddle, "cuda", *FEW_CORES, "--quiet", "--device", device, "./jit_link"],
                     environment={"LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"})
        check(done.stdout == "0 7 14\n" and "driver" not in done.stderr, f"on the {device}: {done.stdout} {done.stderr}")


@case
def nvcc_program_of_wrong_driver_calls(b):
    program = b.program("driver")
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, program, b.folder)
        said = dict(line.split(": ") for line in done.stdout.splitlines() if ": " in line)
        check(said.pop("a file cut off", "") in ("CUDA_ERROR_INVALID_IMAGE", "CUDA_ERROR_INVALID_SOURCE"), f"wrong output on the {device}: {done.stdout}")
        check(len(said) == 9 and set(said.values()) == {"CUDA_ERROR_INVALID_VALUE"} and "\n7 stays\n" in done.stdout, f"wrong output on the {device}: {done.stdout}")


@case
def nvcc_makefile_project_needs_one_variable(b):
    b.program("linked")
    folder = b.run([b.heddle, "cuda", "--runtime-folder"]).stdout.strip()
    b.run(["cp", "-r", HERE / "project", b.folder / "project"])
    b.run(["make", "-C", "project", f"NVCC={b.nvcc}"], environment={"NVCC_APPEND_FLAGS": f"-L{folder}"})
    check(b.cuda("--quiet", "project/program").stdout == "5 257 no error\n", "wrong results")


@case
def nvcc_static_runtime_of_another_maker_is_refused(b):
    b.program("linked")
    b.run(["cp", "-r", HERE / "project", b.folder / "project"])
    b.run(["make", "-C", "project", f"NVCC={b.nvcc}"])
    done = b.cuda("project/program", code=2)
    check("NVCC_APPEND_FLAGS=-L" in done.stderr and done.stdout == "", "no remedy, or the program ran")


REGISTERED = "1 Heddle rtx2060 75\n12 printed\nsum 4950, 3 5\nrows 1 11 47\ncallback 2\nelapsed 1\n98 9 801 0\nmapped 8\n"


@case
def registered_program_runs_without_cuda(b):
    """What nvcc's host code does, by hand: this needs no CUDA installation."""
    for device in ("model", "oracle"):
        done = b.cuda("--device", device, "--out", "out", b.registered, code=0)
        check(done.stdout == REGISTERED, f"on the {device} it prints\n{done.stdout}")
        stats = json.loads((b.folder / "out" / "stats.json").read_text())
        check({kernel["kernel"] for kernel in stats["kernels"]} >= {"fill", "sum"}, "stats.json lacks a kernel")
        check("registered" in done.stderr, "no report on standard error")


@case
def programs_are_swept(b):
    spec = b.folder / "sweep.yaml"
    spec.write_text(f"programs: [{{name: one, program: {b.registered}}}]\nplatform: [tiny, gtx480]\nset: {{core.scheduler.policy: [lrr, gto]}}\n")
    done = b.run([b.heddle, "sweep", spec, "--jobs", "1", "--out", "swept"], code=0)
    check(len(re.findall(r"\n +\d+ +(?:tiny|gtx480) +(?:lrr|gto) +passed", done.stdout)) == 4, f"not four runs that passed:\n{done.stdout}")
    stats = json.loads((b.folder / "swept" / "runs" / "000003" / "stats.json").read_text())
    check({kernel["kernel"] for kernel in stats["kernels"]} >= {"fill", "sum"}, "stats.json lacks a kernel")
    for text, says in (("programs: [{program: ./nothere}]", "'./nothere' is no program that can be run"),
                       (f"programs: [{{program: {b.registered}}}]\noptions: {{sample: 100}}", "programs have no option 'sample'")):
        spec.write_text(text + "\n")
        check(says in b.run([b.heddle, "sweep", spec, "--out", "refused"], code=2).stderr, f"does not say {says}")


@case
def check_compares_with_the_oracle(b):
    done = b.cuda("--check", "--quiet", b.registered)
    check(re.search(r"check: \d+ copies to the host and exit code 0 are the same on the oracle", done.stderr), "no verdict")


@case
def difference_from_the_oracle_is_found(b):
    """Its first core's number is what a kernel returns: the oracle has one core. It is named with what CUDA leaves open."""
    done = b.cuda("--check", "--quiet", b.registered, "where", code=1)
    check("copies to the host differ" in done.stderr, "no difference found")
    check("\n    where asks which core or warp slot it has\n" in done.stderr, "no reason")


@case
def nvcc_addresses_that_are_copied_back_do_not_differ(b):
    """Model and oracle put functions, variables and allocations in different places."""
    program = b.program("addresses")
    done = b.cuda("--check", "--quiet", program)
    check("copies to the host and exit code 0 are the same on the oracle" in done.stderr, "they do")
    done = b.cuda("--check", "--quiet", program, "other", code=1)
    check("copies to the host differ (bytes, digest), copy 5: " in done.stderr, "an address of something else is no difference")


@case
def program_started_by_itself_finds_the_command(b):
    folder = b.run([b.heddle, "cuda", "--runtime-folder"]).stdout.strip()
    done = b.run([b.registered], environment={"LD_LIBRARY_PATH": folder, "HEDDLE_COMMAND": b.heddle,
                                              "HEDDLE_CUDA_OPTIONS": "--set cores=4 --out own"})
    check(done.stdout == REGISTERED, "wrong output")
    for _ in range(100):
        if (b.folder / "own" / "host.json").exists():
            break
        time.sleep(0.1)
    check((b.folder / "own" / "report.txt").exists(), "no report")


@case
def many_launches(b):
    """The test's time limit would notice what grows with the launches made before; 5 s on an idle machine, and on h100."""
    check(b.cuda("--quiet", b.registered, "many", "20000").stdout == "20000 launches\n", "wrong output")


@case
def cores_without_a_cta_count_as_those_that_hear_of_the_launch(b):
    """With a profile all do."""
    for arguments in ((), ("many", "20")):
        stats = []
        for i, keys in enumerate(((), ("--profile",))):
            b.run([b.heddle, "cuda", "--quiet", "--set", "cores=12", "--per-launch", *keys, "--out", f"out{i}", b.registered, *arguments])
            stats.append(json.loads((b.folder / f"out{i}" / "stats.json").read_text())["launches"])
        check([each["statistics"] for each in stats[0]] == [each["statistics"] for each in stats[1]], f"other statistics with {arguments}")


@case
def large_copies(b):
    check(b.cuda("--quiet", b.registered, "copies", "200000000").stdout == "equal\n", "wrong output")


@case
def signal_to_the_command_reaches_program_and_servers(b):
    for again, says, code in ((False, "ending with what there is so far", 143), (True, "nothing has been compared", 143)):
        with subprocess.Popen([b.heddle, "cuda", *(["--check"] if again else []), "--out", "out", b.registered, "endless"], cwd=b.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
            time.sleep(4)
            command.terminate()  # not its program, not its servers
            stderr = command.communicate(timeout=60)[1]
        check(command.returncode == code and says in stderr and "differ" not in stderr, f"exit code {command.returncode}, it says {stderr}")
        report = json.loads((b.folder / "out" / "stats.json").read_text())
        check(report["complete"] is False and report["kernels"], "no partial results")


@case
def limit_of_time_ends_with_partial_results(b):
    done = b.cuda("--max-seconds", "3", "--out", "out", b.registered, "endless", code=5)
    check("--max-seconds 3 reached" in done.stderr and "--detail '*:1-2'" in done.stderr, "no message, or no advice")
    report = json.loads((b.folder / "out" / "stats.json").read_text())
    check(report["complete"] is False and report["kernels"], "no partial results")
    done = b.cuda("--max-seconds", "3", "--detail", "none", "--out", "untimed", b.registered, "endless", code=5)
    check("--detail '*:1-2'" not in done.stderr, "advice that was taken")
    report = json.loads((b.folder / "untimed" / "stats.json").read_text())
    check(report["complete"] is False and not report["kernels"], "no report of a run without time")


@case
def detail_simulates_some_launches_with_the_same_results(b):
    done = b.cuda("--detail", "fill:2-2", "--detail", "mark:1", "--out", "out", b.registered)
    check(done.stdout == REGISTERED, f"it prints\n{done.stdout}")
    check("2 launches simulated in detail, 5 run without time" in done.stderr, "wrong counts")
    stats = json.loads((b.folder / "out" / "stats.json").read_text())
    check(sorted((kernel["kernel"], kernel["launches"]) for kernel in stats["kernels"]) == [("fill", 1), ("mark", 1)], "wrong kernels")
    check(b.cuda("--estimate", "4:1:1", b.registered).stdout == REGISTERED, "another result of an estimate")
    check("--detail fill" in b.cuda("--detail", "fill", b.registered, code=2).stderr, "no error")


STRICT = ("--set", "runtime.tolerant_memory=false")


@case
def access_beside_a_buffer_is_named_once_an_instruction(b):
    for keys in ((), ("--set", "host.threads=2")):
        done = b.cuda("--quiet", *keys, b.registered, "beyond")
        lines = [line for line in done.stderr.splitlines() if "out of bounds, tolerated" in line]
        check(len(lines) == 1 and "(fat binary 1):" in lines[0] and "past the end of" in lines[0], f"it says {lines}")
        check(done.stdout == "0\n", "a tolerant machine refuses it")
        check("tolerated" not in b.cuda("--quiet", *keys, b.registered).stderr, "a warning of nothing")
    check(b.cuda("--quiet", "--device", "oracle", b.registered, "beyond").stdout == "0\n", "a tolerant oracle refuses it")


@case
def access_beside_a_buffer_is_an_error_on_a_strict_machine(b):
    for device in ("model", "oracle"):
        strict = b.cuda("--quiet", "--device", device, *STRICT, b.registered, "beyond")
        check(strict.stdout == "700\n", "a strict machine finds no access out of bounds")
        check("runtime.tolerant_memory=true" in strict.stderr, "the key is not named")


@case
def tolerance_leaves_host_threads(b):
    """Whether kernels may reach beyond buffers does not decide how cores are simulated."""
    b.cuda("--quiet", "--set", "host.threads=2", "--out", "out", b.registered)
    check("tolerant" not in (b.folder / "out" / "host.json").read_text(), "cores go one after another")


@case
def address_of_the_host_is_called_so(b):
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, b.registered, "host")
        check(done.stdout == "700\n" and "an address of the host" in done.stderr and "tolerant" not in done.stderr, "no word of what kernels reach")


@case
def address_of_local_memory_is_not_called_the_hosts(b):
    for device in ("model", "oracle"):
        done = b.cuda("--quiet", "--device", device, b.registered, "local")
        check(done.stdout == "700\n" and "an address of local memory" in done.stderr and "the host" not in done.stderr, "whose address is not said")


@case
def exit_codes_and_arguments_are_the_programs(b):
    check(b.cuda("--quiet", "/bin/sh", "-c", "echo $1; exit 7", "sh", "--out", code=7).stdout == "--out\n", "wrong argument")
    check("signal" in b.cuda("--quiet", "/bin/sh", "-c", "kill -9 $$", code=137).stderr, "no word of the signal")


@case
def wrong_command_lines_are_refused(b):
    for words, says in ((["--platfrm", "tiny", b.registered], "--platfrm"), ([], "no program"), (["./nowhere"], "nowhere"),
                        (["--set", "no.such.key=1", b.registered], "no.such.key")):
        done = b.run([b.heddle, "cuda", *words], code=2)
        check(says in done.stderr and done.stdout == "", f"{words}: {done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    for name in ("--heddle", "--registered", "--nvcc", "--built"):
        parser.add_argument(name, default="")
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[arguments.case](Bench(arguments, pathlib.Path(folder)))


main()
