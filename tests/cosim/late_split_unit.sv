// split_unit with one register stage too many, which the comparison clock by clock must notice, and the GPU's cycles must show: in front
// of the arbiter, where events wait a clock, or behind the answer.

`default_nettype none

module late_split_unit #(
  parameter int unsigned LateRequest = 0,
  parameter int unsigned LateAnswer  = 0,
  localparam int unsigned Warps = 64, Lanes = 32, Frames = 96, PcW = 32, Requesters = 9, WarpW = 6, IdW = 5, CountW = 6, FrameW = 7,
  localparam int unsigned StW = 2 * PcW + 2 * FrameW + IdW + 2 + Lanes
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        rotate_i,
  input  logic [Requesters-1:0]       req_valid_i,
  output logic [Requesters-1:0]       req_ready_o,
  input  logic [Requesters*3-1:0]     req_op_i,
  input  logic [Requesters*WarpW-1:0] req_warp_i,
  input  logic [Requesters*IdW-1:0]   req_split_i,
  input  logic [Requesters*Lanes-1:0] req_lanes_i,
  input  logic [Requesters*PcW-1:0]   req_next_i,
  input  logic [Requesters*PcW-1:0]   req_rpc_i,
  input  logic [Lanes-1:0]            side_lanes_i,
  input  logic [PcW-1:0]              side_pc_i,
  input  logic                        side_last_i,
  output logic                        side_ready_o,
  output logic                        answer_valid_o,
  output logic [WarpW-1:0]            answer_warp_o,
  output logic                        answer_error_o,
  output logic [1:0]                  answer_state_o,
  output logic [IdW-1:0]              answer_split_o,
  output logic [PcW-1:0]              answer_pc_o,
  output logic [PcW-1:0]              answer_watch_o,
  output logic [Lanes-1:0]            answer_mask_o,
  input  logic [WarpW-1:0]            debug_warp_i,
  input  logic [IdW-1:0]              debug_index_i,
  output logic [CountW-1:0]           debug_count_o,
  output logic [IdW-1:0]              debug_queued_o,
  output logic                        debug_blocked_o,
  output logic                        debug_used_o,
  output logic [StW-1:0]              debug_split_o,
  output logic [StW+Lanes-1:0]        debug_point_o
);

  // LateRequest: an event is offered in the clock behind the one in which it comes. It stays on the pins until it is served.
  logic [Requesters-1:0] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= req_valid_i & ~req_ready_o;
  end

  localparam int unsigned AnswerW = WarpW + 1 + 2 + IdW + 2 * PcW + Lanes;
  logic               valid, late_valid_q;
  logic [AnswerW-1:0] answer, answer_q;
  split_unit #(.Warps(Warps), .Lanes(Lanes), .Frames(Frames), .PcW(PcW), .Requesters(Requesters)) u_split_unit (
    .clk_i, .rst_ni, .rotate_i, .req_valid_i((LateRequest != 0) ? req_valid_i & valid_q : req_valid_i), .req_ready_o,
    .req_op_i, .req_warp_i, .req_split_i, .req_lanes_i, .req_next_i, .req_rpc_i,
    .side_lanes_i, .side_pc_i, .side_last_i, .side_ready_o,
    .answer_valid_o(valid), .answer_warp_o(answer[AnswerW-1 -: WarpW]), .answer_error_o(answer[2+IdW+2*PcW+Lanes]),
    .answer_state_o(answer[IdW+2*PcW+Lanes +: 2]), .answer_split_o(answer[2*PcW+Lanes +: IdW]), .answer_pc_o(answer[PcW+Lanes +: PcW]),
    .answer_watch_o(answer[Lanes +: PcW]), .answer_mask_o(answer[Lanes-1:0]),
    .debug_warp_i, .debug_index_i, .debug_count_o, .debug_queued_o, .debug_blocked_o, .debug_used_o, .debug_split_o, .debug_point_o
  );

  // LateAnswer: it passes a register.
  always_ff @(posedge clk_i) answer_q <= answer;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_valid_q <= 1'b0;
    else late_valid_q <= valid;
  end
  assign answer_valid_o = (LateAnswer != 0) ? late_valid_q : valid;
  assign {answer_warp_o, answer_error_o, answer_state_o, answer_split_o, answer_pc_o, answer_watch_o, answer_mask_o} =
      (LateAnswer != 0) ? answer_q : answer;

endmodule

`default_nettype wire
