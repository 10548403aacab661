"""Which programs of cu/ are compiled together."""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = sorted(path.stem for path in (HERE / "cu").glob("*.cu"))


def arch_of(name):
    """A first line "// arch: 80" says for what it is compiled."""
    first = (HERE / "cu" / f"{name}.cu").read_text().splitlines()[0]
    return first.removeprefix("// arch: ") if first.startswith("// arch: ") else "75"


def headers_of(name):
    return set(re.findall(r"^#include <(.+)>$", (HERE / "cu" / f"{name}.cu").read_text(), re.MULTILINE))


# nvcc takes 1.5 s of processor time for the runtime's own headers, and 20 s for Thrust's. So programs of the same headers are compiled
# several in one source, each in a namespace of its name; the executable has a name for each, and runs the one that it is called by.
# Those with PTX of sm_80 are another source, since a group's PTX is loaded whole.
COMMON = {"algorithm", "atomic", "cassert", "cmath", "cooperative_groups.h", "cstdint", "cstdio", "cstdlib", "cstring", "new", "queue", "thread",
          "vector"}
ALONE = {"launches", "concurrent_streams"}  # prints a kernel's mangled name; shall have no managed variables beside it
FAMILIES = [(COMMON, 3),  # headers, sources
            (COMMON | {"cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cuComplex.h", "cuda.h", "cuda/atomic", "cuda/latch", "cuda/semaphore",
                       "cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_runtime.h", "nv/target", "type_traits",
                       *(f"cuda/std/{name}" for name in ("array", "atomic", "complex", "functional", "limits", "optional", "span", "tuple", "type_traits",
                                                         "variant"))}, 1)]


def groups():
    """(names, headers) of each source; a program of another family's headers is alone, but for those of Thrust and CUB."""
    made, left = [], list(PROGRAMS)

    def take(names, headers, sources):
        made.extend((names[i::sources], headers) for i in range(sources) if names[i::sources])
        left[:] = [name for name in left if name not in names]

    for headers, sources in FAMILIES:
        take([name for name in left if arch_of(name) == "75" and headers_of(name) <= headers and name not in ALONE], headers, sources)
    for some in ([name for name in left if arch_of(name) == "80"],
                 [name for name in left if any(header.startswith(("thrust/", "cub/")) for header in headers_of(name))]):
        take(some, set().union(*map(headers_of, some)), 1)
    for name in list(left):
        take([name], headers_of(name), 1)
    return made


def group_source(names, headers):
    lines = [f"#include <{header}>" for header in sorted(headers | COMMON)] + ['#include "check.h"']
    lines += [f'namespace {name} {{\n#include "{name}.cu"\n}}' for name in names]
    lines += ["[[maybe_unused]] static int run(int (*program)(), int, char**) { return program(); }",
              "[[maybe_unused]] static int run(int (*program)(int, char**), int argc, char** argv) { return program(argc, argv); }",
              "int main(int argc, char** argv) {",
              "  const char* const slash = std::strrchr(argv[0], '/');",
              "  const char* const name = slash != nullptr ? slash + 1 : argv[0];"]
    lines += [f'  if (std::strcmp(name, "{name}") == 0) return run({name}::main, argc, argv);' for name in names]
    return "\n".join([*lines, "  return 127;", "}", ""])
