"""Gate-level simulation: the netlist with the library's Verilog cells beside the RTL, random inputs, outputs compared
in every clock (Icarus Verilog). Icarus does not read the blocks' SystemVerilog, so yosys writes what it elaborated as
plain Verilog, before any optimisation. Both sides start with all flip-flops and memories at 0, so that nothing is
undefined but what the RTL itself leaves so (reading beyond the end of a memory): there the netlist may give anything.
How many bits were defined and compared is part of the result, and none at all is a failure."""

import re

import flow
import tools

CLOCK, RESET = "clk_i", "rst_ni"

# The library's flip-flops start undefined; these do not. Asynchronous set has priority over reset, as in the liberty file.
FLIP_FLOPS = """`timescale 1ns/10ps
module zero_DFFPOSX1 (input CLK, input D, output reg Q);
  initial Q = 0;
  always @(posedge CLK) Q <= D;
endmodule
module zero_DFFNEGX1 (input CLK, input D, output reg Q);
  initial Q = 0;
  always @(negedge CLK) Q <= D;
endmodule
module zero_DFFSR (input CLK, input D, input R, input S, output reg Q);
  initial Q = 0;
  always @(posedge CLK or negedge R or negedge S)
    if (!R) Q <= 0;
    else if (!S) Q <= 1;
    else Q <= D;
endmodule
module zero_LATCH (input CLK, input D, output reg Q);
  initial Q = 0;
  always @* if (CLK) Q = D;
endmodule
"""

BENCH = """`timescale 1ns/10ps
module bench;
  reg clk = 0, rst = 0;
{declarations}
  rtl_{top} u_rtl ({rtl});
  {gates} u_gates ({netlist});
  integer seed = 1, vector, bit_, compared = 0, undefined = 0, unknown = 0, different = 0;
{totals}
  task check;
    input [{widest}:0] expected, got;
    input integer width;
    input [8*40:1] name;
    inout [{widest}:0] zero, one;
    for (bit_ = 0; bit_ < width; bit_ = bit_ + 1) begin
      if (expected[bit_] === 1'bx || expected[bit_] === 1'bz) undefined = undefined + 1;
      else if (got[bit_] === 1'bx || got[bit_] === 1'bz) unknown = unknown + 1;
      else begin
        compared = compared + 1;
        if (expected[bit_]) one[bit_] = 1; else zero[bit_] = 1;
        if (expected[bit_] !== got[bit_]) begin
          if (different < 5)
            $display("DIFFERENT vector %0d: %0s[%0d] is %b in the RTL, %b in the netlist", vector, name, bit_,
                     expected[bit_], got[bit_]);
          different = different + 1;
        end
      end
    end
  endtask
  initial begin
{zero}
    for (vector = 0; vector < {vectors}; vector = vector + 1) begin
      // Some resets on the way: they end what undefined state has spread to.
      rst = !(vector < 4 || ($urandom(seed) & 127) == 0);
{drive}
      #5;
{checks}
      clk = 1; #5; clk = 0; #5;
    end
    $display("COMPARED %0d UNDEFINED %0d UNKNOWN %0d DIFFERENT %0d SEEN %0d OF %0d", compared, undefined, unknown,
             different, {seen}, {all});
    $finish;
  end
endmodule
"""


def bench(top, ports, memories, vectors):
    inputs = [p for p in ports if p["input"] and p["name"] not in (CLOCK, RESET)]
    outputs = [p for p in ports if not p["input"]]
    clocked = ", ".join(f".{port}({net})" for port, net in ((CLOCK, "clk"), (RESET, "rst"))
                        if any(p["name"] == port for p in ports))

    def connect(suffix):
        return ", ".join([clocked] + [f".{p['name']}({p['name']})" for p in inputs] +
                         [f".{p['name']}({p['name']}_{suffix})" for p in outputs])

    declarations, totals, drive, checks, seen = [], [], [], [], []
    for p in inputs:
        declarations.append(f"  reg [{p['bits'] - 1}:0] {p['name']};")
        words = ", ".join(["$urandom(seed)"] * ((p["bits"] + 31) // 32))
        drive.append(f"      {p['name']} = {{{words}}};")
    zero = [f"    for (bit_ = 0; bit_ < {m['words']}; bit_ = bit_ + 1) u_rtl.\\{m['name']} [bit_] = 0;"
            for m in memories]
    widest = max(p["bits"] for p in outputs) - 1
    for p in outputs:
        declarations.append(f"  wire [{p['bits'] - 1}:0] {p['name']}_r, {p['name']}_g;")
        totals.append(f"  reg [{widest}:0] {p['name']}_zero = 0, {p['name']}_one = 0;")
        checks.append(f"      check({p['name']}_r, {p['name']}_g, {p['bits']}, \"{p['name']}\", {p['name']}_zero, "
                      f"{p['name']}_one);")
        seen += [f"{p['name']}_{value}[{bit}]" for value in ("zero", "one") for bit in range(p["bits"])]
    return BENCH.format(top=top, gates=flow.TOP, declarations="\n".join(declarations), rtl=connect("r"),
                        netlist=connect("g"), totals="\n".join(totals), widest=widest, zero="\n".join(zero),
                        vectors=vectors, drive="\n".join(drive), checks="\n".join(checks),
                        seen=" + ".join(["32'd0", *seen]), all=len(seen))


def simulate(block, top, parameters, state, cells_file, vectors, what, folder):
    """netlist.v is in the folder. Gives the counts; a difference is a Failure."""
    flow.yosys([*flow.read(block, top, parameters), "proc", "flatten", "memory_collect", "pmuxtree", "opt_clean",
                "setundef -init -zero", f"rename -top rtl_{top}", "write_verilog -noattr rtl.v"], (what, "rtl"), folder)
    (folder / "bench.v").write_text(bench(top, state["ports"], state["memories"], vectors))
    netlist = (folder / "netlist.v").read_text()
    (folder / "gates.v").write_text(re.sub(r"^  (DFFPOSX1|DFFNEGX1|DFFSR|LATCH) ", r"  zero_\1 ", netlist, flags=re.M)
                                    + FLIP_FLOPS)
    tools.run(["iverilog", "-g2012", "-o", "bench.vvp", "bench.v", "rtl.v", "gates.v", str(cells_file)], what, folder)
    _, text = tools.run(["vvp", "-n", "bench.vvp"], what, folder)
    found = re.search(r"COMPARED (\d+) UNDEFINED (\d+) UNKNOWN (\d+) DIFFERENT (\d+) SEEN (\d+) OF (\d+)", text)
    if not found:
        raise tools.Failure(f"{what}: the gate-level simulation did not end:\n{tools.last_words(text)}")
    compared, undefined, unknown, different, seen, all_ = map(int, found.groups())
    if different:
        raise tools.Failure(f"{what}: the netlist differs from the RTL in gate-level simulation:\n" + "\n".join(
            "    " + line for line in re.findall(r"DIFFERENT (vector.*)", text)))
    if compared == 0:
        raise tools.Failure(f"{what}: gate-level simulation compared nothing, all outputs are undefined")
    return {"vectors": vectors, "compared_bits": compared, "undefined_in_rtl": undefined,
            "unknown_in_netlist": unknown, "values_seen": seen, "values": all_}
