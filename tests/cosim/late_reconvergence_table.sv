// reconvergence_table with one register stage too many, which the comparison must notice, and the GPU's cycles must show: in front of the request, or
// behind the answer.

`default_nettype none

module late_reconvergence_table #(
  parameter int unsigned LateRequest = 0,
  parameter int unsigned LateAnswer  = 0,
  localparam int unsigned Warps = 64, Entries = 32, PcW = 32, Lanes = 32, FrameW = 32, TimeW = 32,
      WarpW = (Warps > 1) ? $clog2(Warps) : 1, IdW = $clog2(Entries), RecordW = 2 * PcW + 2 * Lanes
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               cfg_victim_most_recent_i,
  input  logic [TimeW-1:0]   cfg_timeout_i,
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [3:0]         req_op_i,
  input  logic [WarpW-1:0]   req_warp_i,
  input  logic [IdW-1:0]     req_id_i,
  input  logic [Lanes-1:0]   req_lanes_i,
  input  logic [TimeW-1:0]   req_time_i,
  input  logic [PcW-1:0]     req_pc_i,
  input  logic [FrameW-1:0]  req_frame_i,
  input  logic [1:0]         req_kind_i,
  input  logic               req_rpc_valid_i,
  input  logic [PcW-1:0]     req_rpc_i,
  input  logic [IdW-1:0]     req_index_i,
  input  logic [FrameW-1:0]  req_rpc_frame_i,
  input  logic [1:0]         req_rpc_kind_i,
  input  logic [Lanes-1:0]   req_rec_i,
  input  logic [Lanes-1:0]   req_pend_i,
  input  logic [RecordW-1:0] req_record_i,
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic               rsp_ok_o,
  output logic               rsp_in_use_o,
  output logic [WarpW-1:0]   rsp_warp_o,
  output logic [IdW-1:0]     rsp_id_o,
  output logic [PcW-1:0]     rsp_pc_o,
  output logic [FrameW-1:0]  rsp_frame_o,
  output logic [1:0]         rsp_kind_o,
  output logic               rsp_rpc_valid_o,
  output logic [PcW-1:0]     rsp_rpc_o,
  output logic [IdW-1:0]     rsp_index_o,
  output logic [FrameW-1:0]  rsp_rpc_frame_o,
  output logic [1:0]         rsp_rpc_kind_o,
  output logic [Lanes-1:0]   rsp_rec_o,
  output logic [Lanes-1:0]   rsp_pend_o,
  output logic [RecordW-1:0] rsp_record_o,
  output logic               rsp_timer_runs_o,
  output logic [TimeW-1:0]   rsp_deadline_o
);

  logic               req_valid, req_ready;
  logic [3:0]         req_op;
  logic [WarpW-1:0]   req_warp;
  logic [IdW-1:0]     req_id, req_index;
  logic [Lanes-1:0]   req_lanes, req_rec, req_pend;
  logic [TimeW-1:0]   req_time;
  logic [PcW-1:0]     req_pc, req_rpc;
  logic [FrameW-1:0]  req_frame, req_rpc_frame;
  logic [1:0]         req_kind, req_rpc_kind;
  logic               req_rpc_valid;
  logic [RecordW-1:0] req_record;
  logic               rsp_valid, rsp_ready;
  logic               rsp_ok, rsp_in_use, rsp_rpc_valid, rsp_timer_runs;
  logic [WarpW-1:0]   rsp_warp;
  logic [IdW-1:0]     rsp_id, rsp_index;
  logic [PcW-1:0]     rsp_pc, rsp_rpc;
  logic [FrameW-1:0]  rsp_frame, rsp_rpc_frame;
  logic [1:0]         rsp_kind, rsp_rpc_kind;
  logic [Lanes-1:0]   rsp_rec, rsp_pend;
  logic [RecordW-1:0] rsp_record;
  logic [TimeW-1:0]   rsp_deadline;

  late_stage #(.Late(LateRequest), .Width($bits({req_op_i, req_warp_i, req_id_i, req_lanes_i, req_time_i, req_pc_i, req_frame_i,
      req_kind_i, req_rpc_valid_i, req_rpc_i, req_index_i, req_rpc_frame_i, req_rpc_kind_i, req_rec_i, req_pend_i,
      req_record_i}))) u_request (
    .clk_i, .rst_ni, .valid_i(req_valid_i), .ready_o(req_ready_o), .valid_o(req_valid), .ready_i(req_ready),
    .data_i({req_op_i, req_warp_i, req_id_i, req_lanes_i, req_time_i, req_pc_i, req_frame_i, req_kind_i, req_rpc_valid_i, req_rpc_i,
      req_index_i, req_rpc_frame_i, req_rpc_kind_i, req_rec_i, req_pend_i, req_record_i}),
    .data_o({req_op, req_warp, req_id, req_lanes, req_time, req_pc, req_frame, req_kind, req_rpc_valid, req_rpc, req_index, req_rpc_frame,
      req_rpc_kind, req_rec, req_pend, req_record})
  );

  reconvergence_table #(.Warps(Warps), .FrameW(FrameW)) u_reconvergence_table (
    .clk_i, .rst_ni, .cfg_victim_most_recent_i, .cfg_timeout_i, .req_valid_i(req_valid), .req_ready_o(req_ready), .req_op_i(req_op),
      .req_warp_i(req_warp), .req_id_i(req_id), .req_lanes_i(req_lanes), .req_time_i(req_time), .req_pc_i(req_pc), .req_frame_i(req_frame),
      .req_kind_i(req_kind), .req_rpc_valid_i(req_rpc_valid), .req_rpc_i(req_rpc), .req_index_i(req_index),
      .req_rpc_frame_i(req_rpc_frame), .req_rpc_kind_i(req_rpc_kind), .req_rec_i(req_rec), .req_pend_i(req_pend),
      .req_record_i(req_record), .rsp_valid_o(rsp_valid), .rsp_ready_i(rsp_ready), .rsp_ok_o(rsp_ok), .rsp_in_use_o(rsp_in_use),
      .rsp_warp_o(rsp_warp), .rsp_id_o(rsp_id), .rsp_pc_o(rsp_pc), .rsp_frame_o(rsp_frame), .rsp_kind_o(rsp_kind),
      .rsp_rpc_valid_o(rsp_rpc_valid), .rsp_rpc_o(rsp_rpc), .rsp_index_o(rsp_index), .rsp_rpc_frame_o(rsp_rpc_frame),
      .rsp_rpc_kind_o(rsp_rpc_kind), .rsp_rec_o(rsp_rec), .rsp_pend_o(rsp_pend), .rsp_record_o(rsp_record),
      .rsp_timer_runs_o(rsp_timer_runs), .rsp_deadline_o(rsp_deadline)
  );

  late_stage #(.Late(LateAnswer), .Width($bits({rsp_ok, rsp_in_use, rsp_warp, rsp_id, rsp_pc, rsp_frame, rsp_kind, rsp_rpc_valid, rsp_rpc,
      rsp_index, rsp_rpc_frame, rsp_rpc_kind, rsp_rec, rsp_pend, rsp_record, rsp_timer_runs, rsp_deadline}))) u_answer (
    .clk_i, .rst_ni, .valid_i(rsp_valid), .ready_o(rsp_ready), .valid_o(rsp_valid_o), .ready_i(rsp_ready_i),
    .data_i({rsp_ok, rsp_in_use, rsp_warp, rsp_id, rsp_pc, rsp_frame, rsp_kind, rsp_rpc_valid, rsp_rpc, rsp_index, rsp_rpc_frame,
      rsp_rpc_kind, rsp_rec, rsp_pend, rsp_record, rsp_timer_runs, rsp_deadline}),
    .data_o({rsp_ok_o, rsp_in_use_o, rsp_warp_o, rsp_id_o, rsp_pc_o, rsp_frame_o, rsp_kind_o, rsp_rpc_valid_o, rsp_rpc_o, rsp_index_o,
      rsp_rpc_frame_o, rsp_rpc_kind_o, rsp_rec_o, rsp_pend_o, rsp_record_o, rsp_timer_runs_o, rsp_deadline_o})
  );

endmodule

`default_nettype wire
