// The branch unit of AWARE ([AWARE] §5.1 to §5.5): per warp a splits table (ST), a reconvergence table (RT) and a queue of splits, of which the
// front one runs, under one sequencer with an arbiter in front. Twin of models/simt/clocked_splits.h, whose cost it has (split_work.h).
// README.md beside this file: theory of operation, contract, ports.
// Clock 0: of the requesters one is served, in turn; its event is registered, and the row of its warp and the split that asks are read. Behind it the
// event takes one step per clock: its first one, places that lanes go to, points where they arrive, splits that are new, in this order of urgency
// backwards. What a step does to the queue, and to the split that it writes, is done in the clock behind it. Behind the last one the front split answers.

`default_nettype none

module split_unit #(
  parameter int unsigned Warps      = 48,
  parameter int unsigned Lanes      = 32,   // of a warp: so many splits and points it may have
  parameter int unsigned Frames     = 8,    // nested calls, the kernel included
  parameter int unsigned PcW        = 32,   // all ones: no PC
  parameter int unsigned Requesters = 3,    // the schedulers of the core, and who launches warps and releases barriers
  parameter int unsigned Debug      = 1,    // 0: the ports debug_* are 0 and cost nothing
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1),
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic                        rotate_i,       // configuration, constant: a taken branch sends the split to the back of the queue

  // Events. A requester holds its own until it is ready; none is of a warp whose answer is outstanding.
  input  logic [Requesters-1:0]       req_valid_i,
  output logic [Requesters-1:0]       req_ready_o,    // who is served: at most one
  input  logic [Requesters*3-1:0]     req_op_i,
  input  logic [Requesters*WarpW-1:0] req_warp_i,
  input  logic [Requesters*IdW-1:0]   req_split_i,    // the split that asks, as its last answer named it
  input  logic [Requesters*Lanes-1:0] req_lanes_i,    // of it, those that do it; LAUNCH: that exist, RELEASE: that go on
  input  logic [Requesters*PcW-1:0]   req_next_i,     // where the others go
  input  logic [Requesters*PcW-1:0]   req_rpc_i,      // JUMP: where they meet

  // Places that lanes of the event being served go to, from the clock behind on; JUMP, CALL and RETURN with such lanes
  input  logic [Lanes-1:0]            side_lanes_i,
  input  logic [PcW-1:0]              side_pc_i,
  input  logic                        side_last_i,
  output logic                        side_ready_o,   // the next one is wanted

  // The answer, which is not held
  output logic                        answer_valid_o,
  output logic [WarpW-1:0]            answer_warp_o,
  output logic                        answer_error_o, // a call within more than Frames; nothing was done
  output logic [1:0]                  answer_state_o, // 0: the warp has ended, 1: a split runs, 2: all wait at a barrier
  output logic [IdW-1:0]              answer_split_o, // that is in front
  output logic [PcW-1:0]              answer_pc_o,
  output logic [PcW-1:0]              answer_watch_o, // where it meets others, in the function that it is in
  output logic [Lanes-1:0]            answer_mask_o,

  // Read-out of a warp that has no event under way: what only traces and comparisons want
  input  logic [WarpW-1:0]            debug_warp_i,
  input  logic [IdW-1:0]              debug_index_i,  // position in the queue, number of a split, number of a point
  output logic [CountW-1:0]           debug_count_o,
  output logic [IdW-1:0]              debug_queued_o,
  output logic                        debug_blocked_o, // the split of that number
  output logic                        debug_used_o,    // there is a point of that number
  output logic [2*PcW+2*FrameW+IdW+2+Lanes-1:0]   debug_split_o,
  output logic [2*PcW+2*FrameW+IdW+2+2*Lanes-1:0] debug_point_o
);

  if (Warps < 1 || Lanes < 2 || Frames < 1 || Requesters < 1 || Debug > 1) begin : gen_illegal
    $error("split_unit: Warps, Frames and Requesters must be at least 1, Lanes 2, Debug 0 or 1");
  end

  typedef enum logic [2:0] {   // ARRIVE: at a barrier
    OpLaunch = 3'd0, OpAdvance = 3'd1, OpJump = 3'd2, OpCall = 3'd3, OpReturn = 3'd4, OpExit = 3'd5, OpArrive = 3'd6, OpRelease = 3'd7
  } op_e;

  // Clocks from the one in which an event is served to that of its answer, if its first step is all.
  typedef enum logic [1:0] { LatencyAnswer = 2'd3 } latency_e;

  localparam logic [PcW-1:0] NoPc = {PcW{1'b1}};
  localparam int unsigned    StW      = 2 * PcW + 2 * FrameW + IdW + 2 + Lanes;
  localparam int unsigned    RtW      = StW + Lanes;
  localparam int unsigned    Words    = Warps * Lanes;
  localparam int unsigned    AddrW    = $clog2(Words);
  localparam int unsigned    RowW     = 2 * Lanes * IdW + 2 * CountW + 4 * Lanes;
  localparam int unsigned    RequestW = 3 + WarpW + IdW + Lanes + 2 * PcW;

  // An entry of the ST. Where its lanes meet others: an entry of the RT, and what is known of it.
  typedef struct packed {
    logic [PcW-1:0]    pc;
    logic [FrameW-1:0] frame;
    logic [Lanes-1:0]  mask;
    logic              there;      // they meet others
    logic              kind;       // 1: where a function returns to
    logic [IdW-1:0]    id;
    logic [PcW-1:0]    rpc;        // not there, or not known yet: none
    logic [FrameW-1:0] rpc_frame;
  } split_t;
  // An entry of the RT; its parent as that of a split
  typedef struct packed {
    logic [Lanes-1:0]  pend;       // of those expected, who has not come yet
    split_t            all;        // the split that they become: those expected
  } point_t;
  // What is known of a warp without a look at an entry
  typedef struct packed {
    logic [Lanes*IdW-1:0] splits;    // the queue, front first
    logic [CountW-1:0]    count;
    logic [Lanes-1:0]     used;
    logic [Lanes-1:0]     blocked;   // split i waits at a barrier
    logic [Lanes-1:0]     arrives;   // ... behind which it is at its RPC
    logic [Lanes*IdW-1:0] free;
    logic [CountW-1:0]    free_count;
    logic [Lanes-1:0]     live;      // lanes that have not exited
  } row_t;

  function automatic logic [AddrW-1:0] word(input logic [WarpW-1:0] warp, input logic [IdW-1:0] id);
    word = AddrW'(warp) * AddrW'(Lanes) + AddrW'(id);
  endfunction

  // ---- Clock 0: whose turn it is
  logic [Requesters*RequestW-1:0] asked;
  logic                           room, accept;
  logic [2:0]                     op;
  logic [WarpW-1:0]               warp;
  logic [IdW-1:0]                 asks;
  logic [Lanes-1:0]               lanes;
  logic [PcW-1:0]                 next, rpc;
  for (genvar r = 0; r < Requesters; r++) begin : gen_asked
    assign asked[r*RequestW +: RequestW] = {req_op_i[r*3 +: 3], req_warp_i[r*WarpW +: WarpW], req_split_i[r*IdW +: IdW],
                                            req_lanes_i[r*Lanes +: Lanes], req_next_i[r*PcW +: PcW], req_rpc_i[r*PcW +: PcW]};
  end
  turn_arbiter #(.Requesters(Requesters), .Width(RequestW)) u_arbiter (
    .clk_i, .rst_ni, .valid_i(req_valid_i), .request_i(asked), .room_i(room), .ready_o(req_ready_o), .accept_o(accept),
    .request_o({op, warp, asks, lanes, next, rpc})
  );

  // ---- Registers: the event, what is to be done next, the most urgent first
  logic             busy_q, first_q, stepping_q;  // no more steps: the queue is left, and who is in front
  logic [2:0]       op_q;
  logic [WarpW-1:0] warp_q;
  logic [IdW-1:0]   asks_q;
  logic [Lanes-1:0] lanes_q;
  logic [PcW-1:0]   next_q, rpc_q;
  row_t             row_q, row_d, row_read, row_written;
  logic             lacks_q, lacks;               // there was no number for the point of its branch or call
  logic             old_point_q;                  // its sides meet at the split's own
  logic             finish_q, finish_d;           // the front split, which has been looked at, is at its RPC
  logic             fails_q;
  // What the step before has done to the queue; it has written a split, a new one (push_q) or the one that asks
  logic             clear_q, pop_q, rotate_q, push_q, write_q, blocks_q, blocks_there_q, released_q;
  // Entries at hand: the split that this event has written, or visited, last; the point that it has written, or looked up
  logic             held_q, held_d;
  logic [IdW-1:0]   held_id_q, held_id_d;         // not of a new one: the queue has its number
  split_t           held_split_q, split_read;
  logic             from_held_q;                  // the split for `finish`, or for the answer, is the former; or else it has been read
  logic             known_q, known_d, kept_q;     // a point is at hand, in a register
  logic [IdW-1:0]   known_id_q, known_id_d;
  point_t           kept_point_q, point_read, point;

  logic [Lanes*IdW-1:0] free_numbers; logic [CountW-1:0] free_count;
  assign {free_numbers, free_count} = first_q ? {row_read.free, row_read.free_count} : {row_q.free, row_q.free_count};
  assign point = kept_q ? kept_point_q : point_read;

  // ---- What is done in this clock (split_unit_agenda.sv)
  logic             do_first, do_insert, do_place, do_arrive, do_walk, do_side, do_direct, do_visit, do_finish;
  logic             more, visit_d, wants, place_there, walk_there, arrives_next;
  logic [2:0]       walk;
  split_t           to_place, to_walk;
  point_t           inserted;
  logic [IdW-1:0]   inserted_id, arrive_id, visited, visited_d, wanted;
  logic [Lanes-1:0] direct_lanes, to_arrive;
  assign do_first  = first_q; assign do_finish = finish_q;

  // ---- The split of the event, and its lanes
  split_t           split, meeting, went;
  logic [Lanes-1:0] hit, miss;
  logic             went_there, side_there, old_point, new_point, full, side_direct, side_meets, returns_apart;
  logic             go, goes_taken, gone, leaves, ends, fails, diverges, returns, takes_side, returns_short, blocks, clear;
  logic [IdW-1:0]   new_point_id; logic [PcW-1:0] new_pc; logic [FrameW-1:0] new_frame;
  assign split  = split_read; assign full = free_count == '0;
  assign lacks  = do_first ? full : lacks_q;
  assign leaves = gone || do_finish;
  assign clear  = ends || (do_first && op_q == OpLaunch);
  split_unit_first #(.Lanes(Lanes), .Frames(Frames), .PcW(PcW)) u_first (
    .first_i(do_first), .is_i(6'(8'd1 << op_q >> 1)), .lanes_i(lanes_q), .next_i(next_q), .rpc_i(rpc_q), .side_pc_i, .side_last_i, .split_i(split),
    .live_i(row_read.live), .full_i(full), .number_i(new_point_id), .hit_o(hit), .miss_o(miss), .old_point_o(old_point),
    .new_point_o(new_point), .new_pc_o(new_pc), .new_frame_o(new_frame), .meeting_o(meeting), .side_direct_o(side_direct), .side_meets_o(side_meets),
    .returns_apart_o(returns_apart), .go_o(go), .goes_taken_o(goes_taken), .blocks_o(blocks), .went_o(went), .arrives_o(went_there), .side_arrives_o(side_there), .leaves_o(gone), .ends_o(ends),
    .fails_o(fails), .diverges_o(diverges), .returns_o(returns), .takes_side_o(takes_side), .returns_short_o(returns_short)
  );

  // ---- Places of a branch or call
  logic side_step, side_ends;
  assign side_step    = diverges || (do_side && op_q != OpReturn);
  assign side_ends    = side_step && side_last_i;
  assign side_ready_o = takes_side || side_step || (do_side && op_q == OpReturn);

  // ---- A step at a point
  logic              some_arrived, return_step, direct_step, step, settled, goes_on, up, meets, inserts, alone;
  logic [1:0]        step_kind;
  logic [Lanes-1:0]  step_lanes, rec, pend, arrived_lanes;
  logic [PcW-1:0]    step_pc, point_pc;
  logic [FrameW-1:0] step_frame;
  logic [IdW-1:0]    step_id;
  logic walks_next; assign walks_next = walk != '0;
  assign return_step   = do_side && op_q == OpReturn && (returns_apart || side_meets);
  assign arrived_lanes = (do_first ? '0 : direct_lanes) | (op_q == OpCall && do_first ? miss : '0) | (side_direct ? side_lanes_i : '0);
  assign some_arrived  = arrived_lanes != '0;
  assign direct_step   = side_ends && old_point_q && some_arrived && !do_first;
  assign step          = do_arrive || (do_walk && !walk[2]) || return_step || do_direct || direct_step;
  always_comb begin
    step_kind = 2'd1; step_id = split.id;
    step_pc = NoPc; step_frame = split.frame; step_lanes = direct_lanes;
    // Whether there is a step is known apart.
    if (arrives_next) begin
      step_id = arrive_id; step_lanes = to_arrive;
    end else if (walks_next) begin
      step_kind = walk[1:0]; step_id = to_walk.id;
      step_lanes = to_walk.mask; step_pc = to_walk.pc; step_frame = to_walk.frame;
    end else if (op_q == OpReturn) begin
      step_kind  = returns_apart ? 2'd3 : 2'd1;
      step_lanes = side_lanes_i; step_pc = side_pc_i;
    end
  end
  split_unit_point #(.Lanes(Lanes), .PcW(PcW), .FrameW(FrameW)) u_point (
    .kind_i(step_kind), .lanes_i(step_lanes), .too_i(do_side && side_direct), .too_lanes_i(side_lanes_i),
    .walks_i(walks_next && !arrives_next), .sides_i(op_q == OpReturn && !walks_next && !arrives_next), .walk_pc_i(to_walk.pc), .side_pc_i, .frame_i(step_frame), .full_i(full), .pc_of_i(point.all.pc),
    .rec_i(point.all.mask), .pend_i(point.pend), .parent_there_i(point.all.there), .parent_kind_i(point.all.kind),
    .parent_pc_i(point.all.rpc), .parent_frame_i(point.all.rpc_frame), .pc_o(point_pc), .rec_o(rec), .pend_o(pend),
    .settled_o(settled), .goes_on_o(goes_on), .up_o(up), .meets_o(meets), .inserts_o(inserts), .alone_o(alone)
  );
  split_t stepped;   // what the point's lanes are when all have come
  assign stepped = {point_pc, point.all.frame, rec, step && inserts
                    ? {2'b11, new_point_id, step_pc, FrameW'(step_frame - 1'b1)}
                    : {point.all.there, point.all.kind, point.all.id, point.all.rpc, point.all.rpc_frame}};

  // ---- A new split, which may have arrived already
  logic   placing, meets_there, at_rpc, placed_there;
  assign meets_there = old_point || (new_point && !lacks);
  split_t placed;
  always_comb begin
    placing = 1'b1;
    placed  = went;
    if (do_first && op_q == OpLaunch) begin
      placed = '0;
      placed.pc = next_q; placed.rpc = NoPc; placed.mask = lanes_q;
    end else if (side_step) begin
      placing = !side_direct;
      placed  = meets_there ? meeting : split;
      placed.pc = side_pc_i; placed.mask = side_lanes_i;
      placed.frame = op_q == OpCall ? split.frame + 1'b1 : split.frame;
    end else if (do_place || (do_walk && walk[2])) begin
      placed = do_place ? to_place : to_walk;
    end else if (do_side && !return_step) begin
      placed       = split;
      placed.pc = side_pc_i; placed.mask = side_lanes_i; placed.frame = split.frame - 1'b1;
    end else begin
      placing = 1'b0;
    end
  end
  // Before it is known what is placed. Lanes that come to a function by a call, or to a caller where they do not meet others, are at no RPC.
  always_comb begin
    if (do_first && !diverges) at_rpc = went_there && op_q != OpLaunch;
    else if (do_place)         at_rpc = place_there;
    else if (do_walk)          at_rpc = walk_there;
    else                       at_rpc = side_there && op_q == OpJump && !meets_there;
    placed_there = (placing || go) && at_rpc;
  end

  // ---- Points' numbers
  logic makes, give;
  logic [Lanes*IdW-1:0] free_d; logic [CountW-1:0] free_count_d;
  assign makes = (side_ends && new_point && !lacks) || returns_short;  // a point, at once
  assign give  = step && settled;
  split_unit_numbers #(.Lanes(Lanes)) u_numbers (
    .clear_i(clear), .make_i(makes), .insert_i(step && inserts), .give_i(give), .give_id_i(step_id), .free_i(free_numbers), .free_count_i(free_count),
    .new_point_o(new_point_id), .free_o(free_d), .free_count_o(free_count_d)
  );

  // ---- The queue, a clock behind the step
  logic                 pop, rotate, push, released, ending, empty, nobody, front_new, front_blocked, front_arrives;
  logic [IdW-1:0]       front, new_split;
  logic [Lanes*IdW-1:0] queue_d; logic [CountW-1:0] count_d;
  logic [Lanes-1:0]     used_d, blocked_d, arrives_at_rpc_d;
  assign pop      = leaves || (go && placed_there);
  assign rotate   = (go && !placed_there && goes_taken && rotate_i) || blocks;
  assign push     = placing && !placed_there;
  assign released = do_visit && (split_read.mask & ~lanes_q) == '0;
  split_unit_queue #(.Lanes(Lanes)) u_queue (
    .clear_i(clear_q), .pop_i(pop_q), .rotate_i(rotate_q), .push_i(push_q), .blocks_i(blocks_q), .at_rpc_i(blocks_there_q), .asks_i(asks_q),
    .released_i(released_q), .visited_i(held_id_q), .queue_i(row_q.splits), .count_i(row_q.count), .used_i(row_q.used),
    .blocked_i(row_q.blocked), .arrives_i(row_q.arrives), .queue_o(queue_d), .count_o(count_d), .used_o(used_d), .blocked_o(blocked_d),
    .arrives_o(arrives_at_rpc_d), .new_split_o(new_split), .empty_o(empty), .nobody_o(nobody), .front_new_o(front_new), .front_o(front),
    .front_blocked_o(front_blocked), .front_arrives_o(front_arrives)
  );
  always_comb begin
    row_written = {queue_d, count_d, used_d, blocked_d, arrives_at_rpc_d, row_q.free, row_q.free_count, row_q.live};
    row_d       = first_q ? row_read : row_written;
    {row_d.free, row_d.free_count} = {free_d, free_count_d};
    if (do_first && op_q == OpLaunch) row_d.live = lanes_q;
    if (do_first && op_q == OpExit)   row_d.live = row_read.live & ~hit;
  end

  // ---- The tables are written
  logic split_write, point_write; logic [IdW-1:0] split_to, point_to;
  point_t         point_written;
  assign split_write = push || (go && !placed_there) || blocks;
  assign split_to    = push_q ? new_split : asks_q;
  // Of a point that ends, whose number is free, nothing depends.
  assign point_write = do_insert || makes || step;
  always_comb begin
    point_to      = new_point_id;
    point_written = {split.mask & ~arrived_lanes, split};
    point_written.all.pc = new_pc; point_written.all.frame = new_frame;
    if (do_insert) begin
      point_to      = inserted_id;
      point_written = inserted;
    end else if (returns_short) begin
      point_written = {miss, split};
      point_written.all.pc    = side_pc_i;
      point_written.all.frame = split.frame - 1'b1;
    end else if (step) begin
      point_to      = step_id;
      point_written = {pend, stepped};
    end
  end

  // ---- What is to be done behind it
  split_t           alone_split;
  logic [IdW-1:0]   finish_id; logic [Lanes-1:0] finish_lanes;
  assign {finish_id, finish_lanes} = from_held_q ? {held_split_q.id, held_split_q.mask} : {split.id, split.mask};
  always_comb begin
    alone_split = split;
    alone_split.pc = new_pc; alone_split.frame = new_frame;
  end
  split_unit_agenda #(.Lanes(Lanes), .Frames(Frames), .PcW(PcW)) u_agenda (
    .clk_i, .rst_ni, .busy_i(busy_q), .first_i(first_q), .finish_i(do_finish),
    .step_i(step), .walk_step_i((do_walk && !walk[2]) || return_step), .step_kind_i(step_kind), .step_lanes_i(step_lanes),
    .step_pc_i(step_pc), .step_frame_i(step_frame), .goes_on_i(goes_on), .inserts_i(inserts), .up_i(up), .meets_i(meets), .alone_i(alone),
    .all_i(point.all), .stepped_i(stepped), .rec_i(rec), .number_i(new_point_id),
    .arrives_i(do_finish || (placed_there && !(go && op_q == OpExit))), .arrive_id_i(do_finish ? finish_id : do_place ? to_place.id : do_walk ? to_walk.id : split.id),
    .arrive_lanes_i(do_finish ? finish_lanes : placed.mask),
    // Threads that end leave the points that they were to come to.
    .leaves_i(do_first && op_q == OpExit && !ends && split.there), .leave_lanes_i(hit), .split_i(split),
    // Lanes where the others are to come, for whom there is no point.
    .alone_there_i(side_ends && new_point && lacks && some_arrived), .alone_split_i(alone_split),
    .sides_i((diverges && !side_last_i) || returns), .sides_end_i(side_ready_o && side_last_i),
    .direct_i((side_ends && old_point && some_arrived && do_first) || (op_q == OpExit && go && placed_there)),
    .direct_lanes_set_i(side_step || do_first), .direct_lanes_i(side_step ? arrived_lanes : miss),
    .release_i(do_first && op_q == OpRelease && (|row_read.blocked)), .blocked_i(row_read.blocked),
    .do_insert_o(do_insert), .inserted_o(inserted), .inserted_id_o(inserted_id), .do_place_o(do_place), .placed_o(to_place), .placed_there_o(place_there),
    .do_arrive_o(do_arrive), .arrives_next_o(arrives_next), .arrive_id_o(arrive_id), .arrive_lanes_o(to_arrive), .do_walk_o(do_walk), .walk_o(walk), .walked_o(to_walk), .walked_there_o(walk_there),
    .do_side_o(do_side),
    .do_direct_o(do_direct), .direct_lanes_o(direct_lanes), .do_visit_o(do_visit), .visited_o(visited), .visit_next_o(visit_d),
    .visited_next_o(visited_d), .more_o(more), .wants_o(wants), .wanted_o(wanted)
  );

  // ---- Who runs then, and whether its entry is at hand
  logic             at_hand, look, waits, spin, complete;
  assign ending    = busy_q && !stepping_q;
  assign held_d    = split_write || do_visit || (held_q && !do_first);
  assign held_id_d = split_write ? asks_q : do_visit ? visited : push_q ? new_split : held_id_q;
  assign at_hand   = held_q && (push_q ? front_new : front == held_id_q);
  assign look      = ending && !at_hand && !empty && !front_blocked;
  assign waits     = front_blocked && !nobody;
  assign spin      = ending && !empty && waits;
  assign finish_d  = ending && !empty && !front_blocked && front_arrives;
  assign complete  = ending && (empty || !(waits || (!front_blocked && front_arrives)));
  assign room      = !busy_q || (complete && !look);

  // ---- The point that comes next is looked up, unless it is at hand.
  logic point_look, old_known; logic [IdW-1:0] old_id;
  assign known_d    = point_write || (known_q && !do_first);
  assign known_id_d = point_write ? point_to : known_id_q;
  // A point that is made at once is another one than what is asked for.
  assign old_known  = do_insert || step || (known_q && !do_first);
  assign old_id     = do_insert ? inserted_id : step ? step_id : known_id_q;
  assign point_look = stepping_q && wants && !(old_known && old_id == wanted);

  // ---- The memories
  row_t   debug_row;
  split_t debug_split;
  point_t debug_point;
  logic   asked_for, split_look;
  // Read ahead of who is served: what is not wanted then is not looked at.
  assign asked_for  = (!busy_q || ending) && req_valid_i != '0;
  assign split_look = look || asked_for || (stepping_q && visit_d);
  ram_1r1w #(.Words(Warps), .Width(RowW), .Debug(Debug)) u_row (
    .clk_i, .write_i(ending), .write_addr_i(warp_q), .write_data_i(row_written),
    .read_i(asked_for), .read_addr_i(warp), .read_data_o(row_read),
    .debug_addr_i(debug_warp_i), .debug_data_o(debug_row)
  );
  ram_1r1w #(.Words(Words), .Width(StW), .Debug(Debug)) u_split (
    .clk_i, .write_i(write_q), .write_addr_i(word(warp_q, split_to)), .write_data_i(held_split_q),
    .read_i(split_look), .read_addr_i(stepping_q ? word(warp_q, visited_d) : look ? word(warp_q, front) : word(warp, asks)),
    .read_data_o(split_read),
    .debug_addr_i(word(debug_warp_i, debug_index_i)), .debug_data_o(debug_split)
  );
  ram_1r1w #(.Words(Words), .Width(RtW), .Debug(Debug)) u_point_table (
    .clk_i, .write_i(point_write), .write_addr_i(word(warp_q, point_to)), .write_data_i(point_written),
    .read_i(point_look), .read_addr_i(word(warp_q, wanted)), .read_data_o(point_read),
    .debug_addr_i(word(debug_warp_i, debug_index_i)), .debug_data_o(debug_point)
  );

  // ---- Registers
  logic answer_valid_q; always_ff @(posedge clk_i) begin
    if (accept) {op_q, warp_q, asks_q, lanes_q, next_q, rpc_q} <= {op, warp, asks, lanes, next, rpc};
    if (busy_q) begin
      {row_q, lacks_q, held_id_q, blocks_there_q} <= {row_d, lacks, held_id_d, at_rpc};
      if (first_q) old_point_q <= old_point;
      if (split_write || do_visit) held_split_q <= split_write ? placed : split_read;
      if (first_q) fails_q <= fails;
      if (ending) from_held_q <= at_hand;
      known_id_q <= point_look ? wanted : known_id_d;
      if (point_look || point_write) kept_q <= !point_look;
      if (point_write) kept_point_q <= point_written;
      {answer_warp_o, answer_error_o, answer_split_o} <= {warp_q, fails_q, front_new ? new_split : front};
      answer_state_o <= empty ? 2'd0 : nobody ? 2'd2 : 2'd1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {busy_q, first_q, stepping_q, finish_q, held_q, known_q} <= '0;
      {clear_q, pop_q, rotate_q, push_q, write_q, blocks_q, released_q} <= '0; answer_valid_q <= 1'b0;
    end else begin
      busy_q     <= accept || (busy_q && !complete);
      first_q    <= accept;
      stepping_q <= accept || finish_d || (stepping_q && more);
      {clear_q, pop_q, rotate_q, push_q, write_q, blocks_q, released_q} <= {clear, pop, rotate || spin, push, split_write, blocks, released};
      if (busy_q) {finish_q, held_q, known_q} <= {finish_d, held_d, point_look || known_d};
      answer_valid_q <= complete;
    end
  end

  // ---- The answer
  logic told_here; assign answer_valid_o = answer_valid_q;
  assign told_here      = from_held_q ? held_split_q.rpc_frame == held_split_q.frame : split_read.rpc_frame == split_read.frame;
  assign answer_pc_o    = from_held_q ? held_split_q.pc : split_read.pc;
  assign answer_mask_o  = from_held_q ? held_split_q.mask : split_read.mask;
  assign answer_watch_o = !told_here ? NoPc : from_held_q ? held_split_q.rpc : split_read.rpc;

  // ---- Read-out
  if (Debug != 0) begin : gen_debug
    split_unit_readout #(.Warps(Warps), .Lanes(Lanes)) u_readout (
      .clk_i, .rst_ni, .write_i(ending), .write_warp_i(warp_q), .warp_i(debug_warp_i), .index_i(debug_index_i),
      .queue_i(debug_row.splits), .row_count_i(debug_row.count), .row_blocked_i(debug_row.blocked), .free_i(debug_row.free),
      .free_count_i(debug_row.free_count), .count_o(debug_count_o), .queued_o(debug_queued_o), .blocked_o(debug_blocked_o),
      .used_o(debug_used_o)
    );
    assign {debug_split_o, debug_point_o} = {debug_split, debug_point};
    logic unused_debug;
    assign unused_debug = ^debug_row;
  end else begin : gen_no_debug
    assign {debug_count_o, debug_queued_o, debug_blocked_o, debug_used_o, debug_split_o, debug_point_o} = '0;
    logic unused_debug;
    assign unused_debug = ^{debug_warp_i, debug_index_i, debug_row, debug_split, debug_point};
  end

`ifdef VERILATOR
  // The contract of who asks: one event of a warp at a time, of the split in front.
  always_ff @(posedge clk_i) begin
    assert (!(accept && busy_q && warp == warp_q));
    assert (!(busy_q && first_q && op_q != OpLaunch && op_q != OpRelease && asks_q != row_read.splits[IdW-1:0]));
  end
`endif
`ifdef FORMAL
  split_unit_places #(.Warps(Warps), .Lanes(Lanes), .Frames(Frames), .PcW(PcW)) u_places (
    .clk_i, .rst_ni, .busy_i(busy_q), .warp_i(warp_q), .row_write_i(ending), .row_i(row_written), .split_write_i(write_q), .split_to_i(split_to),
    .split_i(held_split_q), .point_write_i(point_write), .point_to_i(point_to), .point_i(point_written)
  );
`endif

endmodule

`default_nettype wire
