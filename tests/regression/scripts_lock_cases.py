"""Two commands of scripts/ in one tree: one builds at a time, and a program can be started at any time."""

import fcntl
import os
import subprocess
import sys
import time

from scripts_command import ROOT, case, check, mutants_tree, tree_of


def start(scripts, tree, name, *arguments):
    environment = {**scripts.environment, "HEDDLE_SKIP_SETUP": "1"}
    return subprocess.Popen([tree / "scripts" / name, *arguments], cwd=tree, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def ended(process, code=0):
    """What it has said on stderr, by lines."""
    out, said = process.communicate(timeout=60)
    print(f"$ {' '.join(map(str, process.args))}\n{out}{said}[exit code {process.returncode}]")
    check(process.returncode == code, f"exit code {process.returncode}, expected {code}")
    return said.splitlines()


def until(condition, what):
    end = time.monotonic() + 30
    while not condition():
        check(time.monotonic() < end, f"{what} in 30 s")
        time.sleep(0.02)


@case
def two_builds_of_a_folder_wait_for_each_other(scripts):
    tree, log, go = tree_of(scripts, "build"), scripts.file("log", ""), scripts.folder / "go"
    scripts.stub("cmake", "exit 0")
    scripts.stub("ninja", f'echo "begin $*" >> "{log}"; until [[ -e "{go}" ]]; do sleep 0.05; done; echo "end $*" >> "{log}"')

    first = start(scripts, tree, "build", "release", "heddle")
    until(lambda: "begin" in log.read_text(), "the first does not build")
    second = start(scripts, tree, "build", "--quiet", "release", "core_test")
    third = start(scripts, tree, "build", "debug")  # another folder
    until(lambda: log.read_text().count("begin") == 2, "a build of another folder waits")
    line = second.stderr.readline()
    waiting = f"build: waiting for scripts/build release heddle (process {first.pid}) in {tree}/build/release ...\n"
    check(line == waiting, f"'{line}', expected '{waiting}'")
    check(log.read_text().count("begin") == 2, "two build in one folder")
    go.touch()
    check(ended(first) == [] and ended(third) == [] and ended(second) == [], "more is said than one line")
    check([line.split()[0] for line in log.read_text().splitlines()].count("end") == 3, "not all have built")
    lines = log.read_text().splitlines()
    places = [next(i for i, line in enumerate(lines) if line.startswith(what) and line.endswith(target))
              for what, target in (("end", "heddle"), ("begin", "core_test"))]
    check(places[0] < places[1], "the second does not build behind the first")
    check(ended(start(scripts, tree, "build", "release")) == [], "a lock is left behind")


@case
def a_build_that_is_killed_leaves_no_lock_and_its_tools_keep_theirs(scripts):
    tree, log, go = tree_of(scripts, "build"), scripts.file("log", ""), scripts.folder / "go"
    scripts.stub("cmake", "exit 0")
    scripts.stub("ninja", f'echo begin >> "{log}"; until [[ -e "{go}" ]]; do sleep 0.05; done; echo end >> "{log}"')
    first = start(scripts, tree, "build")
    until(lambda: "begin" in log.read_text(), "the first does not build")
    first.kill()
    first.wait()
    second = start(scripts, tree, "build")
    check(second.stderr.readline().startswith("build: waiting for scripts/build (process "), "it builds beside the ninja of the first")
    go.touch()
    ended(second)
    check(log.read_text().split() == ["begin", "end", "begin", "end"], f"{log.read_text().split()}")


@case
def a_moved_tree_is_built_afresh_under_its_lock(scripts):
    tree = tree_of(scripts, "build")
    scripts.stub("cmake", "exit 0")
    scripts.stub("ninja", "exit 0")
    scripts.file(tree / "build/release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
    scripts.file(tree / "build/release/models/old.o", "")
    ended(start(scripts, tree, "build"))
    left = [path.name for path in (tree / "build" / "release").iterdir()]
    check(left == [".lock"], f"{left} is left")


@case
def scripts_that_build_do_not_wait_for_themselves(scripts):
    tree = tree_of(scripts, "build", "heddle", "run", "setup", "test")
    for tool in ("cmake", "ninja"):
        scripts.stub(tool, "exit 0")
    scripts.stub("ctest", '[[ "$1" == --help ]] && echo "  -R <regex> = choose" || echo "tests run"')
    scripts.file(tree / "scripts/summary", "#!/bin/sh\n").chmod(0o755)
    scripts.file(tree / "build/release/bin/heddle", "#!/bin/sh\necho $0 is run\n").chmod(0o755)
    for name in ("heddle", "test", "run"):
        process = start(scripts, tree, name, *(["list"] if name == "heddle" else []))
        check(ended(process) == [], "it says something")


@case
def every_script_with_a_folder_of_its_own_waits_for_the_others(scripts):
    tree = mutants_tree(scripts, ["gpu_test"]).parents[1]
    tree_of(scripts, "mutants", "tidy", "build")
    for tool, answer in (("git", "[[ \"$*\" == *-z* ]] && printf 'sum.cpp\\0' || true"), ("cmake", ""), ("ninja", ""), ("ctest", "exit 8"),
                         ("clang-format", ""), ("clang-tidy", "")):
        scripts.stub(tool, answer)
    scripts.file(tree / "build/release/compile_commands.json", [])
    for name, folder, arguments in (("mutants", "mutants", []), ("tidy", "tidy", ["sum.cpp"])):
        lock = tree / "build" / folder / ".lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w", encoding="utf-8") as held:
            held.write("scripts/other (process 7)\n")
            held.flush()
            fcntl.flock(held, fcntl.LOCK_EX)
            process = start(scripts, tree, name, *arguments)
            line = process.stderr.readline()
            check(line == f"{name}: waiting for scripts/other (process 7) in {lock.parent} ...\n", line)
        ended(process)


@case
def rtl_scripts_wait_for_the_folder_of_their_results(scripts):
    scripts.environment["PATH"] = os.environ["PATH"]  # they ask for their tools first
    for name in ("formal", "synth"):
        out = scripts.folder / name
        out.mkdir()
        with (out / ".lock").open("w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            process = start(scripts, ROOT, name, "split_fifo", "--out", out)
            line = process.stderr.readline()
            check(line == f"{name}: waiting for another script in {out} ...\n", line)
            process.terminate()  # what it would do takes minutes
            process.communicate(timeout=30)


@case
def a_program_can_be_started_while_it_is_linked(scripts):
    """Of a project with Heddle's rule, whose linker is slow and leaves a half program meanwhile."""
    scripts.environment["PATH"] = os.environ["PATH"]
    project, build = scripts.folder / "project", scripts.folder / "build"
    slow = scripts.file(project / "slow", """#!/bin/bash
for ((i = 1; i < $#; i++)); do if [[ "${!i}" == -o ]]; then next=$((i + 1)); output=${!next}; fi; done
if [[ -n "${output:-}" ]]; then rm -f "$output"; echo half > "$output"; chmod +x "$output"; touch linking; sleep 2; rm linking; fi
exec "$@"
""")
    slow.chmod(0o755)
    source = scripts.file(project / "program.cpp", '#include <cstdio>\nint main() { std::puts("1"); }\n')
    scripts.file(project / "CMakeLists.txt", f"""cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
include("{ROOT}/scripts/cmake/HeddleLink.cmake")
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "{slow}")
add_executable(program program.cpp)
""")
    for command in (["cmake", "-S", project, "-B", build, "-G", "Ninja"], ["ninja", "-C", build]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        check(done.returncode == 0, done.stdout + done.stderr)
    source.write_text(source.read_text().replace('"1"', '"2"'))
    relink = subprocess.Popen(["ninja", "-C", build], stdout=subprocess.DEVNULL)
    until((build / "linking").exists, "it does not link")
    answers, during = [], 0
    while relink.poll() is None:
        during += (build / "linking").exists()
        answers.append(subprocess.run([build / "program"], capture_output=True, text=True, check=True).stdout.strip())
    check(relink.returncode == 0 and during > 10, f"{during} runs meanwhile")
    check(subprocess.run([build / "program"], capture_output=True, text=True, check=True).stdout == "2\n", "it is not linked")
    check(answers == sorted(answers) and set(answers) <= {"1", "2"}, f"{answers}")
    check(not list(build.glob("*.linking")), "the other name is left")


@case
def runs_of_one_measurement_are_of_one_program(scripts):
    """Though another script builds meanwhile."""
    tree = tree_of(scripts, "build", "setup", "run")
    for tool in ("cmake", "ninja"):
        scripts.stub(tool, "exit 0")
    scripts.file(tree / "scripts/summary", "#!/bin/sh\n").chmod(0o755)
    heddle = scripts.file(tree / "build/release/bin/heddle", f"""#!/bin/bash
echo old
echo '#!/bin/bash
echo new' > "{tree}/new"; chmod +x "{tree}/new"; mv "{tree}/new" "{tree}/build/release/bin/heddle"
""")
    heddle.chmod(0o755)
    process = start(scripts, tree, "run")
    out, _ = process.communicate(timeout=60)
    check(process.returncode == 0 and out.count("old\n") == 10 and "new\n" not in out, out)
    old, new = scripts.file(heddle, "#!/bin/bash\necho old\n"), scripts.file(tree / "new", "#!/bin/bash\necho new\n")
    for program in (old, new):
        program.chmod(0o755)
    script = ("import built, os, subprocess; heddle = built.heddle(); os.replace('new', built.PROGRAMS / 'heddle'); "
              "subprocess.run([heddle], check=True); assert heddle.resolve().parent == built.PROGRAMS")
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=tree, capture_output=True, text=True, check=False,
                          env={**scripts.environment, "PYTHONPATH": str(tree / "scripts" / "common")})
    check(done.returncode == 0 and done.stdout == "old\n", f"{done}")
