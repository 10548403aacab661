// Memory of words with a write and a read port, both synchronous: the one wrapper of the blocks' memories, so that a technology's macro
// has one place.
//
// A read that begins in a clock is on read_data_o from the next one on, and stays until another read. Contents are undefined after reset:
// what must be known then (valid bits) is in flip-flops of the block's.
//
// Same address: a word that is written is not read in the same clock. Macros differ in what such a read answers, so blocks do not do it
// (proven with each block, and asserted when it is simulated).

`default_nettype none

module ram_1r1w #(
  parameter int unsigned Words  = 32,
  parameter int unsigned Width  = 32,
  parameter int unsigned Debug  = 0,   // 1: debug_data_o is the word at debug_addr_i, at once; 0: it is 0 and costs nothing
  localparam int unsigned AddrW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [AddrW-1:0] write_addr_i,
  input  logic [Width-1:0] write_data_i,
  input  logic             read_i,
  input  logic [AddrW-1:0] read_addr_i,
  output logic [Width-1:0] read_data_o,
  input  logic [AddrW-1:0] debug_addr_i,
  output logic [Width-1:0] debug_data_o
);

  if (Words < 1 || Width < 1) begin : gen_illegal
    $error("ram_1r1w: Words and Width must be at least 1");
  end

  // ---- The macro
  logic [Width-1:0] mem [Words];
  always_ff @(posedge clk_i) begin
    if (write_i) mem[write_addr_i] <= write_data_i;
    if (read_i) read_data_o <= mem[read_addr_i];
  end

  // ---- Read-out: what only traces and comparisons want
  if (Debug != 0) begin : gen_debug
    assign debug_data_o = mem[debug_addr_i];
  end else begin : gen_no_debug
    assign debug_data_o = '0;
    logic unused_debug;
    assign unused_debug = ^debug_addr_i;
  end

`ifdef FORMAL
  always_ff @(posedge clk_i) assert (!(write_i && read_i && write_addr_i == read_addr_i));
`endif
`ifdef VERILATOR
  always_ff @(posedge clk_i) assert (!(write_i && read_i && write_addr_i == read_addr_i));
`endif

endmodule

`default_nettype wire
