// What is to be done in split_unit behind this clock: lists of one, the most urgent first. A part of split_unit.sv.

`default_nettype none

module split_unit_agenda #(
  parameter int unsigned Lanes  = 32,
  parameter int unsigned Frames = 8,
  parameter int unsigned PcW    = 32,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1,
  localparam int unsigned StW    = 2 * PcW + 2 * FrameW + IdW + 2 + Lanes
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              busy_i,
  input  logic              first_i,
  // A step at a point, and what comes of it (split_unit_point.sv)
  input  logic              step_i,
  input  logic              walk_step_i,     // of `walk`, or of a place that lanes return to
  input  logic [1:0]        step_kind_i,
  input  logic [Lanes-1:0]  step_lanes_i,
  input  logic [PcW-1:0]    step_pc_i,
  input  logic [FrameW-1:0] step_frame_i,
  input  logic              goes_on_i,
  input  logic              inserts_i,
  input  logic              up_i,
  input  logic              meets_i,
  input  logic              alone_i,
  input  logic [StW-1:0]    all_i,           // the point's lanes: before,
  input  logic [StW-1:0]    stepped_i,       // and after
  input  logic [Lanes-1:0]  rec_i,
  // Others
  input  logic [IdW-1:0]    number_i,        // of the next point
  input  logic              finish_i,        // the front split does: arrive_id_i
  input  logic              arrives_i,       // lanes have arrived at their point
  input  logic [IdW-1:0]    arrive_id_i,
  input  logic [Lanes-1:0]  arrive_lanes_i,
  input  logic              leaves_i,        // lanes leave_lanes_i leave the points of split_i
  input  logic [Lanes-1:0]  leave_lanes_i,
  input  logic [StW-1:0]    split_i,
  input  logic              alone_there_i,   // lanes direct_lanes_i are a split of their own, alone_split_i but for its mask
  input  logic [StW-1:0]    alone_split_i,
  input  logic              sides_i,         // places follow
  input  logic              sides_end_i,     // the last one is taken
  input  logic              direct_i,        // lanes direct_lanes_i have arrived where the others are to meet them
  input  logic              direct_lanes_set_i,
  input  logic [Lanes-1:0]  direct_lanes_i,
  input  logic              release_i,       // splits blocked_i are visited
  input  logic [Lanes-1:0]  blocked_i,
  // What is done in this clock
  output logic              do_insert_o,     // a point whose number has been taken is written
  output logic [StW+Lanes-1:0] inserted_o,
  output logic [IdW-1:0]    inserted_id_o,
  output logic              do_place_o,      // lanes that have met become a split
  output logic [StW-1:0]    placed_o,
  output logic              placed_there_o,  // it is at its RPC
  output logic              do_arrive_o,     // lanes arrive at a point
  output logic              arrives_next_o,  // now, or when what is more urgent is done
  output logic [IdW-1:0]    arrive_id_o,
  output logic [Lanes-1:0]  arrive_lanes_o,
  output logic              do_walk_o,       // lanes leave a point and its parents, or arrive there, or become a split
  output logic [2:0]        walk_o,          // 1: arrive, 2: their threads have ended, 3: return, 4: a split
  output logic [StW-1:0]    walked_o,
  output logic              walked_there_o,
  output logic              do_side_o,       // the next place
  output logic              do_direct_o,
  output logic [Lanes-1:0]  direct_lanes_o,  // so far
  output logic              do_visit_o,      // a split that waits at a barrier has been looked at
  output logic [IdW-1:0]    visited_o,
  output logic              visit_next_o,    // and this one is next
  output logic [IdW-1:0]    visited_next_o,
  // Behind it
  output logic              more_o,
  output logic              wants_o,         // there may be a point that what comes next has to do with:
  output logic [IdW-1:0]    wanted_o
);

  // As in split_unit.sv
  typedef struct packed {
    logic [PcW-1:0]    pc;
    logic [FrameW-1:0] frame;
    logic [Lanes-1:0]  mask;
    logic              there;
    logic              kind;
    logic [IdW-1:0]    id;
    logic [PcW-1:0]    rpc;
    logic [FrameW-1:0] rpc_frame;
  } split_t;
  localparam logic [2:0] WalkNone = 3'd0, WalkArrive = 3'd1, WalkLeave = 3'd2, WalkPlace = 3'd4;
  function automatic logic [IdW-1:0] lowest(input logic [Lanes-1:0] set);
    lowest = '0;
    for (int unsigned i = Lanes; i > 0; i--)
      if (set[i-1]) lowest = IdW'(i - 1);
  endfunction

  logic             insert_q, insert_d, place_q, place_d, arrive_q, arrive_d, sides_q, sides_d, direct_q, direct_d, visit_q, visit_d;
  logic [2:0]       walk_q, walk_d;
  split_t           all, split, inserted, placed_q, walked_q, walked_d;
  logic [StW+Lanes-1:0] inserted_q;
  logic [IdW-1:0]   inserted_id_q, visited_q, visited_d;
  logic [IdW-1:0]   arrive_id_q, arrive_id_d;
  logic [Lanes-1:0] arrive_lanes_q, direct_lanes_q, visits_q, visits, visits_d;

  // ---- What is done in this clock
  logic idle;
  // An event begins, and ends, with nothing to be done here.
  assign do_insert_o = insert_q;
  assign do_place_o  = !insert_q && place_q;
  assign do_arrive_o = !insert_q && !place_q && arrive_q;
  assign idle        = !insert_q && !place_q && !arrive_q;
  assign do_walk_o   = idle && walk_q != WalkNone;
  assign do_side_o   = idle && walk_q == WalkNone && sides_q;
  assign do_direct_o = idle && walk_q == WalkNone && !sides_q && direct_q;
  assign do_visit_o  = visit_q;
  assign arrives_next_o = arrive_q;
  assign {inserted_o, inserted_id_o, placed_o, arrive_id_o, arrive_lanes_o} = {inserted_q, inserted_id_q, placed_q, arrive_id_q, arrive_lanes_q};
  assign {walk_o, walked_o, visited_o} = {walk_q, walked_q, visited_q};
  assign direct_lanes_o = direct_lanes_q & {Lanes{sides_q || direct_q}};

  assign placed_there_o = placed_q.there && placed_q.pc == placed_q.rpc && placed_q.pc != '1 && placed_q.frame == placed_q.rpc_frame;
  assign walked_there_o = walked_q.there && walked_q.pc == walked_q.rpc && walked_q.pc != '1 && walked_q.frame == walked_q.rpc_frame;

  // ---- What is to be done behind it
  assign all   = all_i;
  assign split = split_i;
  always_comb begin
    insert_d       = step_i && inserts_i;
    inserted       = all;
    inserted.pc    = step_pc_i;
    inserted.frame = step_frame_i - 1'b1;
    inserted.mask  = rec_i | step_lanes_i;
    place_d        = (place_q && !do_place_o) || (step_i && goes_on_i);
    arrive_d       = (arrive_q && !do_arrive_o) || arrives_i;
    arrive_id_d    = arrives_i ? arrive_id_i : arrive_id_q;

    walk_d   = do_walk_o ? WalkNone : walk_q;
    walked_d = walked_q;
    if (walk_step_i) begin
      if (up_i) walk_d = {1'b0, step_kind_i};
      else if (meets_i) walk_d = WalkArrive;
      else if (alone_i) walk_d = WalkPlace;
      walked_d       = all;
      walked_d.mask  = step_lanes_i;
      walked_d.pc    = step_pc_i;
      walked_d.frame = up_i ? step_frame_i : step_kind_i == 2'd3 ? step_frame_i - 1'b1 : all.frame;
    end
    if (leaves_i) begin
      walk_d        = WalkLeave;
      walked_d      = split;
      walked_d.mask = leave_lanes_i;
      walked_d.pc   = '1;
    end
    if (alone_there_i) begin
      walk_d        = WalkPlace;
      walked_d      = alone_split_i;
      walked_d.mask = direct_lanes_i;
    end

    sides_d   = (sides_q && !sides_end_i) || sides_i;
    direct_d  = (direct_q && !do_direct_o) || direct_i;
    visits    = first_i ? blocked_i : visits_q;
    visit_d   = release_i || (do_visit_o && visits_q != '0);
    visited_d = lowest(visits);
    visits_d  = visits & ~(Lanes'(1'b1) << visited_d);
  end
  assign more_o         = insert_d || place_d || arrive_d || walk_d != WalkNone || sides_d || direct_d || visit_d;
  assign visit_next_o   = visit_d;
  assign visited_next_o = visited_d;

  // The point is looked up in this clock: whose number it is must be known before the step's outcome. A new split or point comes before
  // all else, and by then it is looked for again.
  logic [IdW-1:0] pending;
  assign pending = arrive_q && !do_arrive_o ? arrive_id_q : walk_q != WalkNone ? walked_q.id : split.id;
  assign wants_o = split.there || finish_i || !idle || walk_q != WalkNone;
  always_comb begin
    wanted_o = split.id;
    if (finish_i) wanted_o = arrive_id_i;
    else if (do_insert_o || do_arrive_o) wanted_o = pending;
    else if (do_place_o) wanted_o = placed_there_o ? placed_q.id : pending;
    else if (do_walk_o && walk_q == WalkPlace) wanted_o = walked_there_o ? walked_q.id : split.id;
    else if (walk_step_i) wanted_o = step_kind_i == 2'd3 || up_i ? all.id : split.id;
  end

  always_ff @(posedge clk_i) begin
    if (busy_i) begin
      if (insert_d) {inserted_q, inserted_id_q} <= {rec_i, inserted, number_i};
      if (step_i && goes_on_i) placed_q <= stepped_i;
      if (arrives_i) arrive_lanes_q <= arrive_lanes_i;
      arrive_id_q <= arrive_id_d;
      walked_q    <= walked_d;
      visits_q    <= visits_d;
      visited_q   <= visited_d;
      if (direct_lanes_set_i) direct_lanes_q <= direct_lanes_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {insert_q, place_q, arrive_q, sides_q, direct_q, visit_q} <= '0;
      walk_q <= WalkNone;
    end else if (busy_i) begin
      {insert_q, place_q, arrive_q, sides_q, direct_q, visit_q} <= {insert_d, place_d, arrive_d, sides_d, direct_d, visit_d};
      walk_q <= walk_d;
    end
  end

endmodule

`default_nettype wire
