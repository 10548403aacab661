// The first step of an event in split_unit: what becomes of the split that asks, and where the sides of a branch or call are to meet. A part of
// split_unit.sv.

`default_nettype none

module split_unit_first #(
  parameter int unsigned Lanes  = 32,
  parameter int unsigned Frames = 8,
  parameter int unsigned PcW    = 32,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1,
  localparam int unsigned StW    = 2 * PcW + 2 * FrameW + IdW + 2 + Lanes
) (
  input  logic              first_i,
  input  logic [6:1]        is_i,            // bit i: operation i, of those that a split asks for
  input  logic [Lanes-1:0]  lanes_i,
  input  logic [PcW-1:0]    next_i,
  input  logic [PcW-1:0]    rpc_i,
  input  logic [PcW-1:0]    side_pc_i,
  input  logic              side_last_i,
  input  logic [StW-1:0]    split_i,
  input  logic [Lanes-1:0]  live_i,
  input  logic              full_i,          // there is no number for a point more
  input  logic [IdW-1:0]    number_i,        // of the next one
  output logic [Lanes-1:0]  hit_o,           // lanes that do it, and the others
  output logic [Lanes-1:0]  miss_o,
  // Where sides meet, in any clock: at the split's own point, or at a new one, or nowhere
  output logic              old_point_o,
  output logic              new_point_o,
  output logic [PcW-1:0]    new_pc_o,        // the new one's
  output logic [FrameW-1:0] new_frame_o,
  output logic [StW-1:0]    meeting_o,       // a split that is to meet others there
  output logic              side_direct_o,   // the side is there
  output logic              side_meets_o,    // RETURN: lanes are expected where it comes to
  output logic              returns_apart_o, // RETURN: within a divergent branch
  // The first step
  output logic              go_o,            // it goes on as went_o ...
  output logic              goes_taken_o,    // ... by a taken branch
  output logic              blocks_o,        // ... behind a barrier; whether it has arrived there is not asked
  output logic [StW-1:0]    went_o,
  output logic              arrives_o,       // went_o, or where the split at a barrier goes on, is its RPC
  output logic              side_arrives_o,  // the side would be at the split's own RPC
  output logic              leaves_o,        // it is gone
  output logic              ends_o,          // and so is the warp
  output logic              fails_o,         // a call too deep
  output logic              diverges_o,      // sides follow, the first one at once,
  output logic              returns_o,       // or from the next clock on
  output logic              takes_side_o,    // the only one is gone to
  output logic              returns_short_o  // ... by some, who wait for the others at a new point
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
  localparam logic [PcW-1:0] NoPc = {PcW{1'b1}};
  split_t split, meeting, went;
  logic   jumps, calls, some_hit, some_miss;
  assign split     = split_i;
  assign meeting_o = meeting;
  assign went_o    = went;
  assign jumps     = is_i[2];
  assign calls     = is_i[3];
  assign hit_o     = split.mask & lanes_i;
  assign miss_o    = split.mask & ~lanes_i;
  assign some_hit  = hit_o != '0;
  assign some_miss = miss_o != '0;

  // ---- Where the sides of a branch or call meet: at the split's own point, or at a new one, or nowhere
  logic              own_frame, own_point, in_return;
  logic [FrameW-1:0] caller;
  logic next_is_rpc, side_is_rpc, rpc_is_none;   // compared before it is known which is asked for
  assign next_is_rpc = next_i == split.rpc;
  assign side_is_rpc = side_pc_i == split.rpc;
  assign rpc_is_none = rpc_i == NoPc;
  assign caller    = split.frame - 1'b1;
  assign own_frame = split.there && split.rpc_frame == split.frame;
  assign own_point = own_frame && split.rpc != NoPc && (calls ? next_is_rpc : rpc_i == split.rpc);
  assign in_return = own_frame || (split.there && split.kind && split.frame != '0 && split.rpc_frame == caller);
  assign old_point_o = own_point || (!calls && rpc_is_none && in_return);
  assign new_point_o = !old_point_o && (calls || !rpc_is_none || split.frame != '0);
  always_comb begin
    meeting = split;
    if (!old_point_o) begin
      meeting.there     = new_point_o;
      meeting.kind      = calls || rpc_is_none;
      meeting.id        = number_i;
      meeting.rpc       = !new_point_o ? NoPc : new_pc_o;
      meeting.rpc_frame = new_frame_o;
    end
  end
  assign new_pc_o    = calls ? next_i : rpc_i;
  assign new_frame_o = calls || !rpc_is_none ? split.frame : caller;
  // At a place where a branch is said to meet, or, if that is not said, at the split's own.
  assign side_direct_o   = jumps && side_pc_i != NoPc && (rpc_is_none ? own_frame && side_is_rpc : side_pc_i == rpc_i);
  assign side_arrives_o  = own_frame && side_is_rpc && side_pc_i != NoPc;
  assign returns_apart_o = own_frame;  // a return within a divergent branch
  assign side_meets_o    = split.there && split.frame != '0 && split.rpc_frame == caller && (split.kind || side_is_rpc);

  // ---- First step: what the event does to its split
  always_comb begin
    {go_o, goes_taken_o, leaves_o, ends_o, fails_o, diverges_o, returns_o, takes_side_o, returns_short_o, blocks_o} = '0;
    went  = split;
    if (first_i) unique case (1'b1)
      is_i[1]: begin
        go_o      = 1'b1;
        went.pc = next_i;
      end
      jumps: begin
        diverges_o   = !side_last_i;
        go_o         = side_last_i;
        takes_side_o = side_last_i;
        goes_taken_o = some_hit;
        leaves_o     = diverges_o;
        went.pc    = side_pc_i;
      end
      calls: begin
        fails_o      = some_hit && split.frame == FrameW'(Frames - 1);
        diverges_o   = some_hit && !fails_o && (some_miss || !side_last_i);
        go_o         = !fails_o && !diverges_o;
        takes_side_o = go_o && some_hit;
        leaves_o     = diverges_o;
        went.pc    = some_hit ? side_pc_i : next_i;
        if (some_hit) went.frame = split.frame + 1'b1;
      end
      is_i[4]: begin
        takes_side_o = some_hit && side_last_i && !returns_apart_o && !side_meets_o && (!some_miss || !full_i);
        go_o         = some_miss || takes_side_o || !some_hit;
        leaves_o     = !go_o;
        returns_o    = some_hit && !takes_side_o;
        went.pc    = some_miss ? next_i : side_pc_i;
        if (!some_miss) went.frame = caller;
        if (some_hit && some_miss) begin
          went.mask     = miss_o;
          returns_short_o = takes_side_o;  // the others are waited for at a new point
          if (takes_side_o) begin
            went.there     = 1'b1;
            went.kind      = 1'b1;
            went.id        = number_i;
            went.rpc       = side_pc_i;
            went.rpc_frame = caller;
          end
        end
      end
      is_i[5]: begin
        ends_o      = (live_i & ~hit_o) == '0;
        go_o        = some_miss && !ends_o;
        leaves_o    = !some_miss && !ends_o;
        went.pc   = next_i;
        went.mask = miss_o;
      end
      is_i[6]: begin
        blocks_o = 1'b1;
        went.pc  = next_i;
      end
      default: ;
    endcase
  end
  // By a call it comes to a function in which nobody waits; by a return it would meet others (side_meets_o).
  assign arrives_o = jumps ? side_arrives_o : own_frame && next_is_rpc && next_i != NoPc && !(calls && some_hit) && !(is_i[4] && !some_miss);

endmodule

`default_nettype wire
