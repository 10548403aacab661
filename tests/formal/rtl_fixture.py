"""A small block in a folder of its own, and the commands scripts/synth and scripts/formal on it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Per warp a sum; it is read, added to and written back. `bound` saturates it.
SUMS = """`default_nettype none
module sums #(
  parameter int unsigned Warps = 2,
  parameter int unsigned Width = 4,
  localparam int unsigned WarpW = (Warps > 1) ? $clog2(Warps) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic             clear_i,
  input  logic [WarpW-1:0] warp_i,
  input  logic [Width-1:0] add_i,
  output logic             valid_o,
  output logic [Width-1:0] sum_o
);
  logic [Width-1:0] sum_mem [Warps];
  logic [Width-1:0] sum_d;
  assign sum_d = clear_i ? '0 : sum_mem[warp_i] + add_i;
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      sum_mem[warp_i] <= sum_d;
      sum_o           <= sum_d;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i;
  end
endmodule
`default_nettype wire
"""

SYNTH = {
    "top": "sums", "clock_ns": 5,
    "points": [{"name": "two", "parameters": {"Warps": 2, "Width": 4}, "quick": True},
               {"name": "four", "parameters": {"Warps": 4, "Width": 4}, "quick": True},
               {"name": "wide", "parameters": {"Warps": 2, "Width": 8}}],
    "published": [{"text": "a sum", "source": "nowhere", "compare": "words only"},
                  {"text": "bits", "source": "nowhere", "compare": "", "bits_per_warp": {
                      "published": 8, "point": "four", "memories": ["sum_mem"]}},
                  {"text": "once", "source": "nowhere", "compare": "", "bits": {
                      "published": 10, "point": "two", "state": ["sum_o", "valid_o"]}},
                  {"text": "twice", "source": "nowhere", "compare": "", "ratio": {
                      "published": 4, "quantity": "memory_bits", "of": {"point": "four"}, "to": {"point": "two"}}}],
}

FORMAL = """module sums_formal (
  input logic clk_i, input logic rst_ni, input logic valid_i, input logic clear_i, input logic warp_i,
  input logic [3:0] add_i
);
  logic valid;
  logic [3:0] sum;
  sums #(.Warps(2), .Width(4)) u_sums (
    .clk_i, .rst_ni, .valid_i, .clear_i, .warp_i, .add_i, .valid_o(valid), .sum_o(sum));
  logic past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_ff @(posedge clk_i) begin
    if (!past_q) assume (!rst_ni);
    if (past_q && rst_ni && $past(rst_ni)) begin
      assert (valid == $past(valid_i));
      if (valid && $past(clear_i)) assert (sum == 4'd0);
    end
  end
endmodule
"""

PROOF = {"top": "sums_formal", "bmc_steps": 5, "short_steps": 3, "induction_steps": 2,
         "seeded_bug": {"file": "sums.sv", "replace": "clear_i ? '0 :", "with": "clear_i ? 4'd1 :", "found_within": 4,
                        "why": "a cleared sum is one"}}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Rtl:
    """A folder of blocks with one block, sums."""

    def __init__(self, folder):
        self.folder, self.out = folder / "rtl", folder / "out"
        self.block = self.folder / "sums"
        (self.block / "formal").mkdir(parents=True)
        self.source(SUMS)
        self.synth(SYNTH)
        self.proof(PROOF)
        self.checker(FORMAL)

    def source(self, text):
        (self.block / "sums.sv").write_text(text)

    def synth(self, value):
        (self.block / "synth.json").write_text(value if isinstance(value, str) else json.dumps(value))

    def proof(self, value):
        (self.block / "formal" / "proof.json").write_text(value if isinstance(value, str) else json.dumps(value))

    def checker(self, text):
        (self.block / "formal" / "sums_formal.sv").write_text(text)

    def run(self, command, *arguments, code=0, says=(), environment=None):
        """Runs scripts/<command> on the folder; stdout and stderr together."""
        script = [sys.executable, "-B", ROOT / "scripts" / command]
        done = subprocess.run([*script, *arguments, "--rtl", self.folder, "--out", self.out], capture_output=True,
                              text=True, check=False, env={**os.environ, **(environment or {})})
        text = done.stdout + done.stderr
        print(f"$ scripts/{command} {' '.join(map(str, arguments))}\n{text}")
        check("Traceback" not in text, "an exception reached the user")
        check(done.returncode == code, f"exit code {done.returncode}, expected {code}")
        for words in says:
            check(words in text, f"it does not say '{words}'")
        return text

    def results(self):
        return json.loads((self.out / "results.json").read_text())["blocks"]["sums"]


def main(cases):
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return
    with tempfile.TemporaryDirectory() as folder:
        cases[sys.argv[1]](Rtl(pathlib.Path(folder)))
