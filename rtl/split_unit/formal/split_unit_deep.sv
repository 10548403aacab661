// split_unit_checker with given beginnings, so that as many more events fit into the clocks: what lanes do that have parted, in the kernel and in a function
// that all or some have called, is not given. A warp by itself of two lanes and of three, with calls; two warps without.

`default_nettype none

module split_unit_deep (
  input logic        clk_i,
  input logic        valid_1,
  input logic [2:0]  op_1,
  input logic        warp_1,
  input logic        split_1,
  input logic [1:0]  lanes_1,
  input logic [1:0]  next_1,
  input logic [1:0]  meet_1,
  input logic [1:0]  side_lanes_1,
  input logic [1:0]  side_pc_1,
  input logic        index_1,
  input logic        valid_3,
  input logic [2:0]  op_3,
  input logic        warp_3,
  input logic [1:0]  split_3,
  input logic [2:0]  lanes_3,
  input logic [1:0]  next_3,
  input logic [1:0]  meet_3,
  input logic [2:0]  side_lanes_3,
  input logic [1:0]  side_pc_3,
  input logic [1:0]  index_3,
  input logic [1:0]  valid_2,
  input logic [5:0]  op_2,
  input logic [1:0]  warp_2,
  input logic [1:0]  split_2,
  input logic [3:0]  lanes_2,
  input logic [3:0]  next_2,
  input logic [3:0]  meet_2,
  input logic [1:0]  side_lanes_2,
  input logic [1:0]  side_pc_2,
  input logic        index_2
);

  split_unit_checker #(.Lanes(2), .Frames(2), .Warps(1), .Begins(1)) u_all (
    .clk_i, .valid(valid_1), .op(op_1), .warp(warp_1), .split(split_1), .lanes(lanes_1), .next(next_1),
    .meet(meet_1), .side_lanes(side_lanes_1), .side_pc(side_pc_1), .index(index_1)
  );
  split_unit_checker #(.Lanes(3), .Frames(2), .Warps(1), .Begins(2)) u_some (
    .clk_i, .valid(valid_3), .op(op_3), .warp(warp_3), .split(split_3), .lanes(lanes_3), .next(next_3),
    .meet(meet_3), .side_lanes(side_lanes_3), .side_pc(side_pc_3), .index(index_3)
  );
  split_unit_checker #(.Lanes(2), .Frames(1), .Warps(2), .Begins(1)) u_two (
    .clk_i, .valid(valid_2), .op(op_2), .warp(warp_2), .split(split_2), .lanes(lanes_2), .next(next_2),
    .meet(meet_2), .side_lanes(side_lanes_2), .side_pc(side_pc_2), .index(index_2)
  );

endmodule

`default_nettype wire
