// split_unit beside split_unit_reference: who is served, when which place is taken, when each event is answered, and every field of the answer; behind an answer
// all of warp 0's tables, as they are read out. Requesters keep to the contract; otherwise they ask for what they like.

`default_nettype none

module split_unit_lockstep #(
  parameter int unsigned Lanes       = 2,
  parameter int unsigned Frames      = 2,
  parameter int unsigned Warps       = 1,   // 1 or 2, and as many requesters
  parameter int unsigned PcW         = 2,
  parameter int unsigned Debug       = 1,   // 0: without the read-out, and what it shows
  localparam int unsigned Requesters = Warps,
  localparam int unsigned IdW        = $clog2(Lanes),
  localparam int unsigned CountW     = $clog2(Lanes + 1),
  localparam int unsigned FrameW     = (Frames > 1) ? $clog2(Frames) : 1,
  localparam int unsigned StW        = 2 * PcW + 2 * FrameW + IdW + 2 + Lanes
) (
  input logic                        clk_i,
  input logic [Requesters-1:0]       valid,
  input logic [Requesters*3-1:0]     op,
  input logic [Requesters-1:0]       warp,
  input logic [Requesters*Lanes-1:0] lanes,
  input logic [Requesters*PcW-1:0]   next,
  input logic [Requesters*PcW-1:0]   meet,
  input logic [Lanes-1:0]            side_lanes,
  input logic [PcW-1:0]              side_pc,
  input logic [IdW-1:0]              index
);
  localparam logic [PcW-1:0] NoPc = {PcW{1'b1}};

`include "split_unit_codes.svh"

  (* anyconst *) logic rotate;

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  logic [Requesters-1:0]     ready, warps;
  logic                      side_last, side_ready, rsp_valid, rsp_warp, rsp_error;
  logic [1:0]                rsp_state;
  logic [IdW-1:0]            rsp_split, read_queued;
  logic [PcW-1:0]            rsp_pc, rsp_watch;
  logic [Lanes-1:0]          rsp_mask;
  logic [CountW-1:0]         read_count;
  logic                      read_blocked, read_used;
  logic [StW-1:0]            read_split;
  logic [StW+Lanes-1:0]      read_point;
  logic [Requesters*IdW-1:0] split;
  assign warps = warp & {Requesters{Warps > 1}};
  split_unit #(.Warps(Warps), .Lanes(Lanes), .Frames(Frames), .PcW(PcW), .Requesters(Requesters), .Debug(Debug)) u_dut (
    .clk_i, .rst_ni(started), .rotate_i(rotate),
    .req_valid_i(valid), .req_ready_o(ready), .req_op_i(op), .req_warp_i(warps), .req_split_i(split), .req_lanes_i(lanes),
    .req_next_i(next), .req_rpc_i(meet),
    .side_lanes_i(side_lanes), .side_pc_i(side_pc), .side_last_i(side_last), .side_ready_o(side_ready),
    .answer_valid_o(rsp_valid), .answer_warp_o(rsp_warp), .answer_error_o(rsp_error), .answer_state_o(rsp_state),
    .answer_split_o(rsp_split), .answer_pc_o(rsp_pc), .answer_watch_o(rsp_watch), .answer_mask_o(rsp_mask),
    .debug_warp_i(1'b0), .debug_index_i(index), .debug_count_o(read_count), .debug_queued_o(read_queued),
    .debug_blocked_o(read_blocked), .debug_used_o(read_used), .debug_split_o(read_split), .debug_point_o(read_point)
  );

  // ---- Who is served by the contract: in turn
  logic                  room, second, last = 1'b1, accept, served_warp;
  logic [Requesters-1:0] serves;
  assign second = Requesters > 1 && (!valid[0] || (&valid && !last));
  assign accept = started && room && valid != '0;
  assign serves = accept ? Requesters'(1'b1) << second : '0;
  always_ff @(posedge clk_i) if (accept) last <= second;
  logic [2:0]       ask;
  logic [Lanes-1:0] who;
  logic [PcW-1:0]   goes, meeting;
  assign served_warp = warps[second];
  assign ask         = op[second*3 +: 3];
  assign who         = lanes[second*Lanes +: Lanes];
  assign goes        = next[second*PcW +: PcW];
  assign meeting     = meet[second*PcW +: PcW];

  logic                 took, is_valid, is_warp, is_error, called, busy, busy_warp;
  logic [1:0]           is_state, state;
  logic [IdW-1:0]       is_split, front;
  logic [PcW-1:0]       is_pc, is_watch;
  logic [Lanes-1:0]     is_mask, top, waits, is_blocked, is_used, points_used;
  logic [Lanes*IdW-1:0] queue;
  logic [CountW-1:0]    count;
  logic [Lanes*StW-1:0] splits;
  logic [Lanes*(StW+Lanes)-1:0] points;
  split_unit_reference #(.Warps(Warps), .Lanes(Lanes), .Frames(Frames), .PcW(PcW)) u_reference (
    .clk_i, .rst_ni(started), .rotate_i(rotate), .accept_i(accept), .op_i(ask), .warp_i(served_warp), .lanes_i(who), .next_i(goes), .rpc_i(meeting),
    .side_lanes_i(side_lanes), .side_pc_i(side_pc), .side_last_i(side_last), .room_o(room), .took_side_o(took),
    .answer_valid_o(is_valid), .answer_warp_o(is_warp), .answer_error_o(is_error), .answer_state_o(is_state), .answer_split_o(is_split),
    .answer_pc_o(is_pc), .answer_watch_o(is_watch), .answer_mask_o(is_mask),
    .busy_o(busy), .warp_o(busy_warp), .state_o(state), .front_o(front), .called_o(called), .mask_o(top), .waits_o(waits),
    .queue_o(queue), .count_o(count), .blocked_o(is_blocked), .used_o(is_used), .points_used_o(points_used), .splits_o(splits), .points_o(points)
  );
  for (genvar r = 0; r < Requesters; r++) begin : gen_split
    assign split[r*IdW +: IdW] = front;   // as its last answer named it
  end

  // ---- The contract of who asks
  logic [Lanes-1:0]    hit, left = '0;
  logic [2**PcW-1:0]   used_pcs = '0;
  assign hit       = who & top;
  assign side_last = side_lanes == left;
  always @(posedge clk_i) begin
    for (int unsigned r = 0; r < Requesters; r++) assume (!valid[r] || !busy || busy_warp != warps[r]);   // one event of a warp at a time
    if (accept) begin
      assume (goes != NoPc);
      if (ask == OpLaunch) assume (who != '0 && state == 2'd0);
      else if (ask == OpRelease) assume (state != 2'd0 && (waits & ~who) == '0);
      else assume (state == 2'd1);
      if (ask == OpReturn) assume (called);
      left      <= ask == OpJump ? top : ask == OpReturn || (ask == OpCall && !(called || Frames == 1)) ? hit : '0;
      used_pcs  <= '0;
    end else if (side_ready) begin
      left              <= left & ~side_lanes;
      used_pcs[side_pc] <= 1'b1;
    end
    if (left != '0) assume (side_lanes != '0 && (side_lanes & ~left) == '0 && side_pc != NoPc && !used_pcs[side_pc]);
  end

  // ---- The same in every clock
  logic took_place = 1'b0;
  always_ff @(posedge clk_i) took_place <= side_ready;
  always @(posedge clk_i) if (started) begin
    assert (ready == serves);
    assert (took_place == took);
    assert (rsp_valid == is_valid);
    if (is_valid) begin
      assert ({rsp_warp, rsp_error, rsp_state} == {is_warp, is_error, is_state});
      if (is_state != 2'd0) assert (rsp_split == is_split);
      if (is_state == 2'd1) assert ({rsp_pc, rsp_watch, rsp_mask} == {is_pc, is_watch, is_mask});
    end
  end

  // ---- It happens
  logic [3:0] clocks = '0;
  logic [2:0] under_way = '0;
  always_ff @(posedge clk_i) begin
    clocks <= accept ? 4'd1 : clocks + 4'(busy);
    if (accept) under_way <= ask;
  end
  always @(posedge clk_i) if (started) begin
    cover (is_valid && is_error);
    cover (is_valid && is_state == 2'd0);
    cover (is_valid && is_state == 2'd2);
    cover (is_valid && is_state == 2'd1 && under_way == OpRelease);
    cover (is_valid && is_state == 2'd1 && under_way == OpReturn && clocks > 4'd5);
    cover (is_valid && is_state == 2'd1 && under_way == OpExit && clocks > 4'd4);
    cover (is_valid && is_state == 2'd1 && under_way == OpJump && is_watch != NoPc);
  end

  // ---- The tables, in the clocks in which nothing is under way
  logic quiet = 1'b0;
  always_ff @(posedge clk_i) quiet <= started && room && !accept;
  logic [StW-1:0]       is_entry;
  logic [StW+Lanes-1:0] is_point;
  assign is_entry = splits[index*StW +: StW];
  assign is_point = points[index*(StW+Lanes) +: StW+Lanes];
  if (Debug != 0) begin : gen_tables
    always @(posedge clk_i) if (started && quiet && 32'(index) < Lanes) begin
      assert (read_count == count);
      if (32'(index) < 32'(count)) assert (read_queued == queue[index*IdW +: IdW]);
      if (is_used[index]) assert (read_blocked == is_blocked[index] && read_split == is_entry);
      if (count != '0) assert (read_used == points_used[index]);
      if (count != '0 && points_used[index]) assert (read_point == is_point);
    end
  end

endmodule

`default_nettype wire
