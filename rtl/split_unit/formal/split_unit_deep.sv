// split_unit_checker at two sizes, of which the first events are given, so that as many more fit into the clocks: what lanes do that have parted, in the
// kernel and in a function, is not given. A warp by itself of two lanes with calls; two warps without.

`default_nettype none

module split_unit_deep (
  input  logic       clk_i,
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

  split_unit_checker #(.Lanes(2), .Frames(2), .Warps(1), .Begins(1)) u_one (
    .clk_i, .valid(valid_1), .op(op_1), .warp(warp_1), .split(split_1), .lanes(lanes_1), .next(next_1),
    .meet(meet_1), .side_lanes(side_lanes_1), .side_pc(side_pc_1), .index(index_1)
  );
  split_unit_checker #(.Lanes(2), .Frames(1), .Warps(2), .Begins(1)) u_two (
    .clk_i, .valid(valid_2), .op(op_2), .warp(warp_2), .split(split_2), .lanes(lanes_2), .next(next_2),
    .meet(meet_2), .side_lanes(side_lanes_2), .side_pc(side_pc_2), .index(index_2)
  );

endmodule

`default_nettype wire
