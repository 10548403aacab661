// split_unit against threads by themselves: two requesters whose warps keep to the contract, one of which (any one) is followed, thread by
// thread. Proven of it:
//  - who is served, in turn, and at once if nothing is under way; every event is answered, once, and nothing else is;
//  - the lanes of an answer are there: each thread is where its own branches, calls and returns have brought it, in the function that it is in;
//    none has exited, or waits at a barrier. A warp has ended when, and only when, all its threads have;
//  - a call that is too deep is an error, and nothing is done; nothing else is one;
//  - that all wait is said only if one waits at a barrier; a split that runs is not where it is to meet others;
//  - what is answered is what the tables have of the split in front: number, place, lanes, where it meets others. The point where it meets them
//    is there, is at that place, and expects its lanes;
//  - threads that have arrived at a point are where the point is, and do not run; a point expects threads that live, and misses one;
//  - in exactly which clock an event is answered whose first step is all, a branch with several places of a warp without another split, and a
//    release of any number of splits none of which is at its RPC; all others within a bound;
//  - a split that takes a branch goes behind the others, if it is to, and stays in front if it is not;
//  - places are asked for as long as there are any;
//  - no memory is read where it is written (in ram_1r1w).

`default_nettype none

module split_unit_checker #(
  parameter int unsigned Lanes       = 3,
  parameter int unsigned Frames      = 2,
  parameter int unsigned Warps       = 2,   // 1 or 2, and as many requesters
  parameter int unsigned Debug       = 1,   // 0: without the read-out, and what it shows
  parameter int unsigned Begins      = 0,   // of each warp the first events are, at once: a launch of all lanes, a call (1: by all or none, 2: by all lanes but the last), and a branch apart
  localparam int unsigned PcW        = 2,
  localparam int unsigned Requesters = Warps,
  localparam int unsigned IdW        = $clog2(Lanes),
  localparam int unsigned CountW     = $clog2(Lanes + 1),
  localparam int unsigned StW        = 2 * PcW + 2 + IdW + 2 + Lanes,
  localparam int unsigned MostClocks = 10
) (
  input logic                        clk_i,
  // The user's choices
  input logic [Requesters-1:0]       valid,
  input logic [Requesters*3-1:0]     op,
  input logic [Requesters-1:0]       warp,
  input logic [Requesters*IdW-1:0]   split,
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
  (* anyconst *) logic any_warp;
  logic tracked;
  assign tracked = any_warp && Warps > 1;

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  logic [Requesters-1:0] ready;
  logic                  side_last, side_ready, rsp_valid, rsp_warp, rsp_error;
  logic [1:0]            rsp_state;
  logic [IdW-1:0]        rsp_split, read_queued;
  logic [PcW-1:0]        rsp_pc, rsp_watch;
  logic [Lanes-1:0]      rsp_mask;
  logic [CountW-1:0]     read_count;
  logic                  read_blocked, read_used;
  logic [StW-1:0]        read_split;
  logic [StW+Lanes-1:0]  read_point;
  split_unit #(.Warps(Warps), .Lanes(Lanes), .Frames(Frames), .PcW(PcW), .Requesters(Requesters), .Debug(Debug)) u_dut (
    .clk_i, .rst_ni(started), .rotate_i(rotate),
    .req_valid_i(valid), .req_ready_o(ready), .req_op_i(op), .req_warp_i(warp & {Requesters{Warps > 1}}), .req_split_i(split), .req_lanes_i(lanes),
    .req_next_i(next), .req_rpc_i(meet),
    .side_lanes_i(side_lanes), .side_pc_i(side_pc), .side_last_i(side_last), .side_ready_o(side_ready),
    .answer_valid_o(rsp_valid), .answer_warp_o(rsp_warp), .answer_error_o(rsp_error), .answer_state_o(rsp_state),
    .answer_split_o(rsp_split), .answer_pc_o(rsp_pc), .answer_watch_o(rsp_watch), .answer_mask_o(rsp_mask),
    .debug_warp_i(tracked), .debug_index_i(index), .debug_count_o(read_count), .debug_queued_o(read_queued),
    .debug_blocked_o(read_blocked), .debug_used_o(read_used), .debug_split_o(read_split), .debug_point_o(read_point)
  );

  // ---- The event that is served
  logic             accept, req_warp, now;
  logic [2:0]       req_op;
  logic [IdW-1:0]   req_split;
  logic [Lanes-1:0] req_lanes;
  logic [PcW-1:0]   req_next, req_rpc;
  logic             second;
  assign accept    = started && ready != '0;
  assign second    = Requesters > 1 && !ready[0];
  assign req_op    = op[second*3 +: 3];
  assign req_warp  = warp[second] && Warps > 1;
  assign req_split = split[second*IdW +: IdW];
  assign req_lanes = lanes[second*Lanes +: Lanes];
  assign req_next  = next[second*PcW +: PcW];
  assign req_rpc   = meet[second*PcW +: PcW];
  assign now       = rsp_valid && rsp_warp == req_warp;

  // ---- The threads of both warps: where they are, by what has been asked. Lane l of warp w is thread w * Lanes + l.
  localparam int unsigned Threads = Warps * Lanes;
  logic [Threads-1:0]     live = '0, waits = '0, called = '0;
  logic [Threads*PcW-1:0] at = '0;
  // What was answered last
  logic [Warps-1:0]       out = '0;
  logic [Warps*2-1:0]     state_of = '0;
  logic [Warps*IdW-1:0]   split_of = '0;
  logic [Threads-1:0]     mask_of = '0;
  logic [Lanes-1:0]       top_mask, hit;
  logic [1:0]             top_state;
  logic [IdW-1:0]         top_split;
  assign top_mask  = now && !rsp_error ? rsp_mask : mask_of[req_warp*Lanes +: Lanes];
  assign top_state = now && !rsp_error ? rsp_state : state_of[req_warp*2 +: 2];
  assign top_split = now && !rsp_error ? rsp_split : split_of[req_warp*IdW +: IdW];
  assign hit       = req_lanes & top_mask;
  logic too_deep;  // nothing is done then
  assign too_deep = req_op == OpCall && hit != '0 && (Frames == 1 || (hit & called[req_warp*Lanes +: Lanes]) != '0);

  // The event under way, and its places
  logic             served_warp = 1'b0, returns = 1'b0, waited = 1'b0;
  logic [Lanes-1:0] left = '0, seen_lanes = '0;
  logic [PcW-1:0]   seen_pc = '0;
  logic [3:0]       used_pcs = '0;
  assign side_last = side_lanes == left;
  always @(posedge clk_i) begin
    if (started && side_ready) assert (left != '0);  // of an event that has no more places none is asked
    // A place stays until it is taken.
    if (waited) assume (side_lanes == seen_lanes && side_pc == seen_pc);
    waited     <= left != '0 && !side_ready;
    seen_lanes <= side_lanes;
    seen_pc    <= side_pc;
    if (left != '0) assume (side_lanes != '0 && (side_lanes & ~left) == '0 && side_pc != NoPc && !used_pcs[side_pc]);
  end

  always @(posedge clk_i) begin
    if (rsp_valid) begin
      out[rsp_warp] <= 1'b0;
    end
    if (rsp_valid && !rsp_error) begin
      state_of[rsp_warp*2 +: 2]        <= rsp_state;
      split_of[rsp_warp*IdW +: IdW]    <= rsp_split;
      mask_of[rsp_warp*Lanes +: Lanes] <= rsp_mask;
    end
    if (side_ready) begin
      left             <= left & ~side_lanes;
      used_pcs[side_pc] <= 1'b1;
      for (int unsigned l = 0; l < Lanes; l++)
        if (side_lanes[l]) at[(served_warp*Lanes+l)*PcW +: PcW] <= side_pc;
    end
    // None is of a warp whose answer is outstanding.
    for (int unsigned r = 0; r < Requesters; r++)
      assume (!valid[r] || !out[warp[r] && Warps > 1] || (rsp_valid && rsp_warp == (warp[r] && Warps > 1)));
    if (accept) begin
      assume (req_next != NoPc && 32'(req_split) < Lanes);
      if (req_op == OpLaunch) assume (req_lanes != '0 && (top_state == 2'd0));
      else if (req_op == OpRelease) assume (top_state != 2'd0 && (waits[req_warp*Lanes +: Lanes] & ~req_lanes) == '0);
      else assume (top_state == 2'd1 && req_split == top_split);
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (req_op == OpReturn && hit[l]) assume (called[req_warp*Lanes+l]);
      end
      out[req_warp] <= 1'b1;
      served_warp   <= req_warp;
      returns       <= req_op == OpReturn;
      left          <= too_deep ? '0 : req_op == OpJump ? top_mask : req_op == OpCall || req_op == OpReturn ? hit : '0;
      used_pcs      <= '0;
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (req_op == OpLaunch) begin
          live[req_warp*Lanes+l]            <= req_lanes[l];
          waits[req_warp*Lanes+l]           <= 1'b0;
          called[req_warp*Lanes+l]          <= 1'b0;
          at[(req_warp*Lanes+l)*PcW +: PcW] <= req_next;
        end else if (req_op == OpRelease) begin
          waits[req_warp*Lanes+l] <= 1'b0;
        end else if (top_mask[l] && !too_deep) begin
          at[(req_warp*Lanes+l)*PcW +: PcW] <= req_next;
          if (req_op == OpExit && hit[l]) live[req_warp*Lanes+l] <= 1'b0;
          if (req_op == OpArrive) waits[req_warp*Lanes+l] <= 1'b1;
          if (req_op == OpCall && hit[l]) called[req_warp*Lanes+l] <= 1'b1;
          if (req_op == OpReturn && hit[l]) called[req_warp*Lanes+l] <= 1'b0;
        end
      end
    end
  end

  // ---- What has been given: how far each warp is in it
  if (Begins != 0) begin : gen_begins
    (* anyconst *) logic all_call;
    logic [Warps*2-1:0] begun = '0;
    logic               apart = 1'b0;
    always @(posedge clk_i) begin
      for (int unsigned w = 0; w < Warps; w++) begin
        if (Warps > 1) assume (warp[w] == (w == 1));
        if (started && begun[w*2 +: 2] != 2'd3 && (!out[w] || (rsp_valid && (Warps == 1 || rsp_warp == (w == 1))))) assume (valid[w]);
      end
      if (accept && begun[req_warp*2 +: 2] != 2'd3) begin
        assume (&req_lanes || Begins == 2);
        if (Begins == 2) assume (req_op == OpCall ? !req_lanes[Lanes-1] && &req_lanes[Lanes-2:0] : &req_lanes);
        unique case (begun[req_warp*2 +: 2])
          2'd0:    assume (req_op == OpLaunch);
          2'd1:    assume (req_op == OpCall);
          default: assume (req_op == OpJump && req_rpc != NoPc);
        endcase
        begun[req_warp*2 +: 2] <= begun[req_warp*2 +: 2] == 2'd0 && ((!all_call && Begins == 1) || Frames == 1) ? 2'd2 : begun[req_warp*2 +: 2] + 1'b1;
      end
      if (accept) apart <= begun[req_warp*2 +: 2] == 2'd2;
      // Each of a branch's lanes goes elsewhere, those of a call to one place.
      if (left != '0 && apart) assume ((side_lanes & (side_lanes - 1'b1)) == '0);
      if (left != '0 && !apart && begun[served_warp*2 +: 2] != 2'd3) assume (side_lanes == left);
    end
  end

  // ---- Who is served: the other one than last time, if it asks
  logic last = 1'b1, launches = 1'b0, launched = 1'b0;
  always @(posedge clk_i) {launches, launched} <= {accept && req_op == OpLaunch, launches};
  always @(posedge clk_i) if (accept) last <= second;
  always @(posedge clk_i) if (started) begin
    assert ((ready & (ready - 1'b1)) == '0);
    assert ((ready & ~valid) == '0);
    if (accept && (&valid) && Requesters > 1) assert (second != last);
    // Served at once if nothing is under way, and in the last clock of an event whose split is at hand.
    if (valid != '0 && ((out & ~(Warps'(rsp_valid) << rsp_warp)) == '0 || launched)) assert (accept);
  end

  // ---- The tracked warp: its answers
  logic [Lanes-1:0]     t_live, t_waits, t_called;
  logic [Lanes*PcW-1:0] t_at;
  assign t_live   = live[tracked*Lanes +: Lanes];
  assign t_waits  = waits[tracked*Lanes +: Lanes];
  assign t_called = called[tracked*Lanes +: Lanes];
  assign t_at     = at[tracked*Lanes*PcW +: Lanes*PcW];
  logic                 answered;
  logic                 x_error = 1'b0;
  always @(posedge clk_i) if (accept && req_warp == tracked) x_error <= too_deep;
  assign answered = started && rsp_valid && rsp_warp == tracked;
  always @(posedge clk_i) if (started) begin
    if (rsp_valid) assert (out[rsp_warp]);
    if (answered) assert (rsp_error == x_error);
    if (answered && !rsp_error) begin
      assert (rsp_state != 2'd3);
      assert ((rsp_state == 2'd0) == (t_live == '0));
      if (rsp_state == 2'd2) assert (t_waits != '0);
      if (rsp_state == 2'd1) begin
        assert (rsp_mask != '0);
        assert ((rsp_mask & ~t_live) == '0);
        assert ((rsp_mask & t_waits) == '0);
        assert (rsp_watch != rsp_pc);
        assert ((rsp_mask & t_called) == '0 || (rsp_mask & ~t_called) == '0);
        for (int unsigned l = 0; l < Lanes; l++)
          if (rsp_mask[l]) assert (t_at[l*PcW +: PcW] == rsp_pc);
      end
    end
  end

  // ---- Its points, while none of its events is under way
  logic [Lanes-1:0] point_pend, point_rec, arrived;
  logic [PcW-1:0]   point_pc;
  logic             point_frame;
  assign {point_pend, point_pc, point_frame, point_rec} = read_point[StW+Lanes-1 -: 2*Lanes+PcW+1];
  assign arrived = point_rec & ~point_pend;
  always @(posedge clk_i)
    if (Debug != 0 && started && !out[tracked] && t_live != '0 && 32'(index) < Lanes && read_used) begin
      assert (point_pend != '0 && (point_pend & ~point_rec) == '0 && (point_rec & ~t_live) == '0);
      assert (state_of[tracked*2 +: 2] != 2'd1 || (arrived & mask_of[tracked*Lanes +: Lanes]) == '0);
      for (int unsigned l = 0; l < Lanes; l++)
        if (arrived[l]) assert (t_at[l*PcW +: PcW] == point_pc && t_called[l] == point_frame && !t_waits[l]);
    end

  // ---- The split that was answered, as it is in the tables
  logic [PcW-1:0]   entry_pc, entry_rpc, pc_of = '0, watch_of = NoPc;
  logic             entry_frame, entry_there, entry_kind, entry_rpc_frame;
  logic [IdW-1:0]   entry_id;
  logic [Lanes-1:0] entry_mask;
  assign {entry_pc, entry_frame, entry_mask, entry_there, entry_kind, entry_id, entry_rpc, entry_rpc_frame} = read_split;
  logic             meets = 1'b0, meets_apart = 1'b0;   // the front split has a point: its number; it is not in this function
  logic [IdW-1:0]   meets_at = '0;
  logic [PcW-1:0]   meets_pc = '0;
  always @(posedge clk_i) begin
    if (answered && !rsp_error) begin
      pc_of    <= rsp_pc;
      watch_of <= rsp_watch;
    end
    if (answered || (accept && req_warp == tracked)) meets <= 1'b0;
    else if (Debug != 0 && started && !out[tracked] && state_of[tracked*2 +: 2] == 2'd1 && index == split_of[tracked*IdW +: IdW]) begin
      meets       <= entry_there;
      meets_at    <= entry_id;
      meets_pc    <= entry_rpc;
      meets_apart <= entry_frame != entry_rpc_frame;
    end
    if (Debug != 0 && started && !out[tracked] && state_of[tracked*2 +: 2] != 2'd0) begin
      assert (read_count != '0 && 32'(read_count) <= Lanes);
      if (index == '0) assert (read_queued == split_of[tracked*IdW +: IdW]);
      if (index == split_of[tracked*IdW +: IdW]) begin
        assert (read_blocked == (state_of[tracked*2 +: 2] == 2'd2));
        if (state_of[tracked*2 +: 2] == 2'd1) begin
          assert ({entry_pc, entry_mask} == {pc_of, mask_of[tracked*Lanes +: Lanes]});
          assert ((entry_mask & t_called) == '0 ? !entry_frame : entry_frame);
          assert (watch_of == (entry_frame == entry_rpc_frame ? entry_rpc : NoPc));
        end
      end
      if (meets && !(accept && req_warp == tracked) && index == meets_at) begin
        assert (read_used && (mask_of[tracked*Lanes +: Lanes] & ~point_pend) == '0);
        if (!meets_apart) assert (meets_pc == point_pc);
      end
    end
    // In a warp that waits all lanes that are in a split wait; of one that nothing has diverged in, all lanes are there.
    if (Debug != 0 && started && !out[tracked] && state_of[tracked*2 +: 2] == 2'd2 && 32'(read_count) == 32'd1 && index == '0) assert (t_waits != '0);
  end

  // ---- Its clocks
  logic [4:0] clocks = '0;     // since it was served
  logic       exact = 1'b0;    // how many it takes is known
  logic [4:0] takes = '0, places = '0;
  logic       branch = 1'b0, t_now;
  assign t_now = accept && req_warp == tracked;
  logic single;
  logic [2:0] arrivals = '0;    // splits that wait
  logic       met = 1'b0;       // one of them at its RPC
  logic       late = 1'b0;      // ... since the launch: where it arrives when it is in front
  logic [PcW-1:0] watch_now;
  assign watch_now = now && !rsp_error ? rsp_watch : watch_of;
  assign single = top_state == 2'd1 && top_mask == live[req_warp*Lanes +: Lanes];  // nobody else
  always @(posedge clk_i) begin
    if (t_now) begin
      clocks <= 5'd1;
      places <= '0;
      takes  <= 5'(LatencyAnswer) + (req_op == OpRelease ? 5'(arrivals) : 5'd0);
      if (req_op == OpLaunch || req_op == OpRelease) {arrivals, met} <= '0;
      else if (req_op == OpArrive) {arrivals, met} <= {arrivals + 1'b1, met || req_next == watch_now};
      if (req_op == OpLaunch) late <= 1'b0;
      else if (req_op == OpArrive && req_next == watch_now) late <= 1'b1;
      branch <= req_op == OpJump && single;
      exact  <= req_op == OpLaunch || too_deep || (req_op == OpRelease && !met) ||
                (req_op == OpAdvance && req_next != watch_now) ||
                (req_op == OpExit && (live[req_warp*Lanes +: Lanes] & ~hit) == '0) || (req_op == OpArrive && single);
    end else if (out[tracked]) begin
      clocks <= clocks + 1'b1;
      if (side_ready && served_warp == tracked) places <= places + 1'b1;
    end
  end
  // Turns: a branch to one place, behind which others can run, and nobody waits, nor has waited where it is to arrive
  logic       turns = 1'b0;
  logic [IdW-1:0] asked = '0;
  always @(posedge clk_i) begin
    if (t_now) begin
      turns <= req_op == OpJump && read_count > CountW'(1) && hit != '0 && !late;
      asked <= req_split;
    end
    if (side_ready && served_warp == tracked && side_pc == watch_of) turns <= 1'b0;
    if (answered && turns && places == 5'd1 && t_waits == '0) assert ((rsp_split != asked) == rotate);
    // It takes a clock for each split that waits and is passed by.
    if (out[tracked] && !answered && turns && places == 5'd1 && left == '0) assert (clocks < 5'(LatencyAnswer) + 5'(arrivals));
    if (Debug != 0 && Warps == 1) cover (answered && turns && places == 5'd1 && rotate);
  end
  always @(posedge clk_i) if (started) begin
    if (answered && exact) assert (clocks == takes);
    if (out[tracked] && !answered && exact) assert (clocks < takes);
    if (answered && branch && places > 5'd1) assert (clocks == places + 5'd2);
    if (out[tracked] && !answered && branch && places > 5'd1) assert (clocks < places + 5'd2 || left != '0);
    if (answered) assert (clocks >= 5'(LatencyAnswer));
    if (out[tracked] && !answered) assert (clocks < 5'(MostClocks));
    if (Begins != 2) cover (answered && branch && places == 5'(Lanes));
    cover (answered && rsp_state == 2'd2);
    if (Debug != 0) cover (read_used && arrived != '0 && !out[tracked]);
    cover (answered && rsp_error);
    if (Warps == 1 && Begins != 2) cover (answered && exact && takes == 5'd4);   // 13 clocks from reset
  end
  if (Frames > 1) begin : gen_calls
    always @(posedge clk_i) if (started) begin
      if (Warps == 1) cover (answered && returns && rsp_state == 2'd1 && clocks > 5'd4);  // 14 clocks from reset
      cover (answered && t_called != '0 && rsp_mask != t_live && rsp_state == 2'd1);
    end
  end

endmodule

`default_nettype wire
