// Words with a write port and a read port that answers at once: context memories whose request is read and answered in a clock. What is
// written stands in a register for a clock, so that the logic in front of it need not reach the words; a word that is on its way is read
// from there. So a read sees all that was written in earlier clocks. Contents are undefined after reset.

`default_nettype none

module late_words #(
  parameter int unsigned Words  = 32,
  parameter int unsigned Width  = 32,
  localparam int unsigned AddrW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [AddrW-1:0] write_addr_i,
  input  logic [Width-1:0] write_data_i,
  input  logic [AddrW-1:0] read_addr_i,
  output logic [Width-1:0] read_data_o
`ifdef FORMAL
  , input  logic [AddrW-1:0] formal_addr_i
  , output logic [Width-1:0] formal_data_o
`endif
);

  logic [Width-1:0] mem [Words];
  logic             late_q;
  logic [AddrW-1:0] late_addr_q;
  logic [Width-1:0] late_data_q;
  always_ff @(posedge clk_i) begin
    late_q <= write_i;
    if (write_i) late_addr_q <= write_addr_i;
    if (write_i) late_data_q <= write_data_i;
    if (late_q) mem[late_addr_q] <= late_data_q;
  end
  assign read_data_o = late_q && late_addr_q == read_addr_i ? late_data_q : mem[read_addr_i];
`ifdef FORMAL
  assign formal_data_o = late_q && late_addr_q == formal_addr_i ? late_data_q : mem[formal_addr_i];
`endif

endmodule

`default_nettype wire
