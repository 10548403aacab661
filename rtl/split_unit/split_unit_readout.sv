// What only traces and comparisons want of split_unit: entries of a warp that has no event under way. A part of split_unit.sv.

`default_nettype none

module split_unit_readout #(
  parameter int unsigned Warps = 48,
  parameter int unsigned Lanes = 32,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 write_i,         // the row of a warp
  input  logic [WarpW-1:0]     write_warp_i,
  input  logic [WarpW-1:0]     warp_i,
  input  logic [IdW-1:0]       index_i,
  // The row of warp_i
  input  logic [Lanes*IdW-1:0] queue_i,
  input  logic [CountW-1:0]    row_count_i,
  input  logic [Lanes-1:0]     row_blocked_i,
  input  logic [Lanes*IdW-1:0] free_i,
  input  logic [CountW-1:0]    free_count_i,
  output logic [CountW-1:0]    count_o,
  output logic [IdW-1:0]       queued_o,        // at that position
  output logic                 blocked_o,       // the split of that number
  output logic                 used_o           // the point of that number
);

  // Whether a warp has a row, of which nothing depends: after reset it has none.
  logic [Warps-1:0] there_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= '0;
    else if (write_i) there_q[write_warp_i] <= 1'b1;
  end
  logic [Lanes-1:0] free;
  for (genvar i = 0; i < Lanes; i++) begin : gen_free
    assign free[i] = CountW'(i) < free_count_i && free_i[i*IdW +: IdW] == index_i;
  end
  assign count_o   = there_q[warp_i] ? row_count_i : '0;
  assign queued_o  = queue_i[index_i*IdW +: IdW];
  assign blocked_o = (row_blocked_i & (Lanes'(1'b1) << index_i)) != '0;
  assign used_o    = there_q[warp_i] && free == '0;

endmodule

`default_nettype wire
