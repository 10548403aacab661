// Memory of words with a write and a read port, both synchronous: the one wrapper of all memories of the blocks, so that a technology's
// macro has one place.
//
// A read that begins in a clock is on read_data_o from the next one on, and stays until another read. Contents are undefined after reset:
// what must be known then (valid bits) is in flip-flops of the block's.
//
// A word that is written and read in the same clock:
//   SameAddress 0  the user never does that. In simulation it ends the run; the data would be the macro's to choose
//   SameAddress 1  the read answers with what is written, by a register beside the macro

`default_nettype none

module ram_1r1w #(
  parameter int unsigned Words       = 32,
  parameter int unsigned Width       = 32,
  parameter int unsigned SameAddress = 0,
  localparam int unsigned AddrW      = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [AddrW-1:0] write_addr_i,
  input  logic [Width-1:0] write_data_i,
  input  logic             read_i,
  input  logic [AddrW-1:0] read_addr_i,
  output logic [Width-1:0] read_data_o
);

  if (Words < 1 || Width < 1 || SameAddress > 1) begin : gen_illegal
    $error("ram_1r1w: Words and Width must be at least 1, SameAddress 0 or 1");
  end

  // ---- The macro
  logic [Width-1:0] mem [Words];
  logic [Width-1:0] read_q;
  always_ff @(posedge clk_i) begin
    if (write_i) mem[write_addr_i] <= write_data_i;
    if (read_i) read_q <= mem[read_addr_i];
  end

  logic same;
  assign same = write_i && read_i && write_addr_i == read_addr_i;
  if (SameAddress != 0) begin : gen_bypass
    logic             same_q;
    logic [Width-1:0] written_q;
    always_ff @(posedge clk_i) begin
      if (read_i) same_q <= same;
      if (same) written_q <= write_data_i;
    end
    assign read_data_o = same_q ? written_q : read_q;
  end else begin : gen_no_bypass
    assign read_data_o = read_q;
`ifdef VERILATOR
    always_ff @(posedge clk_i) assert (!same);
`else
    logic unused;
    assign unused = same;
`endif
  end

endmodule

`default_nettype wire
