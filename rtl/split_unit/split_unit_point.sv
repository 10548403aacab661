// A step at a reconvergence point of split_unit: lanes arrive there, end, or return from the function that it is in. What becomes of the
// point, and what else there is to do. A part of split_unit.sv.

`default_nettype none

module split_unit_point #(
  parameter int unsigned Lanes  = 32,
  parameter int unsigned PcW    = 32,
  parameter int unsigned FrameW = 3
) (
  input  logic [1:0]        kind_i,        // 1: lanes arrive, 2: their threads have ended, 3: they return
  input  logic [Lanes-1:0]  lanes_i,
  input  logic              too_i,         // late: and lanes too_lanes_i, of those that arrive
  input  logic [Lanes-1:0]  too_lanes_i,
  // Where they have come to: walk_pc_i, side_pc_i, or where the point is
  input  logic              walks_i,
  input  logic              sides_i,
  input  logic [PcW-1:0]    walk_pc_i,
  input  logic [PcW-1:0]    side_pc_i,
  input  logic [FrameW-1:0] frame_i,       // that they return from
  input  logic              full_i,        // there is no number for a point more
  // The point, and where its lanes go afterwards
  input  logic [PcW-1:0]    pc_of_i,
  input  logic [Lanes-1:0]  rec_i,
  input  logic [Lanes-1:0]  pend_i,
  input  logic              parent_there_i,
  input  logic              parent_kind_i,
  input  logic [PcW-1:0]    parent_pc_i,
  input  logic [FrameW-1:0] parent_frame_i,
  output logic [PcW-1:0]    pc_o,
  output logic [Lanes-1:0]  rec_o,
  output logic [Lanes-1:0]  pend_o,
  output logic              settled_o,     // nobody is missing: it ends
  output logic              goes_on_o,     // ... with lanes
  // What else
  output logic              up_o,          // the same at its parent
  output logic              meets_o,       // the lanes arrive at its parent
  output logic              inserts_o,     // a point comes between it and its parent, for those that return from the function
  output logic              alone_o        // the lanes are a split
);

  // What is late (whose lanes, which place) selects among comparisons.
  logic unknown, elsewhere, leaves, beyond, some_left, parent_there;
  logic [Lanes-1:0] left;
  assign unknown   = pc_of_i == '1;
  assign elsewhere = kind_i == 2'd1 && !unknown &&   // not where the others are
                     ((walks_i && walk_pc_i != '1 && walk_pc_i != pc_of_i) || (sides_i && side_pc_i != '1 && side_pc_i != pc_of_i));
  assign leaves    = kind_i != 2'd1 || elsewhere;
  assign pc_o      = kind_i != 2'd1 || !unknown ? pc_of_i : walks_i ? walk_pc_i : sides_i ? side_pc_i : '1;
  assign rec_o     = leaves ? rec_i & ~lanes_i : rec_i;
  assign left      = pend_i & ~lanes_i;
  assign pend_o    = left & ~(too_lanes_i & {Lanes{too_i}});
  assign some_left = leaves ? (rec_i & ~lanes_i) != '0 : rec_i != '0;
  assign settled_o = too_i ? (left & ~too_lanes_i) == '0 : left == '0;
  assign goes_on_o = settled_o && some_left;

  assign up_o         = parent_there_i && (kind_i == 2'd2 || (kind_i == 2'd3 && parent_frame_i == frame_i));
  assign parent_there = walks_i ? parent_pc_i == walk_pc_i : parent_pc_i == side_pc_i;
  assign meets_o      = kind_i == 2'd3 && parent_there_i && parent_frame_i == frame_i - 1'b1 && (parent_kind_i || parent_there);
  assign beyond       = kind_i == 2'd3 && !up_o && !meets_o;
  assign inserts_o    = beyond && (rec_i & ~lanes_i) != '0 && !full_i;
  assign alone_o      = elsewhere || (beyond && !inserts_o);

endmodule

`default_nettype wire
