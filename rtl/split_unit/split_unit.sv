// The branch unit of AWARE ([AWARE] §5.1 to §5.5): per warp a splits table (ST), a reconvergence table (RT) and a queue of splits, of which the
// front one runs, under one sequencer with an arbiter in front. Twin of models/simt/clocked_splits.h, whose cost it has (split_work.h).
// README.md beside this file: theory of operation, contract, ports.
//
// Clock 0: of the requesters one is served, in turn; its event is registered, and the row of its warp and the split that asks are read.
// Behind it the event takes one step per clock: its first one, places that lanes go to, points where they arrive, splits that are new, in this order of
// urgency backwards. The answer is the split that is in front then.

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

  typedef enum logic [2:0] {
    OpLaunch  = 3'd0,
    OpAdvance = 3'd1,
    OpJump    = 3'd2,
    OpCall    = 3'd3,
    OpReturn  = 3'd4,
    OpExit    = 3'd5,
    OpArrive  = 3'd6,   // at a barrier
    OpRelease = 3'd7
  } op_e;

  // Clocks from the one in which an event is served to that of its answer, if its first step is all.
  typedef enum logic [1:0] {
    LatencyAnswer = 2'd2
  } latency_e;

  typedef enum logic [2:0] {
    WalkNone   = 3'd0,
    WalkArrive = 3'd1,
    WalkLeave  = 3'd2,
    WalkReturn = 3'd3,
    WalkPlace  = 3'd4
  } walk_e;

  localparam logic [PcW-1:0] NoPc = '1;
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

  function automatic logic [IdW-1:0] lowest(input logic [Lanes-1:0] set);
    lowest = '0;
    for (int unsigned i = Lanes; i > 0; i--)
      if (set[i-1]) lowest = IdW'(i - 1);
  endfunction
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
  split_unit_arbiter #(.Requesters(Requesters), .Width(RequestW)) u_arbiter (
    .clk_i, .rst_ni, .valid_i(req_valid_i), .request_i(asked), .room_i(room), .ready_o(req_ready_o), .accept_o(accept),
    .request_o({op, warp, asks, lanes, next, rpc})
  );

  // ---- Registers: the event, what is to be done next, the most urgent first
  logic             busy_q, first_q;
  logic [2:0]       op_q;
  logic [WarpW-1:0] warp_q;
  logic [IdW-1:0]   asks_q;
  logic [Lanes-1:0] lanes_q;
  logic [PcW-1:0]   next_q, rpc_q;
  row_t             row_q, row_d, row_read, row;
  logic             lacks_q, lacks;               // there was no number for the point of its branch or call
  logic             insert_q, insert_d;           // a point whose number has been taken is written
  point_t           inserted_q, inserted_d;
  logic [IdW-1:0]   inserted_id_q, inserted_id_d;
  logic             place_q, place_d;             // lanes that have met become a split
  split_t           placed_q, placed_d;
  logic             arrive_q, arrive_d;           // the mask's lanes arrive at point id
  split_t           arrives_q, arrives_d;
  logic [2:0]       walk_q, walk_d;               // the mask's lanes leave point id and its parents, or arrive there, or become a split
  split_t           walked_q, walked_d;
  logic             sides_q, sides_d;             // there are places yet
  logic             direct_q, direct_d;           // lanes have arrived where the event's others are to meet them
  logic [Lanes-1:0] direct_lanes_q, direct_lanes_d;
  logic             visit_q, visit_d;             // a split that waits at a barrier has been looked at
  logic [Lanes-1:0] visits_q, visits_d;           // ... and these are to be
  logic [IdW-1:0]   visited_q, visited_d;
  logic             finish_q, finish_d;           // the front split, which has been looked at, is at its RPC
  logic             settle_q, settle_d;           // nothing but to find who runs
  // Entries at hand: the split that this event has written, or visited, last; the point that it has written, or looked up
  logic             held_q, held_d;
  logic [IdW-1:0]   held_id_q, held_id_d;
  split_t           held_split_q, held_split_d, split_read;
  logic             from_held_q;                  // the split for `finish`, or for the answer, is the former; or else it has been read
  logic             known_q, known_d, kept_q;     // a point is at hand, in a register
  logic [IdW-1:0]   known_id_q, known_id_d;
  point_t           kept_point_q, point_read, point;

  assign row   = first_q ? row_read : row_q;
  assign point = kept_q ? kept_point_q : point_read;

  // ---- What is done in this clock
  logic do_first, do_insert, do_place, do_arrive, do_walk, do_side, do_direct, do_visit, do_finish, do_settle;
  assign do_first  = busy_q && first_q;
  assign do_insert = busy_q && !first_q && insert_q;
  assign do_place  = busy_q && !first_q && !insert_q && place_q;
  assign do_arrive = busy_q && !first_q && !insert_q && !place_q && arrive_q;
  assign do_walk   = busy_q && !first_q && !insert_q && !place_q && !arrive_q && walk_q != WalkNone;
  assign do_side   = busy_q && !first_q && !insert_q && !place_q && !arrive_q && walk_q == WalkNone && sides_q;
  assign do_direct = busy_q && !first_q && !insert_q && !place_q && !arrive_q && walk_q == WalkNone && !sides_q && direct_q;
  assign do_visit  = busy_q && visit_q;
  assign do_finish = busy_q && finish_q;
  assign do_settle = busy_q && settle_q;

  // ---- The split of the event, and its lanes
  split_t           split;
  logic [Lanes-1:0] hit, miss;
  logic             some_hit, some_miss;
  assign split     = finish_q && from_held_q ? held_split_q : split_read;
  assign hit       = split.mask & lanes_q;
  assign miss      = split.mask & ~lanes_q;
  assign some_hit  = hit != '0;
  assign some_miss = miss != '0;

  // ---- Where the sides of a branch or call meet: at the split's own point, or at a new one, or nowhere
  logic              own_frame, own_point, old_point, new_point, full, in_return;
  logic [FrameW-1:0] caller;
  split_t            meeting;       // .rpc...: the point
  logic [IdW-1:0]    new_point_id;
  assign caller    = split.frame - 1'b1;
  assign own_frame = split.there && split.rpc_frame == split.frame;
  assign own_point = own_frame && split.rpc == (op_q == OpCall ? next_q : rpc_q) && split.rpc != NoPc;
  assign in_return = own_frame || (split.there && split.kind && split.frame != '0 && split.rpc_frame == caller);
  assign old_point = own_point || (op_q != OpCall && rpc_q == NoPc && in_return);
  assign new_point = !old_point && (op_q == OpCall || rpc_q != NoPc || split.frame != '0);
  assign full      = row.free_count == '0;
  assign lacks     = do_first ? full : lacks_q;
  always_comb begin
    meeting = split;
    if (!old_point) begin
      meeting.there     = new_point;
      meeting.kind      = op_q == OpCall || rpc_q == NoPc;
      meeting.id        = new_point_id;
      meeting.rpc       = !new_point ? NoPc : op_q == OpCall ? next_q : rpc_q;
      meeting.rpc_frame = op_q == OpCall || rpc_q != NoPc ? split.frame : caller;
    end
  end
  logic side_direct, side_meets, returns_apart;
  assign side_direct   = op_q == OpJump && side_pc_i == meeting.rpc && meeting.rpc != NoPc && meeting.rpc_frame == split.frame;
  assign returns_apart = own_frame;  // a return within a divergent branch
  assign side_meets    = split.there && split.frame != '0 && split.rpc_frame == caller && (split.kind || split.rpc == side_pc_i);

  // ---- First step: what the event does to its split
  logic   go, go_apart;            // it goes on as `went`; whether it has arrived there is not asked
  logic   goes_taken, leaves, ends, fails, diverges, returns, takes_side, returns_short, blocks, clear;
  split_t went;
  always_comb begin
    {go, go_apart, goes_taken, leaves, ends, fails, diverges, returns, takes_side, returns_short, blocks} = '0;
    went  = split;
    clear = do_first && op_q == OpLaunch;
    if (do_first) unique case (op_q)
      OpLaunch, OpRelease: ;
      OpAdvance: begin
        go      = 1'b1;
        went.pc = next_q;
      end
      OpJump: begin
        diverges   = !side_last_i;
        go         = side_last_i;
        takes_side = side_last_i;
        goes_taken = some_hit;
        leaves     = diverges;
        went.pc    = side_pc_i;
      end
      OpCall: begin
        fails      = some_hit && split.frame == FrameW'(Frames - 1);
        diverges   = some_hit && !fails && (some_miss || !side_last_i);
        go         = !fails && !diverges;
        takes_side = go && some_hit;
        leaves     = diverges;
        went.pc    = some_hit ? side_pc_i : next_q;
        if (some_hit) went.frame = split.frame + 1'b1;
      end
      OpReturn: begin
        takes_side = some_hit && side_last_i && !returns_apart && !side_meets && (!some_miss || !full);
        go         = some_miss || takes_side || !some_hit;
        leaves     = !go;
        returns    = some_hit && !takes_side;
        went.pc    = some_miss ? next_q : side_pc_i;
        if (!some_miss) went.frame = caller;
        if (some_hit && some_miss) begin
          went.mask     = miss;
          returns_short = takes_side;  // the others are waited for at a new point
          if (takes_side) begin
            went.there     = 1'b1;
            went.kind      = 1'b1;
            went.id        = new_point_id;
            went.rpc       = side_pc_i;
            went.rpc_frame = caller;
          end
        end
      end
      OpExit: begin
        ends      = (row.live & ~hit) == '0;
        clear     = ends;
        go        = some_miss && !ends;
        leaves    = !some_miss && !ends;
        went.pc   = next_q;
        went.mask = miss;
      end
      default: begin  // arrival at a barrier
        go_apart = 1'b1;
        blocks   = 1'b1;
        went.pc  = next_q;
      end
    endcase
    if (do_finish) leaves = 1'b1;
  end

  // ---- Places of a branch or call
  logic side_step, side_ends;
  assign side_step    = diverges || (do_side && op_q != OpReturn);
  assign side_ends    = side_step && side_last_i;
  assign side_ready_o = takes_side || side_step || (do_side && op_q == OpReturn);

  // ---- A step at a point
  logic              return_step, step, settled, goes_on, up, meets, inserts, alone;
  logic [1:0]        step_kind;
  logic [Lanes-1:0]  step_lanes, rec, pend, arrived_lanes;
  logic [PcW-1:0]    step_pc, point_pc;
  logic [FrameW-1:0] step_frame;
  logic [IdW-1:0]    step_id;
  assign return_step   = do_side && op_q == OpReturn && (returns_apart || side_meets);
  assign arrived_lanes = (sides_q ? direct_lanes_q : '0) | (op_q == OpCall && do_first ? miss : '0) | (side_direct ? side_lanes_i : '0);
  logic direct_step;
  assign direct_step   = side_ends && old_point && arrived_lanes != '0 && !do_first;
  assign step          = do_arrive || (do_walk && walk_q != WalkPlace) || return_step || do_direct || direct_step;
  always_comb begin
    step_kind  = 2'd1;
    step_id    = split.id;
    step_pc    = NoPc;
    step_frame = split.frame;
    step_lanes = direct_lanes_q;
    if (do_arrive) begin
      step_id    = arrives_q.id;
      step_lanes = arrives_q.mask;
    end else if (do_walk) begin
      step_kind  = walk_q[1:0];
      step_id    = walked_q.id;
      step_lanes = walked_q.mask;
      step_pc    = walked_q.pc;
      step_frame = walked_q.frame;
    end else if (return_step) begin
      step_kind  = returns_apart ? 2'd3 : 2'd1;
      step_lanes = side_lanes_i;
      step_pc    = side_pc_i;
    end else if (direct_step) begin
      step_lanes = arrived_lanes;
    end
  end
  split_unit_point #(.Lanes(Lanes), .PcW(PcW), .FrameW(FrameW)) u_point (
    .kind_i(step_kind), .lanes_i(step_lanes), .pc_i(step_pc), .frame_i(step_frame), .full_i(full), .pc_of_i(point.all.pc),
    .rec_i(point.all.mask), .pend_i(point.pend), .parent_there_i(point.all.there), .parent_kind_i(point.all.kind),
    .parent_pc_i(point.all.rpc), .parent_frame_i(point.all.rpc_frame), .pc_o(point_pc), .rec_o(rec), .pend_o(pend),
    .settled_o(settled), .goes_on_o(goes_on), .up_o(up), .meets_o(meets), .inserts_o(inserts), .alone_o(alone)
  );
  split_t stepped;   // what the point's lanes are when all have come
  always_comb begin
    stepped      = point.all;
    stepped.pc   = point_pc;
    stepped.mask = rec;
    if (step && inserts) begin
      stepped.there     = 1'b1;
      stepped.kind      = 1'b1;
      stepped.id        = new_point_id;
      stepped.rpc       = step_pc;
      stepped.rpc_frame = step_frame - 1'b1;
    end
  end

  // ---- A new split, which may have arrived already
  logic   placing, at_rpc, placed_there;
  split_t placed;
  always_comb begin
    placing = 1'b1;
    placed  = went;
    if (do_first && op_q == OpLaunch) begin
      placed = '0;
      placed.pc   = next_q;
      placed.rpc  = NoPc;
      placed.mask = lanes_q;
    end else if (side_step) begin
      placing = !side_direct;
      placed  = old_point || (new_point && !lacks) ? meeting : split;
      placed.pc    = side_pc_i;
      placed.mask  = side_lanes_i;
      placed.frame = op_q == OpCall ? split.frame + 1'b1 : split.frame;
    end else if (do_place) begin
      placed = placed_q;
    end else if (do_walk && walk_q == WalkPlace) begin
      placed = walked_q;
    end else if (do_side && !return_step) begin
      placed       = split;
      placed.pc    = side_pc_i;
      placed.mask  = side_lanes_i;
      placed.frame = caller;
    end else begin
      placing = 1'b0;
    end
    at_rpc       = placed.there && placed.pc == placed.rpc && placed.pc != NoPc && placed.frame == placed.rpc_frame;
    placed_there = (placing || go) && at_rpc;
  end

  // ---- Numbers
  logic                 pop, rotate, push, take, give, front_blocked;
  logic [IdW-1:0]       front, new_split;
  logic [Lanes*IdW-1:0] queue_d, free_d;
  logic [CountW-1:0]    count_d, free_count_d;
  logic [Lanes-1:0]     used_d, blocked_d, arrives_at_rpc_d, live_d;
  assign front         = row.splits[IdW-1:0];
  assign front_blocked = (row.blocked & (Lanes'(1'b1) << front)) != '0;
  assign pop    = leaves || (go && placed_there);
  assign rotate = (go && !placed_there && goes_taken && rotate_i) || blocks || (do_settle && front_blocked);
  assign push   = placing && !placed_there;
  assign take   = (side_ends && new_point && !lacks) || returns_short || (step && inserts);
  assign give   = step && settled;
  split_unit_numbers #(.Lanes(Lanes)) u_numbers (
    .clear_i(clear), .pop_i(pop), .rotate_i(rotate), .push_i(push), .queue_i(row.splits), .count_i(row.count), .used_i(row.used),
    .new_split_o(new_split), .queue_o(queue_d), .count_o(count_d), .used_o(used_d),
    .take_i(take), .give_i(give), .give_id_i(step_id), .free_i(row.free), .free_count_i(row.free_count),
    .new_point_o(new_point_id), .free_o(free_d), .free_count_o(free_count_d)
  );
  logic released;
  assign released = do_visit && (split_read.mask & ~lanes_q) == '0;
  assign blocked_d = clear ? '0 : (row.blocked & ~(Lanes'(released) << visited_q) & ~(Lanes'(push) << new_split))
                                  | (Lanes'(blocks) << asks_q);
  assign arrives_at_rpc_d = clear ? '0 : (row.arrives & ~(Lanes'(blocks) << asks_q) & ~(Lanes'(push) << new_split))
                                         | (Lanes'(blocks && at_rpc) << asks_q);
  assign live_d    = do_first && op_q == OpLaunch ? lanes_q : do_first && op_q == OpExit ? row.live & ~hit : row.live;
  assign row_d     = {queue_d, count_d, used_d, blocked_d, arrives_at_rpc_d, free_d, free_count_d, live_d};

  // ---- The tables are written
  logic           split_write, point_write;
  logic [IdW-1:0] split_to, point_to;
  split_t         split_written;
  point_t         point_written;
  assign split_write   = push || (go && !placed_there) || go_apart;
  assign split_to      = go || go_apart ? asks_q : new_split;
  assign split_written = placed;
  assign point_write   = do_insert || (side_ends && new_point && !lacks) || returns_short || (step && !settled);
  always_comb begin
    point_to      = new_point_id;
    point_written = {split.mask & ~arrived_lanes, split};
    point_written.all.pc    = meeting.rpc;
    point_written.all.frame = meeting.rpc_frame;
    if (do_insert) begin
      point_to      = inserted_id_q;
      point_written = inserted_q;
    end else if (returns_short) begin
      point_written = {miss, split};
      point_written.all.pc    = side_pc_i;
      point_written.all.frame = caller;
    end else if (step) begin
      point_to      = step_id;
      point_written = {pend, stepped};
    end
  end

  // ---- What is to be done behind this clock
  logic more;
  always_comb begin
    insert_d      = step && inserts;
    inserted_id_d = new_point_id;
    inserted_d    = {rec, point.all};
    inserted_d.all.pc    = step_pc;
    inserted_d.all.frame = step_frame - 1'b1;
    inserted_d.all.mask  = rec | step_lanes;
    if (!insert_d) inserted_d = inserted_q;

    place_d   = (place_q && !do_place) || (step && goes_on);
    placed_d  = step && goes_on ? stepped : placed_q;
    arrive_d  = (arrive_q && !do_arrive) || ((placing || (go && op_q != OpExit)) && placed_there) || do_finish;
    arrives_d = do_finish ? split : (placing || go) && placed_there ? placed : arrives_q;

    walk_d    = walk_q;
    walked_d  = walked_q;
    if (do_walk) walk_d = WalkNone;
    if (do_walk || return_step) begin
      if (walk_q != WalkPlace || return_step) begin
        if (up) walk_d = {1'b0, step_kind};
        else if (meets) walk_d = WalkArrive;
        else if (alone) walk_d = WalkPlace;
        walked_d       = point.all;
        walked_d.mask  = step_lanes;
        walked_d.pc    = step_pc;
        walked_d.frame = up ? step_frame : step_kind == 2'd3 ? step_frame - 1'b1 : point.all.frame;
      end
    end
    // Threads that end leave the points that they were to come to.
    if (do_first && op_q == OpExit && !ends && split.there) begin
      walk_d        = WalkLeave;
      walked_d      = split;
      walked_d.mask = hit;
      walked_d.pc   = NoPc;
    end
    // Lanes where the others are to come, for whom there is no point.
    if (side_ends && new_point && lacks && arrived_lanes != '0) begin
      walk_d         = WalkPlace;
      walked_d       = split;
      walked_d.pc    = meeting.rpc;
      walked_d.frame = meeting.rpc_frame;
      walked_d.mask  = arrived_lanes;
    end

    sides_d        = (sides_q && !(side_ready_o && side_last_i)) || (diverges && !side_last_i) || returns;
    direct_d       = (direct_q && !do_direct) || (side_ends && old_point && arrived_lanes != '0 && do_first) ||
                     (op_q == OpExit && go && placed_there);
    direct_lanes_d = side_step ? arrived_lanes : do_first ? miss : direct_lanes_q;

    visits_d  = do_first ? row.blocked : visits_q;
    visit_d   = (do_first && op_q == OpRelease && row.blocked != '0) || (do_visit && visits_q != '0);
    visited_d = lowest(visits_d);
    visits_d  = visits_d & ~(Lanes'(1'b1) << visited_d);
    more      = insert_d || place_d || arrive_d || walk_d != WalkNone || sides_d || direct_d || visit_d;
  end

  // ---- Who runs then, and whether its entry is at hand
  logic [IdW-1:0]   front_d;
  logic [Lanes-1:0] in_front;
  logic             moves, nobody, at_hand, look, complete, arrived;
  assign front_d      = queue_d[IdW-1:0];
  assign in_front     = Lanes'(1'b1) << front_d;
  assign arrived      = (arrives_at_rpc_d & in_front) != '0;
  assign moves        = pop || rotate || (push && (clear || row.count == '0));
  assign nobody       = (used_d & ~blocked_d) == '0;
  assign held_d       = split_write || do_visit || (held_q && !do_first && !(pop && front == held_id_q));
  assign held_id_d    = split_write ? split_to : do_visit ? visited_q : held_id_q;
  assign held_split_d = split_write ? split_written : do_visit ? split_read : held_split_q;
  assign at_hand      = held_d && front_d == held_id_d && (blocked_d & in_front) == '0;
  assign look         = busy_q && !fails && !more && !nobody && !at_hand && !moves && !front_blocked;
  assign finish_d     = !fails && !more && !nobody && (at_hand || look) && arrived;
  assign complete     = busy_q && (fails || (!more && (nobody || ((at_hand || look) && !arrived))));
  assign settle_d     = !fails && !more && !nobody && !at_hand && !look;
  assign room         = !busy_q || (complete && !look);

  // ---- The point that comes next is looked up, unless it is at hand.
  logic           wants, point_look;
  logic [IdW-1:0] wanted;
  assign known_d    = point_write || (known_q && !do_first && !(give && known_id_q == step_id));
  assign known_id_d = point_write ? point_to : known_id_q;
  always_comb begin
    wants  = 1'b1;
    wanted = split.id;
    if (insert_d || place_d)         wants  = 1'b0;
    else if (arrive_d)               wanted = arrives_d.id;
    else if (walk_d == WalkPlace)    wants  = 1'b0;
    else if (walk_d != WalkNone)     wanted = walked_d.id;
    else if (sides_d)                wants  = op_q == OpReturn ? split.there : old_point;
    else                             wants  = direct_d;
  end
  assign point_look = busy_q && wants && !(known_d && known_id_d == wanted);

  // ---- The memories
  row_t   debug_row;
  split_t debug_split;
  point_t debug_point;
  logic   split_look;
  assign split_look = accept || look || (busy_q && visit_d);
  ram_1r1w #(.Words(Warps), .Width(RowW), .Debug(Debug)) u_row (
    .clk_i, .write_i(complete), .write_addr_i(warp_q), .write_data_i(row_d),
    .read_i(accept), .read_addr_i(warp), .read_data_o(row_read),
    .debug_addr_i(debug_warp_i), .debug_data_o(debug_row)
  );
  ram_1r1w #(.Words(Words), .Width(StW), .Debug(Debug)) u_split (
    .clk_i, .write_i(split_write), .write_addr_i(word(warp_q, split_to)), .write_data_i(split_written),
    .read_i(split_look), .read_addr_i(accept ? word(warp, asks) : word(warp_q, visit_d ? visited_d : front)), .read_data_o(split_read),
    .debug_addr_i(word(debug_warp_i, debug_index_i)), .debug_data_o(debug_split)
  );
  ram_1r1w #(.Words(Words), .Width(RtW), .Debug(Debug)) u_point_table (
    .clk_i, .write_i(point_write), .write_addr_i(word(warp_q, point_to)), .write_data_i(point_written),
    .read_i(point_look), .read_addr_i(word(warp_q, wanted)), .read_data_o(point_read),
    .debug_addr_i(word(debug_warp_i, debug_index_i)), .debug_data_o(debug_point)
  );

  // ---- Registers
  logic answer_valid_q;
  always_ff @(posedge clk_i) begin
    if (accept) begin
      op_q    <= op;
      warp_q  <= warp;
      asks_q  <= asks;
      lanes_q <= lanes;
      next_q  <= next;
      rpc_q   <= rpc;
    end
    if (busy_q) begin
      row_q          <= row_d;
      lacks_q        <= lacks;
      inserted_q     <= inserted_d;
      if (insert_d) inserted_id_q <= inserted_id_d;
      placed_q       <= placed_d;
      arrives_q      <= arrives_d;
      walked_q       <= walked_d;
      direct_lanes_q <= direct_lanes_d;
      visits_q       <= visits_d;
      visited_q      <= visited_d;
      held_id_q      <= held_id_d;
      held_split_q   <= held_split_d;
      from_held_q    <= !look;
      known_id_q     <= point_look ? wanted : known_id_d;
      if (point_look || point_write) kept_q <= !point_look;
      if (point_write) kept_point_q <= point_written;
      answer_warp_o  <= warp_q;
      answer_error_o <= fails;
      answer_state_o <= !nobody ? 2'd1 : used_d == '0 ? 2'd0 : 2'd2;
      answer_split_o <= front_d;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {busy_q, first_q, insert_q, place_q, arrive_q, sides_q, direct_q, visit_q, finish_q, settle_q, held_q, known_q} <= '0;
      walk_q         <= WalkNone;
      answer_valid_q <= 1'b0;
    end else begin
      busy_q  <= accept || (busy_q && !complete);
      first_q <= accept;
      if (busy_q) begin
        {insert_q, place_q, arrive_q, sides_q, direct_q} <= {insert_d, place_d, arrive_d, sides_d, direct_d};
        {visit_q, finish_q, settle_q, held_q, known_q}   <= {visit_d, finish_d, settle_d, held_d, point_look || known_d};
        walk_q <= walk_d;
      end
      answer_valid_q <= complete;
    end
  end

  // ---- The answer
  logic told_here;
  assign answer_valid_o = answer_valid_q;
  assign told_here      = from_held_q ? held_split_q.rpc_frame == held_split_q.frame : split_read.rpc_frame == split_read.frame;
  assign answer_pc_o    = from_held_q ? held_split_q.pc : split_read.pc;
  assign answer_mask_o  = from_held_q ? held_split_q.mask : split_read.mask;
  assign answer_watch_o = !told_here ? NoPc : from_held_q ? held_split_q.rpc : split_read.rpc;

  // ---- Read-out
  if (Debug != 0) begin : gen_debug
    // Whether a warp has a row, of which nothing depends: after reset it has none.
    logic [Warps-1:0]     there_q;
    logic [Lanes-1:0] debug_free;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) there_q <= '0;
      else if (complete) there_q[warp_q] <= 1'b1;
    end
    for (genvar i = 0; i < Lanes; i++) begin : gen_free
      assign debug_free[i] = CountW'(i) < debug_row.free_count && debug_row.free[i*IdW +: IdW] == debug_index_i;
    end
    assign debug_count_o   = there_q[debug_warp_i] ? debug_row.count : '0;
    assign debug_queued_o  = debug_row.splits[debug_index_i*IdW +: IdW];
    assign debug_blocked_o = (debug_row.blocked & (Lanes'(1'b1) << debug_index_i)) != '0;
    assign debug_used_o    = there_q[debug_warp_i] && debug_free == '0;
    assign debug_split_o   = debug_split;
    assign debug_point_o   = debug_point;
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
    assert (!(busy_q && first_q && op_q != OpLaunch && op_q != OpRelease && asks_q != front));
  end
`endif

endmodule

`default_nettype wire
