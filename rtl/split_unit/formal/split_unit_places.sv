// All that split_unit's tables have of warp 0, as they are written, while none of its events is under way: every live thread is in exactly one place, a
// split, or a point where it has arrived. A split's point is there and expects its lanes; and so does a point's parent.

`default_nettype none

module split_unit_places #(
  parameter int unsigned Warps  = 1,
  parameter int unsigned Lanes  = 2,
  parameter int unsigned Frames = 1,
  parameter int unsigned PcW    = 2,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1),
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1,
  localparam int unsigned StW    = 2 * PcW + 2 * FrameW + IdW + 2 + Lanes,
  localparam int unsigned RtW    = StW + Lanes,
  localparam int unsigned RowW   = 2 * Lanes * IdW + 2 * CountW + 4 * Lanes
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             busy_i,
  input logic [WarpW-1:0] warp_i,
  input logic             row_write_i,
  input logic [RowW-1:0]  row_i,
  input logic             split_write_i,
  input logic [IdW-1:0]   split_to_i,
  input logic [StW-1:0]   split_i,
  input logic             point_write_i,
  input logic [IdW-1:0]   point_to_i,
  input logic [RtW-1:0]   point_i
);

  // As in split_unit.sv
  localparam int unsigned IdAt = FrameW + PcW, ThereAt = IdAt + IdW + 1, MaskAt = ThereAt + 1;
  typedef struct packed {
    logic [Lanes*IdW-1:0] splits;
    logic [CountW-1:0]    count;
    logic [Lanes-1:0]     used;
    logic [Lanes-1:0]     blocked;
    logic [Lanes-1:0]     arrives;
    logic [Lanes*IdW-1:0] free;
    logic [CountW-1:0]    free_count;
    logic [Lanes-1:0]     live;
  } row_t;

  // The tables, again
  logic ours, there_q;
  row_t row_q;
  logic [Lanes*StW-1:0] splits_q;
  logic [Lanes*RtW-1:0] points_q;
  assign ours = warp_i == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= 1'b0;
    else if (ours && row_write_i && !there_q) there_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (ours && row_write_i) row_q <= row_i;
    if (ours && split_write_i) splits_q[split_to_i*StW +: StW] <= split_i;
    if (ours && point_write_i) points_q[point_to_i*RtW +: RtW] <= point_i;
  end

  logic [Lanes-1:0]       in_use;                    // points
  logic [Lanes*Lanes-1:0] pend, rec, mask;           // by number
  logic [Lanes-1:0]       runs_to, ends_to;          // splits that have a point, points that have a parent
  logic [Lanes*IdW-1:0]   point_of, parent_of;
  for (genvar i = 0; i < Lanes; i++) begin : gen_number
    logic [StW-1:0]   split, all;
    logic [Lanes-1:0] free;
    for (genvar j = 0; j < Lanes; j++) begin : gen_free
      assign free[j] = CountW'(j) < row_q.free_count && row_q.free[j*IdW +: IdW] == IdW'(i);
    end
    assign split     = splits_q[i*StW +: StW];
    assign all       = points_q[i*RtW +: StW];
    assign in_use[i] = free == '0;
    assign mask[i*Lanes +: Lanes] = split[MaskAt +: Lanes] & {Lanes{row_q.used[i]}};
    assign pend[i*Lanes +: Lanes] = points_q[i*RtW+StW +: Lanes] & {Lanes{in_use[i]}};
    assign rec[i*Lanes +: Lanes]  = all[MaskAt +: Lanes] & {Lanes{in_use[i]}};
    assign runs_to[i] = row_q.used[i] && split[ThereAt];
    assign ends_to[i] = in_use[i] && all[ThereAt];
    assign point_of[i*IdW +: IdW]  = split[IdAt +: IdW];
    assign parent_of[i*IdW +: IdW] = all[IdAt +: IdW];
  end

  logic [Lanes*(2*Lanes)-1:0] places;   // by lane: splits, points
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    for (genvar i = 0; i < Lanes; i++) begin : gen_place
      assign places[l*2*Lanes+2*i]   = mask[i*Lanes+l];
      assign places[l*2*Lanes+2*i+1] = rec[i*Lanes+l] && !pend[i*Lanes+l];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && there_q && !(busy_i && ours)) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        assert ((places[l*2*Lanes +: 2*Lanes] != '0) == row_q.live[l]);
        assert ((places[l*2*Lanes +: 2*Lanes] & (places[l*2*Lanes +: 2*Lanes] - 1'b1)) == '0);
      end
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (runs_to[i]) assert ((mask[i*Lanes +: Lanes] & ~pend[point_of[i*IdW +: IdW]*Lanes +: Lanes]) == '0);
        if (ends_to[i]) assert ((rec[i*Lanes +: Lanes] & ~pend[parent_of[i*IdW +: IdW]*Lanes +: Lanes]) == '0);
      end
      cover (runs_to != '0);
      cover ((rec & ~pend) != '0);               // a lane has arrived
      if (Lanes > 2) cover (ends_to != '0);      // with two lanes a split that has a point has one lane, and makes no other
    end
  end

endmodule

`default_nettype wire
