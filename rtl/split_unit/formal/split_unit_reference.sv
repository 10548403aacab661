// What split_unit has to do, as models/simt has it (table_steps.cpp, split_control.cpp): all tables in registers, and a list of steps, of which the one that
// was put on it last is done first, one a clock. It sees the inputs of the block, and says what the block's pins are in every clock.

`default_nettype none

module split_unit_reference #(
  parameter int unsigned Warps      = 1,
  parameter int unsigned Lanes      = 2,
  parameter int unsigned Frames     = 2,
  parameter int unsigned PcW        = 2,
  parameter int unsigned Requesters = 1,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1),
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic                        rotate_i,
  // The event that is served, if one is
  input logic                        accept_i,
  input logic [2:0]                  op_i,
  input logic [WarpW-1:0]            warp_i,
  input logic [Lanes-1:0]            lanes_i,
  input logic [PcW-1:0]              next_i,
  input logic [PcW-1:0]              rpc_i,
  // A place
  input logic [Lanes-1:0]            side_lanes_i,
  input logic [PcW-1:0]              side_pc_i,
  input logic                        side_last_i,
  // What is on the pins
  output logic                       room_o,
  output logic                       took_side_o,     // in the clock before
  output logic                       answer_valid_o,
  output logic [WarpW-1:0]           answer_warp_o,
  output logic                       answer_error_o,
  output logic [1:0]                 answer_state_o,
  output logic [IdW-1:0]             answer_split_o,  // not of a warp that has ended
  output logic [PcW-1:0]             answer_pc_o,     // of one that runs
  output logic [PcW-1:0]             answer_watch_o,
  output logic [Lanes-1:0]           answer_mask_o,
  // What may be asked for, of the warp that asks: the state and the split in front, whether that is in a function, and who waits
  output logic                       busy_o,          // an event of warp_o is under way
  output logic [WarpW-1:0]           warp_o,
  output logic [1:0]                 state_o,
  output logic [IdW-1:0]             front_o,
  output logic                       called_o,
  output logic [Lanes-1:0]           mask_o,
  output logic [Lanes-1:0]           waits_o,
  // All there is of warp 0 then: queue, its numbers, points that are in use, and their contents
  output logic [Lanes*IdW-1:0]       queue_o,
  output logic [CountW-1:0]          count_o,
  output logic [Lanes-1:0]           blocked_o,
  output logic [Lanes-1:0]           used_o,
  output logic [Lanes-1:0]           points_used_o,
  output logic [Lanes*(2*PcW+2*FrameW+IdW+2+Lanes)-1:0]   splits_o,
  output logic [Lanes*(2*PcW+2*FrameW+IdW+2+2*Lanes)-1:0] points_o
);

`include "split_unit_codes.svh"

  localparam logic [PcW-1:0] NoPc = {PcW{1'b1}};
  // A split, as in split_unit.sv: pc, frame, mask, there, kind, id, rpc, rpc_frame
  localparam int unsigned RpcAt = FrameW, IdAt = RpcAt + PcW, KindAt = IdAt + IdW, ThereAt = KindAt + 1, MaskAt = ThereAt + 1, FrameAt = MaskAt + Lanes,
                          PcAt = FrameAt + FrameW, StW = PcAt + PcW, RtW = StW + Lanes;
  localparam int unsigned RowW = 2 * Lanes * IdW + 2 * CountW + 3 * Lanes + Lanes * StW + Lanes * RtW;
  // A step: what is done, and with which lanes, place, point
  localparam logic [2:0] StepNothing = 3'd0, StepPlace = 3'd1, StepArrive = 3'd2, StepLeave = 3'd3, StepReturn = 3'd4, StepSides = 3'd5, StepVisit = 3'd6;
  localparam int unsigned StepW = 3 + StW, Depth = 5;

  typedef enum logic [2:0] { Idle, First, Step, End, Finish } at_e;
  logic [2:0]              at = Idle;
  logic [Warps*RowW-1:0]   rows;
  logic [Warps-1:0]        there;      // it has been launched once
  logic [Depth*StepW-1:0]  list;       // the next one first
  logic [2:0]              steps;
  // The event
  logic [2:0]              op;
  logic [WarpW-1:0]        warp;
  logic [Lanes-1:0]        lanes, hit, miss;
  logic [PcW-1:0]          next, rpc;
  logic [StW-1:0]          split;      // as it was
  logic                    error, several;
  // Where its lanes meet: at a point that there was (old), one that is new, or nowhere
  logic                    meets, old, lacks;
  logic [IdW+PcW+FrameW:0] point;      // kind, id, rpc, rpc_frame
  logic [FrameW-1:0]       frame;      // of its places
  logic [Lanes-1:0]        direct;     // that are there already
  logic                    held;       // the last split that has been written or visited is at hand
  logic [IdW-1:0]          held_id;

  // ---- The warp's tables
  logic [Lanes*IdW-1:0] queue, free;
  logic [CountW-1:0]    count, free_count;
  logic [Lanes-1:0]     used, blocked, live;
  logic [Lanes*StW-1:0] splits;
  logic [Lanes*RtW-1:0] points;

  function automatic logic at_rpc(input logic [StW-1:0] s);
    at_rpc = s[PcAt +: PcW] == s[RpcAt +: PcW] && s[PcAt +: PcW] != NoPc && s[FrameAt +: FrameW] == s[0 +: FrameW] && s[ThereAt];
  endfunction

  task do_step(input logic [2:0] kind, input logic [StW-1:0] what);
    list  = {list[(Depth-1)*StepW-1:0], kind, what};
    steps = steps + 1'b1;
  endtask
  function automatic logic [StW-1:0] at_point(input logic [IdW-1:0] id, input logic [Lanes-1:0] some, input logic [PcW-1:0] pc, input logic [FrameW-1:0] from);
    at_point = {pc, from, some, 2'b10, id, NoPc, FrameW'(0)};
  endfunction

  // ---- What a clock does, in this order
  logic             puts;                // a step goes on the list
  logic [2:0]       put_kind;
  logic [StW-1:0]   put;
  logic             allocates, allocated;  // a new point, if there is a number
  logic [RtW-1:0]   new_point;
  logic [IdW-1:0]   new_id;
  logic             removes;             // the front split ends
  logic             goes, places, taken; // it goes on as `moved`, or a new one does; or it arrives
  logic [StW-1:0]   moved;
  logic [2:0]       does;                // a step at a point: StepArrive, StepLeave or StepReturn; or none
  logic [StW-1:0]   done;                // with which lanes, come to which place
  logic             last;                // another step, to be done first
  logic [2:0]       last_kind;
  logic [StW-1:0]   last_step;

  // ---- A place of a branch, call or return
  logic returns_apart, side_meets;
  logic [FrameW-1:0] caller;
  assign caller        = split[FrameAt +: FrameW] - 1'b1;
  assign returns_apart = split[ThereAt] && split[0 +: FrameW] == split[FrameAt +: FrameW];
  assign side_meets    = split[ThereAt] && split[0 +: FrameW] == caller && (split[KindAt] || split[RpcAt +: PcW] == side_pc_i);
  task take_side();
    took_side_o = 1'b1;
    puts        = !side_last_i;
    put_kind    = StepSides;
    if (op == OpReturn) begin
      done   = at_point(split[IdAt +: IdW], side_lanes_i, side_pc_i, split[FrameAt +: FrameW]);
      does   = returns_apart ? StepReturn : side_meets ? StepArrive : StepNothing;
      places = !returns_apart && !side_meets;
      moved  = {side_pc_i, caller, side_lanes_i, split[0 +: ThereAt+1]};
    end else begin
      places = !(side_pc_i == point[FrameW +: PcW] && side_pc_i != NoPc && frame == point[0 +: FrameW]);
      moved  = {side_pc_i, frame, side_lanes_i, meets ? {1'b1, point} : split[0 +: ThereAt+1]};
      if (!places) begin
        direct = direct | side_lanes_i;
        if (meets && !old) points[point[RpcAt+PcW +: IdW]*RtW+StW +: Lanes] = points[point[RpcAt+PcW +: IdW]*RtW+StW +: Lanes] & ~side_lanes_i;
      end
      done = at_point(point[RpcAt+PcW +: IdW], direct, NoPc, FrameW'(0));
      if (side_last_i && direct != '0) begin
        if (old && several) does = StepArrive;
        else if (old) {puts, put_kind, put} = {1'b1, StepArrive, done};
        else if (lacks) {puts, put_kind, put} = {1'b1, StepPlace, point[FrameW +: PcW], point[0 +: FrameW], direct, split[0 +: ThereAt+1]};
      end
      several = 1'b1;
    end
  endtask

  // ---- The first step
  logic same_function, diverges, returns_by_itself;
  task first();
    hit      = split[MaskAt +: Lanes] & lanes;
    miss     = split[MaskAt +: Lanes] & ~lanes;
    direct   = '0;
    held     = 1'b0;
    error    = 1'b0;
    several  = 1'b0;
    diverges = 1'b0;
    moved    = {next, split[0 +: PcAt]};
    frame    = split[FrameAt +: FrameW];
    unique case (op)
      OpLaunch: begin
        live = lanes;
        {count, used, blocked} = '0;
        for (int i = 0; i < Lanes; i++) free[i*IdW +: IdW] = IdW'(Lanes - 1 - i);
        free_count = CountW'(Lanes);
        places = 1'b1;
        moved  = {next, FrameW'(0), lanes, 2'b00, IdW'(0), NoPc, FrameW'(0)};
      end
      OpAdvance: goes = 1'b1;
      OpJump: begin
        same_function = split[ThereAt] && (split[0 +: FrameW] == frame || (split[KindAt] && frame != '0 && split[0 +: FrameW] == caller));
        old   = split[ThereAt] && ((rpc == split[RpcAt +: PcW] && rpc != NoPc && split[0 +: FrameW] == frame) || (rpc == NoPc && same_function));
        point = old ? split[0 +: KindAt+1] : rpc != NoPc ? {1'b0, IdW'(0), rpc, frame} : {1'b1, IdW'(0), NoPc, caller};
        goes  = side_last_i;
        taken = hit != '0;
        allocates = !old && (rpc != NoPc || frame != '0) && !goes;
        if (goes) moved = {side_pc_i, split[0 +: PcAt]};
        diverges = !goes;
      end
      OpCall: begin
        error  = hit != '0 && 32'(frame) == Frames - 1;
        old    = split[ThereAt] && split[RpcAt +: PcW] == next && next != NoPc && split[0 +: FrameW] == frame;
        point  = old ? split[0 +: KindAt+1] : {1'b1, IdW'(0), next, frame};
        goes   = hit == '0 || (!error && miss == '0 && side_last_i);
        frame  = frame + 1'b1;
        direct = miss;
        if (hit != '0) moved = {side_pc_i, frame, split[0 +: FrameAt]};
        diverges  = !goes && !error;
        allocates = !old && diverges;
      end
      OpReturn: begin
        returns_by_itself = hit != '0 && side_last_i && !returns_apart && !side_meets;
        goes      = miss != '0 || returns_by_itself;
        removes   = !goes;
        allocates = miss != '0 && returns_by_itself;
        if (miss == '0) moved = {side_pc_i, caller, split[0 +: FrameAt]};
        else moved[MaskAt +: Lanes] = miss;
      end
      OpExit: begin
        live    = live & ~hit;
        goes    = miss != '0 && live != '0;
        removes = miss == '0 && live != '0;
        moved[MaskAt +: Lanes] = miss;
        last      = split[ThereAt] && live != '0;
        last_kind = StepLeave;
        last_step = at_point(split[IdAt +: IdW], hit, NoPc, FrameW'(0));
        if (live == '0) {count, used, blocked} = '0;
      end
      OpArrive: begin
        splits[queue[IdW-1:0]*StW +: StW] = moved;
        held    = 1'b1;
        held_id = queue[IdW-1:0];
        blocked[queue[IdW-1:0]] = 1'b1;
        turns = 1'b1;
      end
      default: {puts, put_kind, put} = {blocked != '0, StepVisit, {(StW-Lanes){1'b0}}, blocked};
    endcase
    if (op == OpReturn) new_point = {miss, side_pc_i, caller, split[MaskAt +: Lanes], split[0 +: ThereAt+1]};
    else new_point = {split[MaskAt +: Lanes] & ~direct, point[FrameW +: PcW], point[0 +: FrameW], split[MaskAt +: Lanes], split[0 +: ThereAt+1]};
    allocated = allocates && free_count != '0;
    if (allocated) begin
      free_count = free_count - 1'b1;
      new_id     = free[free_count*IdW +: IdW];
      points[new_id*RtW +: RtW] = new_point;
    end
    lacks = allocates && !allocated;
    meets = old || allocated;
    if (op == OpReturn) begin
      if (allocated) moved[0 +: ThereAt+1] = {2'b11, new_id, side_pc_i, caller};
      puts     = hit != '0 && !(returns_by_itself && (miss == '0 || allocated));
      put_kind = StepSides;
    end else if (allocated) begin
      point[RpcAt+PcW +: IdW] = new_id;
    end
    took_side_o = (op == OpJump && goes) || (op == OpCall && goes && hit != '0) || (op == OpReturn && returns_by_itself && !lacks);
  endtask

  logic turns, elsewhere, up, across;
  logic [2:0]       kind;
  logic [StW-1:0]   what;
  logic [Lanes-1:0] rest;
  logic [IdW-1:0]   number, turned, id;
  logic [RtW-1:0]   was, is;
  task a_clock();
    {puts, put_kind, put, allocates, allocated, removes, goes, places, taken, last, last_kind, last_step, turns} = '0;
    {does, kind} = {2{StepNothing}};
    diverges = 1'b0;
    if (at == First) begin
      first();
    end else begin
      {kind, what} = list[StepW-1:0];
      list   = list >> StepW;
      steps  = steps - 1'b1;
      places = kind == StepPlace;
      moved  = what;
      done   = what;
      if (kind == StepArrive || kind == StepLeave || kind == StepReturn) does = kind;
    end
    if (kind == StepVisit) begin
      number = '0;
      for (int i = Lanes - 1; i >= 0; i--)
        if (what[i]) number = IdW'(i);
      rest = what[Lanes-1:0];
      rest[number] = 1'b0;
      if ((splits[number*StW+MaskAt +: Lanes] & ~lanes) == '0) blocked[number] = 1'b0;
      held    = 1'b1;
      held_id = number;
      {puts, put_kind, put} = {rest != '0, StepVisit, {(StW-Lanes){1'b0}}, rest};
    end
    if (diverges || kind == StepSides) take_side();
    if (puts) do_step(put_kind, put);
    // The splits, and the queue
    if (removes || diverges || (goes && at_rpc(moved))) begin
      if (held && held_id == queue[IdW-1:0]) held = 1'b0;
      used[queue[IdW-1:0]] = 1'b0;
      queue = queue >> IdW;
      count = count - 1'b1;
    end
    if ((goes || places) && at_rpc(moved)) begin
      do_step(StepArrive, at_point(moved[IdAt +: IdW], moved[MaskAt +: Lanes], NoPc, FrameW'(0)));
    end else if (goes || places) begin
      number = queue[IdW-1:0];
      if (places) begin
        for (int i = Lanes - 1; i >= 0; i--)
          if (!used[i]) number = IdW'(i);
        used[number]    = 1'b1;
        blocked[number] = 1'b0;
        queue[count*IdW +: IdW] = number;
        count = count + 1'b1;
      end
      splits[number*StW +: StW] = moved;
      held    = 1'b1;
      held_id = number;
      turns   = goes && taken && rotate_i;
    end
    if (turns) begin
      turned = queue[IdW-1:0];
      queue  = queue >> IdW;
      queue[(count-1'b1)*IdW +: IdW] = turned;
    end
    // The points: pend, then the split that their lanes become
    if (does != StepNothing) begin
      id  = done[IdAt +: IdW];
      was = points[id*RtW +: RtW];
      is  = was;
      elsewhere = does == StepArrive && done[PcAt +: PcW] != NoPc && was[PcAt +: PcW] != NoPc && done[PcAt +: PcW] != was[PcAt +: PcW];
      is[StW +: Lanes] = was[StW +: Lanes] & ~done[MaskAt +: Lanes];
      if (does != StepArrive || elsewhere) is[MaskAt +: Lanes] = was[MaskAt +: Lanes] & ~done[MaskAt +: Lanes];
      else if (was[PcAt +: PcW] == NoPc) is[PcAt +: PcW] = done[PcAt +: PcW];
      up     = was[ThereAt] && (does == StepLeave || (does == StepReturn && was[0 +: FrameW] == done[FrameAt +: FrameW]));
      across = was[ThereAt] && does == StepReturn && was[0 +: FrameW] == FrameW'(done[FrameAt +: FrameW] - 1'b1) &&
               (was[KindAt] || was[RpcAt +: PcW] == done[PcAt +: PcW]);
      if (up || across) do_step(up ? does : StepArrive, {done[PcAt +: PcW], done[FrameAt +: FrameW], done[MaskAt +: Lanes], 2'b10, was[IdAt +: IdW], NoPc, FrameW'(0)});
      if (does == StepReturn && !up && !across) begin
        allocated = is[MaskAt +: Lanes] != '0 && free_count != '0;
        if (allocated) begin
          free_count = free_count - 1'b1;
          new_id     = free[free_count*IdW +: IdW];
          points[new_id*RtW +: RtW] = {is[MaskAt +: Lanes], done[PcAt +: PcW], FrameW'(done[FrameAt +: FrameW] - 1'b1), is[MaskAt +: Lanes] | done[MaskAt +: Lanes], was[0 +: ThereAt+1]};
          is[0 +: ThereAt+1] = {2'b11, new_id, done[PcAt +: PcW], FrameW'(done[FrameAt +: FrameW] - 1'b1)};
          {last, last_kind} = {1'b1, StepNothing};   // takes a clock of its own
        end else begin
          do_step(StepPlace, {done[PcAt +: PcW], FrameW'(done[FrameAt +: FrameW] - 1'b1), done[MaskAt +: Lanes], was[0 +: ThereAt+1]});
        end
      end
      // Lanes that come back elsewhere are a split of their own, behind the others, if these go on (models/simt: in front of them).
      if (elsewhere) do_step(StepPlace, {done[PcAt +: PcW], was[FrameAt +: FrameW], done[MaskAt +: Lanes], was[0 +: ThereAt+1]});
      points[id*RtW +: RtW] = is;
      if (is[StW +: Lanes] == '0) begin
        free[free_count*IdW +: IdW] = id;
        free_count = free_count + 1'b1;
        if (is[MaskAt +: Lanes] != '0) do_step(StepPlace, is[StW-1:0]);
      end
    end
    if (last) do_step(last_kind, last_step);
  endtask

  // ---- Behind the last step
  logic             nobody, runs, complete, front_blocked;
  logic [RowW-1:0]  row;
  logic [Lanes*IdW-1:0] row_queue, row_free;
  logic [CountW-1:0]    row_count, row_free_count;
  logic [Lanes-1:0]     row_used, row_blocked, row_live;
  logic [Lanes*StW-1:0] row_splits;
  logic [Lanes*RtW-1:0] row_points;
  logic [StW-1:0]       front;
  assign row = rows[warp*RowW +: RowW];
  assign {row_queue, row_free, row_count, row_free_count, row_used, row_blocked, row_live, row_splits, row_points} = row;
  assign front         = row_splits[row_queue[IdW-1:0]*StW +: StW];
  assign nobody        = (row_used & ~row_blocked) == '0;
  assign front_blocked = row_blocked[row_queue[IdW-1:0]];
  assign runs          = row_count != '0 && !front_blocked;
  assign complete      = row_count == '0 || nobody || (runs && !at_rpc(front));
  assign room_o        = at == Idle || (at == End && complete && !(runs && !(held && held_id == row_queue[IdW-1:0])));

  // ---- What may be asked for, and what there is
  logic [RowW-1:0]      asking;
  logic [Lanes*IdW-1:0] a_queue, a_free;
  logic [CountW-1:0]    a_count, a_free_count;
  logic [Lanes-1:0]     a_used, a_blocked, a_live;
  logic [Lanes*StW-1:0] a_splits;
  logic [Lanes*RtW-1:0] a_points;
  logic [StW-1:0]       a_front;
  assign asking  = rows[warp_i*RowW +: RowW] & {RowW{there[warp_i]}};
  assign {a_queue, a_free, a_count, a_free_count, a_used, a_blocked, a_live, a_splits, a_points} = asking;
  assign a_front = a_splits[a_queue[IdW-1:0]*StW +: StW];
  assign busy_o   = at != Idle;
  assign warp_o   = warp;
  assign state_o  = a_count == '0 ? 2'd0 : (a_used & ~a_blocked) == '0 ? 2'd2 : 2'd1;
  assign front_o  = a_queue[IdW-1:0];
  assign called_o = a_front[FrameAt +: FrameW] != '0;
  assign mask_o   = a_front[MaskAt +: Lanes];
  always_comb begin
    waits_o = '0;
    for (int i = 0; i < Lanes; i++)
      if (a_used[i] && a_blocked[i]) waits_o = waits_o | a_splits[i*StW+MaskAt +: Lanes];
  end
  logic [RowW-1:0]      all;
  logic [Lanes*IdW-1:0] all_free;
  logic [CountW-1:0]    all_free_count;
  logic [Lanes-1:0]     all_live;
  assign all = rows[0 +: RowW] & {RowW{there[0]}};
  assign {queue_o, all_free, count_o, all_free_count, used_o, blocked_o, all_live, splits_o, points_o} = all;
  always_comb begin
    points_used_o = {Lanes{there[0]}};
    for (int i = 0; i < Lanes; i++)
      if (CountW'(i) < all_free_count) points_used_o[all_free[i*IdW +: IdW]] = 1'b0;
  end

  always @(posedge clk_i) begin
    took_side_o    = 1'b0;
    answer_valid_o = 1'b0;
    {queue, free, count, free_count, used, blocked, live, splits, points} = row;
    if (!rst_ni) begin
      at    = Idle;
      steps = '0;
      there = '0;
    end else if (at == End && complete) begin
      answer_valid_o = 1'b1;
      answer_warp_o  = warp;
      answer_error_o = error;
      answer_state_o = row_count == '0 ? 2'd0 : nobody ? 2'd2 : 2'd1;
      answer_split_o = row_queue[IdW-1:0];
      answer_pc_o    = front[PcAt +: PcW];
      answer_mask_o  = front[MaskAt +: Lanes];
      answer_watch_o = front[0 +: FrameW] == front[FrameAt +: FrameW] ? front[RpcAt +: PcW] : NoPc;
      at = Idle;
    end else if (at == End && !front_blocked) begin
      at = Finish;
    end else if (at == End) begin
      turned = queue[IdW-1:0];
      queue  = queue >> IdW;
      queue[(count-1'b1)*IdW +: IdW] = turned;
    end else if (at == Finish) begin   // it is at its RPC, behind a barrier
      if (held && held_id == queue[IdW-1:0]) held = 1'b0;
      used[queue[IdW-1:0]] = 1'b0;
      queue = queue >> IdW;
      count = count - 1'b1;
      do_step(StepArrive, at_point(front[IdAt +: IdW], front[MaskAt +: Lanes], NoPc, FrameW'(0)));
      at = Step;
    end else if (at != Idle) begin
      if (at == First) there[warp] = 1'b1;
      a_clock();
      at = steps == '0 ? End : Step;
    end
    if (rst_ni) rows[warp*RowW +: RowW] = {queue, free, count, free_count, used, blocked, live, splits, points};
    if (rst_ni && accept_i) begin
      {op, warp, lanes, next, rpc} = {op_i, warp_i, lanes_i, next_i, rpc_i};
      split = a_front;
      at = First;
    end
    assert (32'(steps) < Depth);
  end

endmodule

`default_nettype wire
