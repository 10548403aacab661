// split_unit_checker at three sizes: two warps without calls, and without read-out; and a warp by itself, of which more events fit into as many clocks, with calls, of two
// lanes, and of three, which is no power of two.

`default_nettype none

module split_unit_formal (
  input logic        clk_i,
  input logic [1:0]  valid_w,
  input logic [5:0]  op_w,
  input logic [1:0]  warp_w,
  input logic [1:0]  split_w,
  input logic [3:0]  lanes_w,
  input logic [3:0]  next_w,
  input logic [3:0]  meet_w,
  input logic [1:0]  side_lanes_w,
  input logic [1:0]  side_pc_w,
  input logic        index_w,
  input logic        valid_2,
  input logic [2:0]  op_2,
  input logic        warp_2,
  input logic        split_2,
  input logic [1:0]  lanes_2,
  input logic [1:0]  next_2,
  input logic [1:0]  meet_2,
  input logic [1:0]  side_lanes_2,
  input logic [1:0]  side_pc_2,
  input logic        index_2,
  input logic        valid_3,
  input logic [2:0]  op_3,
  input logic        warp_3,
  input logic [1:0]  split_3,
  input logic [2:0]  lanes_3,
  input logic [1:0]  next_3,
  input logic [1:0]  meet_3,
  input logic [2:0]  side_lanes_3,
  input logic [1:0]  side_pc_3,
  input logic [1:0]  index_3
);

  split_unit_checker #(.Lanes(2), .Frames(1), .Warps(2), .Debug(0)) u_warps (
    .clk_i, .valid(valid_w), .op(op_w), .warp(warp_w), .split(split_w), .lanes(lanes_w), .next(next_w),
    .meet(meet_w), .side_lanes(side_lanes_w), .side_pc(side_pc_w), .index(index_w)
  );
  split_unit_checker #(.Lanes(2), .Frames(2), .Warps(1)) u_two (
    .clk_i, .valid(valid_2), .op(op_2), .warp(warp_2), .split(split_2), .lanes(lanes_2), .next(next_2),
    .meet(meet_2), .side_lanes(side_lanes_2), .side_pc(side_pc_2), .index(index_2)
  );
  split_unit_checker #(.Lanes(3), .Frames(2), .Warps(1)) u_three (
    .clk_i, .valid(valid_3), .op(op_3), .warp(warp_3), .split(split_3), .lanes(lanes_3), .next(next_3),
    .meet(meet_3), .side_lanes(side_lanes_3), .side_pc(side_pc_3), .index(index_3)
  );

endmodule

`default_nettype wire
