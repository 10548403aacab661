// simt_stack with one register stage too many, which the comparison clock by clock must notice, and the GPU's cycles must show: in front
// of the arbiter, where requests wait a clock, or behind the answer.

`default_nettype none

module late_simt_stack #(
  parameter int unsigned LateRequest = 0,
  parameter int unsigned LateAnswer  = 0,
  localparam int unsigned Warps = 64, Lanes = 32, Depth = 128, Frames = 96, PcW = 32, Requesters = 9, WarpW = 6, DepthW = 8, FrameW = 7
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [1:0]                  first_side_i,
  input  logic [Requesters-1:0]       req_valid_i,
  output logic [Requesters-1:0]       req_ready_o,
  input  logic [Requesters*4-1:0]     req_op_i,
  input  logic [Requesters*WarpW-1:0] req_warp_i,
  input  logic [Requesters*Lanes-1:0] req_lanes_i,
  input  logic [Requesters*PcW-1:0]   req_target_i,
  input  logic [Requesters*PcW-1:0]   req_next_i,
  input  logic [Requesters*PcW-1:0]   req_rpc_i,
  output logic                        answer_valid_o,
  output logic [WarpW-1:0]            answer_warp_o,
  output logic [1:0]                  answer_error_o,
  output logic [DepthW-1:0]           answer_depth_o,
  output logic [PcW-1:0]              answer_pc_o,
  output logic [PcW-1:0]              answer_rpc_o,
  output logic [Lanes-1:0]            answer_mask_o,
  output logic [FrameW-1:0]           answer_frame_o,
  output logic                        answer_barrier_o,
  output logic                        answer_diverged_o,
  output logic                        answer_reconverged_o,
  input  logic [WarpW-1:0]            debug_warp_i,
  input  logic [DepthW-1:0]           debug_position_i,
  input  logic [FrameW-1:0]           debug_frame_i,
  output logic [DepthW-1:0]           debug_depth_o,
  output logic                        debug_barrier_o,
  output logic [PcW-1:0]              debug_pc_o,
  output logic [PcW-1:0]              debug_rpc_o,
  output logic [Lanes-1:0]            debug_mask_o,
  output logic                        debug_caller_o
);

  // LateRequest: a request is kept in a register; one is taken in a clock, if its register is empty or is served.
  localparam int unsigned RequestW = 4 + WarpW + Lanes + 3 * PcW;
  logic [Requesters-1:0]          valid_q, room, taken, inner_ready;
  logic [Requesters*RequestW-1:0] kept_q, asked;
  assign room  = req_valid_i & (~valid_q | inner_ready);
  assign taken = room & (~room + 1'b1);
  for (genvar r = 0; r < Requesters; r++) begin : gen_request
    assign asked[r*RequestW +: RequestW] = {req_op_i[r*4 +: 4], req_warp_i[r*WarpW +: WarpW], req_lanes_i[r*Lanes +: Lanes],
                                            req_target_i[r*PcW +: PcW], req_next_i[r*PcW +: PcW], req_rpc_i[r*PcW +: PcW]};
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < Requesters; r++)
      if (taken[r]) kept_q[r*RequestW +: RequestW] <= asked[r*RequestW +: RequestW];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= (valid_q & ~inner_ready) | taken;
  end
  assign req_ready_o = (LateRequest != 0) ? taken : inner_ready;

  logic [Requesters*RequestW-1:0] given;
  logic [Requesters*4-1:0]        op;
  logic [Requesters*WarpW-1:0]    warp;
  logic [Requesters*Lanes-1:0]    lanes;
  logic [Requesters*PcW-1:0]      target, next, rpc;
  assign given = (LateRequest != 0) ? kept_q : asked;
  for (genvar r = 0; r < Requesters; r++) begin : gen_given
    assign {op[r*4 +: 4], warp[r*WarpW +: WarpW], lanes[r*Lanes +: Lanes], target[r*PcW +: PcW], next[r*PcW +: PcW],
            rpc[r*PcW +: PcW]} = given[r*RequestW +: RequestW];
  end

  localparam int unsigned AnswerW = WarpW + 2 + DepthW + 2 * PcW + Lanes + FrameW + 3;
  logic               valid, late_valid_q;
  logic [AnswerW-1:0] answer, answer_q;
  simt_stack #(.Warps(Warps), .Lanes(Lanes), .Depth(Depth), .Frames(Frames), .PcW(PcW), .Requesters(Requesters)) u_simt_stack (
    .clk_i, .rst_ni, .first_side_i,
    .req_valid_i((LateRequest != 0) ? valid_q : req_valid_i), .req_ready_o(inner_ready),
    .req_op_i(op), .req_warp_i(warp), .req_lanes_i(lanes), .req_target_i(target), .req_next_i(next), .req_rpc_i(rpc),
    .answer_valid_o(valid), .answer_warp_o(answer[AnswerW-1 -: WarpW]), .answer_error_o(answer[AnswerW-WarpW-1 -: 2]),
    .answer_depth_o(answer[2*PcW+Lanes+FrameW+3 +: DepthW]), .answer_pc_o(answer[PcW+Lanes+FrameW+3 +: PcW]),
    .answer_rpc_o(answer[Lanes+FrameW+3 +: PcW]), .answer_mask_o(answer[FrameW+3 +: Lanes]), .answer_frame_o(answer[3 +: FrameW]),
    .answer_barrier_o(answer[2]), .answer_diverged_o(answer[1]), .answer_reconverged_o(answer[0]),
    .debug_warp_i, .debug_position_i, .debug_frame_i, .debug_depth_o, .debug_barrier_o, .debug_pc_o, .debug_rpc_o, .debug_mask_o,
    .debug_caller_o
  );

  // LateAnswer: it passes a register.
  always_ff @(posedge clk_i) answer_q <= answer;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_valid_q <= 1'b0;
    else late_valid_q <= valid;
  end
  assign answer_valid_o = (LateAnswer != 0) ? late_valid_q : valid;
  assign {answer_warp_o, answer_error_o, answer_depth_o, answer_pc_o, answer_rpc_o, answer_mask_o, answer_frame_o, answer_barrier_o,
          answer_diverged_o, answer_reconverged_o} = (LateAnswer != 0) ? answer_q : answer;

endmodule

`default_nettype wire
