// simt_stack_checker at two sizes: three lanes, and two without read-out, whose three words a warp are no power of two, so that a word
// below the bottom of one warp is another's.

`default_nettype none

module simt_stack_formal (
  input logic       clk_i,
  input logic       several,
  input logic [1:0] valid,
  input logic [7:0] op,
  input logic [1:0] warp,
  input logic [5:0] lanes,
  input logic [3:0] target,
  input logic [3:0] next,
  input logic [3:0] meet,
  input logic [2:0] position,
  input logic       several_2,
  input logic [1:0] valid_2,
  input logic [7:0] op_2,
  input logic [1:0] warp_2,
  input logic [3:0] lanes_2,
  input logic [3:0] target_2,
  input logic [3:0] next_2,
  input logic [3:0] meet_2
);

  simt_stack_checker #(.Lanes(3)) u_three (
    .clk_i, .several, .valid, .op, .warp, .lanes, .target, .next, .meet, .position
  );
  simt_stack_checker #(.Lanes(2), .Depth(4), .Debug(0), .Covers(0)) u_two (
    .clk_i, .several(several_2), .valid(valid_2), .op(op_2), .warp(warp_2), .lanes(lanes_2), .target(target_2), .next(next_2),
    .meet(meet_2), .position('0)
  );

endmodule

`default_nettype wire
