// split_unit_checker at one size, with two warps and with calls: what the default tests have time for.

`default_nettype none

module split_unit_short (
  input logic        clk_i,
  input logic [1:0]  valid,
  input logic [5:0]  op,
  input logic [1:0]  warp,
  input logic [1:0]  split,
  input logic [3:0]  lanes,
  input logic [3:0]  next,
  input logic [3:0]  meet,
  input logic [1:0]  side_lanes,
  input logic [1:0]  side_pc,
  input logic        index
);

  split_unit_checker #(.Lanes(2), .Frames(2), .Warps(2)) u_short (
    .clk_i, .valid, .op, .warp, .split, .lanes, .next,
    .meet, .side_lanes, .side_pc, .index
  );

endmodule

`default_nettype wire
