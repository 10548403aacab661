"""Cases of cli_cases.py: accesses of a kernel to memory that is not the program's. What Heddle allocates for itself lies between
the program's buffers, and is as much out of bounds as no memory at all."""

import cli_kernels as kernels
from cli_command import KERNEL_FAULT, case

ACCESSES = {
    "store": "st.global.u32 [%a], %r0;",
    "vector store": "st.global.v2.u32 [%a], {%r0, %r0};",
    "load": "ld.global.u32 %r0, [%a];",
    "volatile load": "ld.volatile.global.u32 %r0, [%a];",
    "atomic": "atom.global.add.u32 %r0, [%a], 1;",
    "reduction": "red.global.max.u32 [%a], 1;",
    "generic store": "st.u32 [%a], %r0;",
    "generic load": "ld.u32 %r0, [%a];",
    "generic atomic": "atom.add.u32 %r0, [%a], 1;",
    "constant load": "ld.const.u32 %r0, [%a];",
}


def poke(access, before="", after="", module=""):
    """One access at the address in the first parameter plus the second one."""
    return kernels.HEADER + module + f"""
.visible .entry poke(.param .u64 base, .param .s64 bytes) {{
  .reg .b64 %a, %w<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %a, [base];
  ld.param.u64 %w0, [bytes];
  add.s64 %a, %a, %w0;
  mov.u32 %r0, 7;
  mov.u32 %r1, %tid.x;
  {before}
  {access}
  {after}
  ret;
}}
"""


LOCAL = ".local .align 8 .b8 l[24]; st.local.u32 [l], %r0;"
TX = ".extern .func tx_begin ();\n.extern .func tx_commit ();\n"
USES_TX = "{ call.uni tx_begin, (); } { call.uni tx_commit, (); }"  # kernels without a transaction get no logs
BUFFER = 64  # bytes: the next allocation begins 0x200 bytes behind
FIRST, SECOND = 0x200, 0x400  # the device's allocations that a launch makes: each is smaller than 256 bytes but for the last
TABLES = ("--set", "core.control_flow.mechanism=aware", "--set", "core.control_flow.aware.st_entries=4")
TM = ("--set", "tm.enabled=true")
DETERMINISM = ("--set", "determinism.enabled=true")


def refused(c, source, offset, *options, says=(), block="1"):
    done = c.ptx(source, "poke", "--arg", f"buf=c:{BUFFER}", "--arg", f"s64={offset}", *options, block=block,
                 code=KERNEL_FAULT, says=["thread (0,0,0) of CTA (0,0,0)", "out-of-bounds", "kernel.ptx:", *says])
    return done


def goes(c, source, offset, *options):
    """The oracle agrees that this is in bounds."""
    c.ptx(source, "poke", "--arg", f"buf=c:{BUFFER}", "--arg", f"s64={offset}", *options, "--check", "oracle", block="1")


@case
def bounds_of_every_access_include_the_device_s_own_memory(c):
    for name, access in ACCESSES.items():
        print(f"--- {name}")
        source = poke(access, before=LOCAL)
        refused(c, source, FIRST, says=["0 bytes into 'local memory of poke'", "the device's own memory",
                                        f"{FIRST - BUFFER} bytes past the end of 'c'"])
        refused(c, source, BUFFER, says=["0 bytes past the end of 'c'"])
        refused(c, source, -8, says=["8 bytes before the start of 'c'"])
        if name != "constant load":
            goes(c, source, BUFFER - 8)


@case
def bounds_include_parameters_tables_and_logs(c):
    store, load = poke(ACCESSES["store"]), poke(ACCESSES["load"])
    for source in (store, load):
        refused(c, source, FIRST, says=["0 bytes into 'parameters of poke'"])
        refused(c, source, FIRST + 8, *TABLES, says=["8 bytes into 'control-flow tables of poke'"])
        refused(c, source, SECOND + 4096, *DETERMINISM, says=["4096 bytes into 'logs of the wavefronts (determinism)'"])
        # Depths and locks of deterministic memory are no allocations.
        for far in (0x2000_0000_0000, 0x4000_0000_0000):
            refused(c, source, far - 0x1000_0000, *DETERMINISM, says=["no allocation near"])
    for name in ("store", "load", "atomic", "generic load", "vector store"):
        refused(c, poke(ACCESSES[name], before=USES_TX, module=TX), SECOND, *TM, says=["0 bytes into 'logs of transactions (tm)'"])
        refused(c, poke(ACCESSES[name]), SECOND, *DETERMINISM, says=["logs of the wavefronts"])


@case
def bounds_hold_within_transactions(c):
    """What a transaction has read may be wrong, so that the fault waits until that is known."""
    for name in ("store", "load", "generic store", "generic load"):
        source = poke(ACCESSES[name], before="{ call.uni tx_begin, (); }", after="{ call.uni tx_commit, (); }", module=TX)
        refused(c, source, SECOND, *TM, says=["logs of transactions (tm)"], block="32")
        refused(c, source, FIRST, *TM, says=["parameters of poke"])


@case
def bounds_of_local_memory_are_exact(c):
    """Padding between threads is nobody's."""
    for size in (4, 20, 24, 256):
        for op in ("st.local.u32 [%w1], %r0;", "ld.local.u32 %r0, [%w1];"):
            source = poke(op, before=f".local .align 4 .b8 l[{size}]; mov.u64 %w1, l; add.s64 %w1, %w1, %w0;")
            goes(c, source, size - 4)
            for outside in (size, size + 4, -4, 1 << 20, 1 << 31):
                refused(c, source, outside, says=["local offset", f"the thread has {size} bytes"])
    # Through the window, whose addresses name each thread's own memory: other threads' cannot be named.
    generic = ".local .align 16 .b8 l[32]; mov.u64 %w1, l; cvta.local.u64 %w1, %w1; add.s64 %w1, %w1, %w0;"
    for op in ("st.u32 [%w1], %r0;", "ld.u32 %r0, [%w1];", "st.v4.u32 [%w1], {%r0, %r0, %r0, %r0};"):
        goes(c, poke(op, before=generic), 16)
        refused(c, poke(op, before=generic), 32, says=["the thread has 32 bytes"])
        refused(c, poke(op, before=generic), -16, says=[])


@case
def bounds_of_shared_memory_are_the_cta_s(c):
    """Several CTAs share a core's memory."""
    for op in ("st.shared.u32 [%w1], %r0;", "ld.shared.u32 %r0, [%w1];", "atom.shared.add.u32 %r0, [%w1], 1;"):
        source = poke(op, before=".shared .align 4 .b8 s[52]; mov.u64 %w1, s; add.s64 %w1, %w1, %w0;")
        goes(c, source, 48)
        for outside in (52, 56, -4, 48 * 1024):
            refused(c, source, outside, says=["shared offset", "the CTA has 52 bytes"], block="32")
        goes(c, source, 52, "--shared", "4")
        refused(c, source, 56, "--shared", "4", says=["the CTA has 56 bytes", "dynamic shared memory"])


@case
def bounds_of_vectors_are_those_of_all_elements(c):
    for op, bytes_ in (("st.global.v4.u32 [%a], {%r0, %r0, %r0, %r0};", 16), ("ld.global.v2.u64 {%w1, %w2}, [%a];", 16),
                       ("ld.global.v2.u32 {%r0, %r1}, [%a];", 8)):
        c.ptx(poke(op), "poke", "--arg", f"buf=c:{bytes_ * 2 + 4}", "--arg", f"s64={bytes_ * 2}", block="1", code=KERNEL_FAULT,
              says=["out-of-bounds", f"{bytes_ * 2} bytes into 'c'"])


@case
def bounds_of_constants_and_code(c):
    """Kernels read constants, also through pointers, and write none; behind a function's address there is nothing to read."""
    constants = ".const .align 8 .b32 k[4] = {1, 2, 3, 4};\n"
    address = "mov.u64 %w1, k; cvta.const.u64 %w1, %w1; add.s64 %w1, %w1, %w0;"
    for op in ("ld.u32 %r0, [%w1];", "ld.const.u32 %r0, [%w1];", "ld.global.u32 %r0, [%w1];"):
        goes(c, poke(op + " st.global.u32 [%a], %r0;", before=address, module=constants), 12)
        refused(c, poke(op, before=address, module=constants), 16, says=["0 bytes past the end of 'k'"])
    for op in ("st.u32 [%w1], %r0;", "st.global.u32 [%w1], %r0;", "atom.add.u32 %r0, [%w1], 1;"):
        refused(c, poke(op, before=address, module=constants), 8,
                says=["8 bytes into 'k'", "a .const variable, which kernels only read"])
    function = ".func f () { ret; }\n"
    for op in ("ld.u32 %r0, [%w1];", "st.global.u32 [%w1], %r0;"):
        refused(c, poke(op, before="mov.u64 %w1, f;", module=function), 0, says=["'function f'", "the device's own memory"])


@case
def bounds_of_parameters_behind_pointers(c):
    """A kernel that takes the address of a parameter may read it, as PTX has it, and not write it."""
    address = "mov.b64 %w1, base; cvta.param.u64 %w1, %w1; add.s64 %w1, %w1, %w0;"
    goes(c, poke("ld.u64 %w2, [%w1]; st.global.u64 [%a], %w2;", before=address), 8)
    refused(c, poke("ld.u64 %w2, [%w1];", before=address), 16, says=["0 bytes past the end of 'parameters of poke'"])
    for op in ("st.u32 [%w1], %r0;", "atom.add.u32 %r0, [%w1], 1;"):
        refused(c, poke(op, before=address), 8, says=["8 bytes into 'parameters of poke'", "which kernels only read"])


@case
def bounds_hold_for_what_printf_reads(c):
    source = poke("{ .param .b64 f; st.param.b64 [f], %a; .param .b64 v; st.param.b64 [v], 0; .param .b32 n; "
                  "call.uni (n), vprintf, (f, v); }", before=USES_TX,
                  module=TX + ".extern .func (.param .b32 n) vprintf (.param .b64 f, .param .b64 v);\n")
    c.ptx(source, "poke", "--arg", f"buf=c:{BUFFER}", "--arg", f"s64={SECOND}", *TM, block="1", code=KERNEL_FAULT,
          says=["prints from address 0x10000400", "no buffer of the program"])
