// split_table with one register stage too many, which the comparison must notice, and the GPU's cycles must show: in front of the request, or
// behind the answer.

`default_nettype none

module late_split_table #(
  parameter int unsigned LateRequest = 0,
  parameter int unsigned LateAnswer  = 0,
  localparam int unsigned Warps = 64, Entries = 32, PcW = 32, Lanes = 32, FrameW = 16,
      WarpW = (Warps > 1) ? $clog2(Warps) : 1, IdW = (Entries > 1) ? $clog2(Entries) : 1, RecordW = 2 * 32 + Lanes
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [2:0]         req_op_i,
  input  logic [WarpW-1:0]   req_warp_i,
  input  logic [IdW-1:0]     req_id_i,
  input  logic               req_id_valid_i,
  input  logic [PcW-1:0]     req_pc_i,
  input  logic [PcW-1:0]     req_rpc_pc_i,
  input  logic               req_rpc_valid_i,
  input  logic [IdW-1:0]     req_r_index_i,
  input  logic [Lanes-1:0]   req_mask_i,
  input  logic [FrameW-1:0]  req_frame_i,
  input  logic [FrameW-1:0]  req_rpc_frame_i,
  input  logic [1:0]         req_rpc_kind_i,
  input  logic               req_blocked_i,
  input  logic [RecordW-1:0] req_record_i,
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic               rsp_ok_o,
  output logic               rsp_in_use_o,
  output logic [IdW-1:0]     rsp_id_o,
  output logic [PcW-1:0]     rsp_pc_o,
  output logic [PcW-1:0]     rsp_rpc_pc_o,
  output logic               rsp_rpc_valid_o,
  output logic [IdW-1:0]     rsp_r_index_o,
  output logic [Lanes-1:0]   rsp_mask_o,
  output logic [FrameW-1:0]  rsp_frame_o,
  output logic [FrameW-1:0]  rsp_rpc_frame_o,
  output logic [1:0]         rsp_rpc_kind_o,
  output logic               rsp_blocked_o,
  output logic [RecordW-1:0] rsp_record_o
);

  logic               req_valid, req_ready;
  logic [2:0]         req_op;
  logic [WarpW-1:0]   req_warp;
  logic [IdW-1:0]     req_id, req_r_index;
  logic               req_id_valid, req_rpc_valid, req_blocked;
  logic [PcW-1:0]     req_pc, req_rpc_pc;
  logic [Lanes-1:0]   req_mask;
  logic [FrameW-1:0]  req_frame, req_rpc_frame;
  logic [1:0]         req_rpc_kind;
  logic [RecordW-1:0] req_record;
  logic               rsp_valid, rsp_ready;
  logic               rsp_ok, rsp_in_use, rsp_rpc_valid, rsp_blocked;
  logic [IdW-1:0]     rsp_id, rsp_r_index;
  logic [PcW-1:0]     rsp_pc, rsp_rpc_pc;
  logic [Lanes-1:0]   rsp_mask;
  logic [FrameW-1:0]  rsp_frame, rsp_rpc_frame;
  logic [1:0]         rsp_rpc_kind;
  logic [RecordW-1:0] rsp_record;

  late_stage #(.Late(LateRequest), .Width($bits({req_op_i, req_warp_i, req_id_i, req_id_valid_i, req_pc_i, req_rpc_pc_i, req_rpc_valid_i,
      req_r_index_i, req_mask_i, req_frame_i, req_rpc_frame_i, req_rpc_kind_i, req_blocked_i, req_record_i}))) u_request (
    .clk_i, .rst_ni, .valid_i(req_valid_i), .ready_o(req_ready_o), .valid_o(req_valid), .ready_i(req_ready),
    .data_i({req_op_i, req_warp_i, req_id_i, req_id_valid_i, req_pc_i, req_rpc_pc_i, req_rpc_valid_i, req_r_index_i, req_mask_i,
      req_frame_i, req_rpc_frame_i, req_rpc_kind_i, req_blocked_i, req_record_i}),
    .data_o({req_op, req_warp, req_id, req_id_valid, req_pc, req_rpc_pc, req_rpc_valid, req_r_index, req_mask, req_frame, req_rpc_frame,
      req_rpc_kind, req_blocked, req_record})
  );

  split_table #(.Warps(Warps)) u_split_table (
    .clk_i, .rst_ni, .req_valid_i(req_valid), .req_ready_o(req_ready), .req_op_i(req_op), .req_warp_i(req_warp), .req_id_i(req_id),
      .req_id_valid_i(req_id_valid), .req_pc_i(req_pc), .req_rpc_pc_i(req_rpc_pc), .req_rpc_valid_i(req_rpc_valid),
      .req_r_index_i(req_r_index), .req_mask_i(req_mask), .req_frame_i(req_frame), .req_rpc_frame_i(req_rpc_frame),
      .req_rpc_kind_i(req_rpc_kind), .req_blocked_i(req_blocked), .req_record_i(req_record), .rsp_valid_o(rsp_valid),
      .rsp_ready_i(rsp_ready), .rsp_ok_o(rsp_ok), .rsp_in_use_o(rsp_in_use), .rsp_id_o(rsp_id), .rsp_pc_o(rsp_pc),
      .rsp_rpc_pc_o(rsp_rpc_pc), .rsp_rpc_valid_o(rsp_rpc_valid), .rsp_r_index_o(rsp_r_index), .rsp_mask_o(rsp_mask),
      .rsp_frame_o(rsp_frame), .rsp_rpc_frame_o(rsp_rpc_frame), .rsp_rpc_kind_o(rsp_rpc_kind), .rsp_blocked_o(rsp_blocked),
      .rsp_record_o(rsp_record)
  );

  late_stage #(.Late(LateAnswer), .Width($bits({rsp_ok, rsp_in_use, rsp_id, rsp_pc, rsp_rpc_pc, rsp_rpc_valid, rsp_r_index, rsp_mask,
      rsp_frame, rsp_rpc_frame, rsp_rpc_kind, rsp_blocked, rsp_record}))) u_answer (
    .clk_i, .rst_ni, .valid_i(rsp_valid), .ready_o(rsp_ready), .valid_o(rsp_valid_o), .ready_i(rsp_ready_i),
    .data_i({rsp_ok, rsp_in_use, rsp_id, rsp_pc, rsp_rpc_pc, rsp_rpc_valid, rsp_r_index, rsp_mask, rsp_frame, rsp_rpc_frame, rsp_rpc_kind,
      rsp_blocked, rsp_record}),
    .data_o({rsp_ok_o, rsp_in_use_o, rsp_id_o, rsp_pc_o, rsp_rpc_pc_o, rsp_rpc_valid_o, rsp_r_index_o, rsp_mask_o, rsp_frame_o,
      rsp_rpc_frame_o, rsp_rpc_kind_o, rsp_blocked_o, rsp_record_o})
  );

endmodule

`default_nettype wire
