// simt_stack against a stack that takes lanes out of every entry at once, as the model does: two requesters whose warps keep to the contract,
// one of which (any one) is followed. Proven of it:
//  - who is served, and in which clock there is room; every request is answered, with all that the eager stack has, in exactly the
//    clock that its pushes and pops cost; nothing else is answered;
//  - what is read out of a warp that has no request under way;
//  - masks are never empty and nested: an entry's lanes are all in, or none of them in, any entry below; so the sides of a branch are
//    disjoint and within the entry below them, and entries whose lanes have left are at the top;
//  - the threads in the stack are those that were launched and have not exited;
//  - below the top no entry is at its RPC but one that waits for a call, so that a request pops one such entry at most;
//  - without calls the entry i has at most Lanes - i / 2 lanes: the stack has 2 * Lanes - 1 entries at most.

`default_nettype none

module simt_stack_checker #(
  parameter int unsigned Lanes       = 3,
  parameter int unsigned Depth       = 2 * Lanes - 1,
  parameter int unsigned Debug       = 1,   // 0: without the read-out, and what it shows
  parameter int unsigned Covers      = 1,   // 0: fewer lanes than what is to happen takes
  localparam int unsigned Warps      = 2,
  localparam int unsigned Frames     = 2,
  localparam int unsigned PcW        = 2,
  localparam int unsigned Requesters = 2,
  localparam int unsigned DepthW     = $clog2(Depth + 1)
) (
  input logic                        clk_i,
  // The user's choices
  input logic                        several,  // CALL: more SIDEs follow
  input logic [Requesters-1:0]       valid,
  input logic [Requesters*4-1:0]     op,
  input logic [Requesters-1:0]       warp,
  input logic [Requesters*Lanes-1:0] lanes,
  input logic [Requesters*PcW-1:0]   target,
  input logic [Requesters*PcW-1:0]   next,
  input logic [Requesters*PcW-1:0]   meet,
  input logic [DepthW-1:0]           position
);
  localparam logic [PcW-1:0] NoPc = {PcW{1'b1}};

`include "simt_stack_codes.svh"

  (* anyconst *) logic [1:0] first_side;
  (* anyconst *) logic       tracked;

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  logic [Requesters-1:0] ready;
  logic                  rsp_valid, rsp_warp, rsp_barrier, rsp_diverged, rsp_reconverged, rsp_frame;
  logic [1:0]            rsp_error;
  logic [DepthW-1:0]     rsp_depth, read_depth;
  logic [PcW-1:0]        rsp_pc, rsp_rpc, read_pc, read_rpc;
  logic [Lanes-1:0]      rsp_mask, read_mask;
  logic                  read_barrier, read_caller, read_frame;

  simt_stack #(
    .Warps(Warps), .Lanes(Lanes), .Depth(Depth), .Frames(Frames), .PcW(PcW), .Requesters(Requesters), .Debug(Debug)
  ) u_dut (
    .clk_i, .rst_ni(started), .first_side_i(first_side),
    .req_valid_i(valid), .req_ready_o(ready), .req_op_i(op), .req_warp_i(warp), .req_lanes_i(lanes), .req_target_i(target),
    .req_next_i(next), .req_rpc_i(meet),
    .answer_valid_o(rsp_valid), .answer_warp_o(rsp_warp), .answer_error_o(rsp_error), .answer_depth_o(rsp_depth),
    .answer_pc_o(rsp_pc), .answer_rpc_o(rsp_rpc), .answer_mask_o(rsp_mask), .answer_frame_o(rsp_frame),
    .answer_barrier_o(rsp_barrier), .answer_diverged_o(rsp_diverged), .answer_reconverged_o(rsp_reconverged),
    .debug_warp_i(tracked), .debug_position_i(position), .debug_frame_i(read_frame), .debug_depth_o(read_depth),
    .debug_barrier_o(read_barrier), .debug_pc_o(read_pc), .debug_rpc_o(read_rpc), .debug_mask_o(read_mask),
    .debug_caller_o(read_caller)
  );

  // ---- The request that is served
  logic              accept, req_warp;
  logic [3:0]        req_op;
  logic [Lanes-1:0]  req_lanes;
  logic [PcW-1:0]    req_target, req_next, req_rpc;
  assign accept     = started && ready != '0;
  assign req_op     = ready[1] ? op[7:4] : op[3:0];
  assign req_warp   = ready[1] ? warp[1] : warp[0];
  assign req_lanes  = ready[1] ? lanes[Lanes +: Lanes] : lanes[0 +: Lanes];
  assign req_target = ready[1] ? target[PcW +: PcW] : target[0 +: PcW];
  assign req_next   = ready[1] ? next[PcW +: PcW] : next[0 +: PcW];
  assign req_rpc    = ready[1] ? meet[PcW +: PcW] : meet[0 +: PcW];

  // ---- The contract, by what the block has answered: the user is as a core is.
  logic [Warps-1:0]        out = '0;        // not answered
  logic [Warps-1:0]        gone = '1;       // the warp has no stack
  logic [Warps-1:0]        in_call = '0;    // its top is in a function that was called
  logic [Warps-1:0]        open = '0;       // SIDEs are to follow
  logic [Warps-1:0]        fresh = '0;      // a SPLIT was the last request
  logic [Warps-1:0]        failed = '0;     // the last answer was an error
  logic [Warps*Lanes-1:0]  mask_of = '0;
  logic                    now;             // the warp is being answered
  logic [Lanes-1:0]        top_mask, hit;
  logic                    no_stack, called;
  assign now      = rsp_valid && rsp_warp == req_warp;
  assign top_mask = now ? rsp_mask : mask_of[req_warp*Lanes +: Lanes];
  assign hit      = req_lanes & top_mask;
  assign no_stack = now ? rsp_depth == '0 : gone[req_warp];
  assign called   = now ? rsp_frame : in_call[req_warp];

  always @(posedge clk_i) begin
    if (rsp_valid) begin
      out[rsp_warp]                    <= 1'b0;
      gone[rsp_warp]                   <= rsp_depth == '0;
      in_call[rsp_warp]                <= rsp_frame;
      mask_of[rsp_warp*Lanes +: Lanes] <= rsp_mask;
      failed[rsp_warp]                 <= rsp_error != 2'd0;
    end
    if (accept) begin
      assume (!out[req_warp] || now);
      assume (req_op <= OpSide);
      assume (req_target != NoPc && req_next != NoPc);
      if (req_op == OpLaunch) assume (req_lanes != '0);
      else assume (!no_stack);
      if (req_op == OpReturn) assume (called);
      if (req_op == OpSide) assume (hit != '0 && !(fresh[req_warp] && hit == top_mask));
      if (req_op == OpSplit) assume ((top_mask & (top_mask - 1'b1)) != '0);
      assume (open[req_warp] ? req_op == OpSide || req_op == OpLaunch : req_op != OpSide);
      // After an error the core gives the warp up.
      if (now ? rsp_error != 2'd0 : failed[req_warp]) assume (req_op == OpLaunch);
      out[req_warp]   <= 1'b1;
      open[req_warp]  <= req_op == OpSplit || (req_op == OpCall && several && hit != '0) ||
                         (req_op == OpSide && hit != top_mask);
      fresh[req_warp] <= req_op == OpSplit;
    end
  end

  // ---- The eager stack of the tracked warp: entries {frame, pc, rpc, mask}, bottom first
  localparam int unsigned EntryW = 1 + 2 * PcW + Lanes;
  typedef struct packed {
    logic             frame;
    logic [PcW-1:0]   pc;
    logic [PcW-1:0]   rpc;
    logic [Lanes-1:0] mask;
  } entry_t;
  logic [DepthW-1:0]       depth = '0, n_depth;
  logic [Depth*EntryW-1:0] stack, n_stack;
  logic                    ever_called = 1'b0, n_ever_called;

  function automatic logic [1:0] count(input logic [Lanes-1:0] lanes);
    count = '0;
    for (int unsigned i = 0; i < Lanes; i++) count = count + 2'(lanes[i]);
  endfunction
  function automatic logic [EntryW-1:0] get(input logic [Depth*EntryW-1:0] from, input logic [DepthW-1:0] at);
    get = '0;
    for (int unsigned i = 0; i < Depth; i++)
      if (DepthW'(i) == at) get = from[i*EntryW +: EntryW];
  endfunction
  function automatic logic [Depth*EntryW-1:0] put(input logic [Depth*EntryW-1:0] into, input logic [DepthW-1:0] at,
                                                  input logic [EntryW-1:0] entry);
    put = into;
    for (int unsigned i = 0; i < Depth; i++)
      if (DepthW'(i) == at) put[i*EntryW +: EntryW] = entry;
  endfunction

  logic [1:0]        n_error;
  logic              n_diverged, n_reconverged, n_contiguous, n_once, settles, taken_first;
  entry_t            t, e, moved;                // the top before; one that is looked at; the top after
  logic [Lanes-1:0]  taken, other, a_mask, b_mask;
  logic [PcW-1:0]    a_pc, b_pc;
  // Entries that take the place of the top, lowest first, and which of them there are.
  entry_t            p0, p1, p2;
  logic              v0, v1, v2;
  logic [DepthW-1:0] at, kept;
  logic [DepthW:0]   wanted;
  always_comb begin
    t             = get(stack, depth - 1'b1);
    taken         = t.mask & req_lanes;
    other         = t.mask & ~req_lanes;
    taken_first   = first_side == 2'd3 ? count(taken) < count(other) : first_side == 2'd1;
    a_pc          = taken_first ? req_target : req_next;  // runs first
    b_pc          = taken_first ? req_next : req_target;
    a_mask        = taken_first ? taken : other;
    b_mask        = taken_first ? other : taken;
    n_error       = 2'd0;
    n_diverged    = 1'b0;
    n_reconverged = 1'b0;
    n_contiguous  = 1'b1;
    n_once        = 1'b1;
    n_ever_called = ever_called;
    settles       = 1'b0;
    moved         = {t.frame, req_next, t.rpc, t.mask};
    p0            = t;
    p1            = t;
    p2            = t;
    v0            = 1'b1;
    v1            = 1'b0;
    v2            = 1'b0;
    kept          = '0;
    e             = t;
    n_stack       = stack;
    at            = depth - 1'b1;
    case (req_op)
      OpLaunch: begin
        at            = '0;
        p0            = {1'b0, req_next, NoPc, req_lanes};
        n_ever_called = 1'b0;
      end
      OpAdvance, OpArrive: begin
        p0      = moved;
        settles = req_op == OpAdvance;
      end
      OpRelease: settles = 1'b1;
      OpBranch: begin
        if (taken == '0 || other == '0) begin
          p0      = {t.frame, taken != '0 ? req_target : req_next, t.rpc, t.mask};
          settles = 1'b1;
        end else begin
          n_diverged = 1'b1;
          v0 = t.rpc != req_rpc;
          v1 = b_pc != req_rpc;
          v2 = a_pc != req_rpc;
          p0 = {t.frame, req_rpc, t.rpc, t.mask};
          p1 = {t.frame, b_pc, req_rpc, b_mask};
          p2 = {t.frame, a_pc, req_rpc, a_mask};
        end
      end
      OpCall: begin
        p0      = moved;
        p1      = {1'b1, req_target, NoPc, taken};
        v1      = taken != '0;
        settles = taken == '0;
        if (v1 && t.frame) n_error = 2'd2;
        if (v1) n_ever_called = 1'b1;
      end
      OpReturn, OpExit: begin
        p0      = moved;
        settles = 1'b1;
      end
      OpSplit: begin
        p0 = {t.frame, req_rpc, t.rpc, t.mask};
        p1 = {t.frame, t.pc, req_rpc, t.mask};
        v0 = t.rpc != req_rpc;
        v1 = 1'b1;
      end
      OpSide: begin
        p0 = {t.frame, req_target, t.rpc, taken};
        p1 = {t.frame, t.pc, t.rpc, other};
        v0 = req_target != t.rpc;
        v1 = other != '0;
      end
      default: ;
    endcase
    wanted = {1'b0, at} + (DepthW+1)'(v0) + (DepthW+1)'(v1) + (DepthW+1)'(v2);
    if (wanted > (DepthW+1)'(Depth)) n_error = 2'd1;
    n_depth = depth;
    if (n_error != 2'd0) begin
      n_ever_called = ever_called;
      n_diverged    = 1'b0;
    end else begin
      if (v0) begin n_stack = put(n_stack, at, p0); at = at + 1'b1; end
      if (v1) begin n_stack = put(n_stack, at, p1); at = at + 1'b1; end
      if (v2) begin n_stack = put(n_stack, at, p2); at = at + 1'b1; end
      n_depth = at;
    end
    // Lanes leave every entry, or every one of the function; entries without lanes go.
    if (req_op == OpReturn || req_op == OpExit) begin
      for (int unsigned i = 0; i < Depth; i++) begin
        e = n_stack[i*EntryW +: EntryW];
        if (req_op == OpExit || e.frame == t.frame) e.mask = e.mask & ~taken;
        n_stack[i*EntryW +: EntryW] = e;
        if (DepthW'(i) < depth && e.mask != '0) begin
          if (kept != DepthW'(i)) n_contiguous = 1'b0;
          kept = kept + 1'b1;
        end
      end
      n_depth = kept;
    end
    // The top goes if it is at its RPC; the next one is not.
    if (settles && n_depth != '0) begin
      e = get(n_stack, n_depth - 1'b1);
      if (e.pc == e.rpc && e.rpc != NoPc) begin
        n_reconverged = 1'b1;
        n_depth       = n_depth - 1'b1;
        e             = get(n_stack, n_depth - 1'b1);
        if (n_depth != '0 && e.pc == e.rpc && e.rpc != NoPc) n_once = 1'b0;
      end
    end
  end

  // ---- What has to be answered, and when
  logic [Lanes-1:0]  live = '0;  // threads that were launched and have not exited
  logic              pending = 1'b0;  // the tracked warp has asked
  logic [3:0]        waited = '0;     // clocks since it was served, but one
  logic [1:0]        x_error;
  logic [DepthW-1:0] x_depth;
  entry_t            x, shown;
  logic              x_diverged, x_reconverged;
  logic              x_barrier = 1'b0;  // the top waits at one
  // Clocks of stage 2: one, one more for a second entry that is written, and one for every entry that goes. A warp that ends pops nothing.
  logic [3:0]        x_clocks, n_clocks;
  logic              ends, due;
  assign ends = req_op == OpExit && (live & ~taken) == '0;
  always_comb begin
    n_clocks = 4'd1;
    if (n_error == 2'd0 && req_op != OpLaunch && !ends) begin
      n_clocks = 4'd1 + 4'(v0 && v1 && v2) + 4'(!v0 && !v1 && !v2) + 4'(n_reconverged);
      if (req_op == OpReturn || req_op == OpExit) n_clocks = n_clocks + 4'(depth - kept);
    end
  end
  assign shown = get(n_stack, n_depth - 1'b1);
  // LatencyAnswer is for a request that takes one clock of stage 2.
  assign due   = pending && waited + 4'd1 == x_clocks + 4'(LatencyAnswer) - 4'd1;

  // ---- Stage 2, as seen from outside: who is in it, and when it has room
  logic was_accepted = 1'b0, was_busy = 1'b0, was_free = 1'b0, was_offered = 1'b0, busy, in_work = 1'b0, was_in_work = 1'b0;
  logic last = 1'b1;  // who was served last
  logic [Requesters-1:0] turn;
  assign busy = was_accepted || (was_busy && !rsp_valid);
  assign turn = valid == 2'b11 ? (last ? 2'b01 : 2'b10) : valid;
  always @(posedge clk_i) begin
    was_accepted <= accept;
    was_busy     <= started && busy;
    was_free     <= accept;
    was_offered  <= started && valid != '0 && busy;
    was_in_work  <= in_work;
    if (accept) begin
      in_work <= req_warp;
      last    <= ready[1];
    end
    if (started) begin
      assert (ready == '0 || ready == turn);
      if (!busy) assert (ready == turn);
      if (busy && in_work == tracked) assert ((ready == turn) == (valid == '0 || waited + 4'd1 == x_clocks));
      // Of another warp when it is done is known when it answers.
      if (was_offered) assert (was_free == rsp_valid);
      assert (rsp_valid <= was_busy);
      if (rsp_valid) assert (rsp_warp == was_in_work);
      assert ((rsp_valid && rsp_warp == tracked) == due);
    end
  end

  always @(posedge clk_i) begin
    if (due) pending <= 1'b0;
    waited <= waited + 1'b1;
    if (accept && req_warp == tracked) begin
      pending     <= 1'b1;
      waited      <= '0;
      depth       <= n_depth;
      stack       <= n_stack;
      ever_called <= n_ever_called;
      assert (n_contiguous);
      assert (n_once);
      x_error     <= n_error;
      x_depth     <= n_depth;
      x           <= shown;
      x_clocks    <= n_clocks;
      if (n_error == 2'd0 && (req_op == OpLaunch || req_op == OpArrive || req_op == OpRelease))
        x_barrier <= req_op == OpArrive;
      x_diverged    <= n_diverged;
      x_reconverged <= n_reconverged;
      if (!ever_called && req_op != OpCall) assert (n_error != 2'd1);
    end
    if (started && due) begin
      assert (rsp_error == x_error);
      assert (rsp_depth == x_depth);
      if (x_depth != '0) begin
        assert (rsp_barrier == x_barrier);
        assert (rsp_pc == x.pc);
        assert (rsp_rpc == x.rpc);
        assert (rsp_mask == x.mask);
        assert (rsp_frame == x.frame);
      end
      assert (rsp_diverged == x_diverged);
      assert (rsp_reconverged == x_reconverged);
    end
  end

  // ---- What is read out
  entry_t read, above;
  assign read       = get(stack, position);
  assign above      = get(stack, position + 1'b1);
  assign read_frame = read.frame;
  always @(posedge clk_i) begin
    if (Debug == 0) assert ({read_depth, read_barrier, read_pc, read_rpc, read_mask, read_caller} == '0);
    else if (started && (!pending || due)) begin
      assert (read_depth == depth);
      if (position < depth) begin
        assert (read_barrier == x_barrier);
        assert ({read_pc, read_rpc, read_mask} == {read.pc, read.rpc, read.mask});
        assert (read_caller == (position + 1'b1 < depth && above.frame != read.frame));
      end
    end
  end

  // ---- Which side runs first, with a constant FirstSide: nothing else of the block depends on it
  logic [Lanes-1:0] side_hit, side_miss;
  assign side_hit  = req_lanes;
  assign side_miss = ~req_lanes & Lanes'({position[0], several, valid[0]});  // any others
  for (genvar side = 1; side <= 3; side++) begin : gen_sides
    logic [PcW-1:0]   first_pc, second_pc;
    logic [Lanes-1:0] first_mask, second_mask;
    logic             swapped, taken_first_side;
    simt_stack_sides #(.Lanes(Lanes), .PcW(PcW), .FirstSide(side)) u_sides (
      .first_side_i(~first_side), .hit_i(side_hit), .miss_i(side_miss), .target_i(req_target), .next_i(req_next),
      .taken_first_o(taken_first_side), .first_pc_o(first_pc), .first_mask_o(first_mask), .second_pc_o(second_pc), .second_mask_o(second_mask)
    );
    assign swapped = side == 2 || (side == 3 && count(side_hit) >= count(side_miss));
    always @(posedge clk_i) begin
      assert ({first_pc, first_mask} == (swapped ? {req_next, side_miss} : {req_target, side_hit}));
      assert (taken_first_side == !swapped);
      assert ({second_pc, second_mask} == (swapped ? {req_target, side_hit} : {req_next, side_miss}));
    end
  end

  // ---- What holds of the stack at all times
  logic [Lanes-1:0] held_lanes;  // threads in some entry
  always @(posedge clk_i) begin
    if (accept && req_warp == tracked && n_error == 2'd0) begin
      if (req_op == OpLaunch) live <= req_lanes;
      if (req_op == OpExit)   live <= live & ~taken;
    end
  end
  always_comb begin
    held_lanes = '0;
    for (int unsigned i = 0; i < Depth; i++)
      if (DepthW'(i) < depth) held_lanes = held_lanes | stack[i*EntryW +: Lanes];
  end
  entry_t lower, upper;
  always @(posedge clk_i) begin
    assert (held_lanes == live);  // no thread is lost or comes from nowhere; by what follows the highest entry that it is in is its only place
    for (int unsigned i = 0; i < Depth; i++) begin
      lower = stack[i*EntryW +: EntryW];
      if (DepthW'(i) < depth) assert (lower.mask != '0);
      // Two entries more cost a lane: what bounds the depth, for any number of lanes. After a SPLIT the top is still to be divided.
      if (DepthW'(i) < depth && !ever_called && !(fresh[tracked] && DepthW'(i + 1) == depth))
        assert (i + 2 * 32'(count(lower.mask)) <= 2 * Lanes);
      for (int unsigned j = i + 1; j < Depth; j++) begin
        upper = stack[j*EntryW +: EntryW];
        if (DepthW'(j) < depth) begin
          assert ((upper.mask & lower.mask) == '0 || (upper.mask & ~lower.mask) == '0);
          assert (upper.frame >= lower.frame);
          assert (j != i + 1 || upper.frame != lower.frame || lower.pc != lower.rpc || lower.rpc == NoPc);
        end
      end
    end
    if (!ever_called) assert (depth <= DepthW'(2 * Lanes - 1));
  end

  // ---- All of this happens: the deepest stack; a stack that would be too deep, or calls that would be; a branch that leaves three entries;
  // both sides of a branch that meet; a request that pops two entries; a thread that ends in a function that others come back from; a
  // barrier that releases a warp; a switch to two targets.
  if (Covers != 0) begin : gen_covers
    logic              was_release = 1'b0;
    logic [DepthW-1:0] depth_before = '0;
    logic [1:0]        sides = '0;
    logic              ended_in_call = 1'b0;
    always @(posedge clk_i) begin
      if (accept && req_warp == tracked) begin
        depth_before <= depth;
        was_release  <= req_op == OpRelease && x_barrier;
        sides        <= req_op == OpSplit ? '0 : req_op == OpSide ? sides + 1'b1 : sides;
        if (req_op == OpExit && t.frame && other != '0) ended_in_call <= 1'b1;
        if (req_op == OpLaunch) ended_in_call <= 1'b0;
        // The answers to these are within the steps of the full proof.
        cover (n_depth == DepthW'(Depth));
        cover (req_op == OpSide && sides == 2'd1 && n_depth == DepthW'(3));
        cover (n_error == 2'd1);
        cover (n_depth + 2'd2 == depth && n_depth != '0);
        cover (t.frame && req_op == OpReturn && other == '0 && ended_in_call && n_depth != '0 && !shown.frame);
      end
      if (started && rsp_valid && rsp_warp == tracked) begin
        cover (rsp_error == 2'd2);
        cover (rsp_diverged && rsp_depth == depth_before + 2'd2);
        cover (rsp_reconverged && rsp_mask == '1 && depth_before == DepthW'(2));
        cover (was_release && !rsp_barrier);
      end
    end
  end
endmodule

`default_nettype wire
