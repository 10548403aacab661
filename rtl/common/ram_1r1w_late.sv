// ram_1r1w behind a write register: what is written stands in the register for a clock, so that the logic in front of it need not reach
// the words. Neither in that clock nor in the one in which the write is asked for is the word read (proven with each block, and asserted
// when it is simulated). The read-out knows of the register.

`default_nettype none

module ram_1r1w_late #(
  parameter int unsigned Words  = 32,
  parameter int unsigned Width  = 32,
  parameter int unsigned Debug  = 0,
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

  logic             late_q;
  logic [AddrW-1:0] late_addr_q;
  logic [Width-1:0] late_data_q, debug_data;
  always_ff @(posedge clk_i) begin
    late_q <= write_i;
    if (write_i) late_addr_q <= write_addr_i;
    if (write_i) late_data_q <= write_data_i;
  end
  ram_1r1w #(.Words(Words), .Width(Width), .Debug(Debug)) u_ram (
    .clk_i, .write_i(late_q), .write_addr_i(late_addr_q), .write_data_i(late_data_q), .read_i, .read_addr_i, .read_data_o,
    .debug_addr_i, .debug_data_o(debug_data)
  );
  assign debug_data_o = Debug != 0 && late_q && late_addr_q == debug_addr_i ? late_data_q : debug_data;

`ifdef FORMAL
  always_ff @(posedge clk_i) assert (!(write_i && read_i && write_addr_i == read_addr_i));
`endif
`ifdef VERILATOR
  always_ff @(posedge clk_i) assert (!(write_i && read_i && write_addr_i == read_addr_i));
`endif

endmodule

`default_nettype wire
