// split_unit_checker at two sizes: three lanes, which is no power of two, with functions that call; and two lanes without.

`default_nettype none

module split_unit_formal (
  input logic        clk_i,
  input logic [1:0]  valid,
  input logic [5:0]  op,
  input logic [1:0]  warp,
  input logic [3:0]  split,
  input logic [5:0]  lanes,
  input logic [3:0]  next,
  input logic [3:0]  meet,
  input logic [2:0]  side_lanes,
  input logic [1:0]  side_pc,
  input logic [1:0]  index,
  input logic [1:0]  valid2,
  input logic [5:0]  op2,
  input logic [1:0]  warp2,
  input logic [1:0]  split2,
  input logic [3:0]  lanes2,
  input logic [3:0]  next2,
  input logic [3:0]  meet2,
  input logic [1:0]  side_lanes2,
  input logic [1:0]  side_pc2,
  input logic        index2
);

  split_unit_checker #(.Lanes(3), .Frames(2)) u_three (.clk_i, .valid, .op, .warp, .split, .lanes, .next, .meet, .side_lanes, .side_pc, .index);
  split_unit_checker #(.Lanes(2), .Frames(1)) u_two (
    .clk_i, .valid(valid2), .op(op2), .warp(warp2), .split(split2), .lanes(lanes2), .next(next2), .meet(meet2), .side_lanes(side_lanes2),
    .side_pc(side_pc2), .index(index2)
  );

endmodule

`default_nettype wire
