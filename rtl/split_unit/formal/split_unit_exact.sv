// split_unit_lockstep at one size: a warp by itself, of two lanes, with calls.

`default_nettype none

module split_unit_exact (
  input logic        clk_i,
  input logic        valid,
  input logic [2:0]  op,
  input logic        warp,
  input logic [1:0]  lanes,
  input logic [1:0]  next,
  input logic [1:0]  meet,
  input logic [1:0]  side_lanes,
  input logic [1:0]  side_pc,
  input logic        index
);

  split_unit_lockstep #(.Lanes(2), .Frames(2), .Warps(1)) u_exact (
    .clk_i, .valid, .op, .warp, .lanes, .next, .meet, .side_lanes, .side_pc, .index
  );

endmodule

`default_nettype wire
