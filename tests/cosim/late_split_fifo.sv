// split_fifo with one register stage too many, which the comparison must notice, and the GPU's cycles must show: in front of the request, or
// behind the answer.

`default_nettype none

module late_split_fifo #(
  parameter int unsigned LateRequest = 0,
  parameter int unsigned LateAnswer  = 0,
  localparam int unsigned Warps = 64, Entries = 32, Lanes = 32, WarpW = (Warps > 1) ? $clog2(Warps) : 1,
      IdW = (Entries > 1) ? $clog2(Entries) : 1, CountW = $clog2(Entries + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [3:0]        req_op_i,
  input  logic [WarpW-1:0]  req_warp_i,
  input  logic [IdW-1:0]    req_id_i,
  input  logic              req_spilled_i,
  input  logic              req_keep_front_i,
  input  logic [Lanes-1:0]  req_lanes_i,
  input  logic [IdW-1:0]    req_position_i,
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [CountW-1:0] rsp_count_o,
  output logic [IdW-1:0]    rsp_id_o,
  output logic              rsp_blocked_o,
  output logic              rsp_spilled_o,
  output logic              rsp_transient_o,
  output logic [Lanes-1:0]  rsp_lanes_o,
  output logic              rsp_victim_valid_o,
  output logic [IdW-1:0]    rsp_victim_o
);

  logic              req_valid, req_ready;
  logic [3:0]        req_op;
  logic [WarpW-1:0]  req_warp;
  logic [IdW-1:0]    req_id, req_position;
  logic              req_spilled, req_keep_front;
  logic [Lanes-1:0]  req_lanes;
  logic              rsp_valid, rsp_ready;
  logic [CountW-1:0] rsp_count;
  logic [IdW-1:0]    rsp_id, rsp_victim;
  logic              rsp_blocked, rsp_spilled, rsp_transient, rsp_victim_valid;
  logic [Lanes-1:0]  rsp_lanes;

  late_stage #(.Late(LateRequest), .Width($bits({req_op_i, req_warp_i, req_id_i, req_spilled_i, req_keep_front_i, req_lanes_i,
      req_position_i}))) u_request (
    .clk_i, .rst_ni, .valid_i(req_valid_i), .ready_o(req_ready_o), .valid_o(req_valid), .ready_i(req_ready),
    .data_i({req_op_i, req_warp_i, req_id_i, req_spilled_i, req_keep_front_i, req_lanes_i, req_position_i}),
    .data_o({req_op, req_warp, req_id, req_spilled, req_keep_front, req_lanes, req_position})
  );

  split_fifo #(.Warps(Warps)) u_split_fifo (
    .clk_i, .rst_ni, .req_valid_i(req_valid), .req_ready_o(req_ready), .req_op_i(req_op), .req_warp_i(req_warp), .req_id_i(req_id),
      .req_spilled_i(req_spilled), .req_keep_front_i(req_keep_front), .req_lanes_i(req_lanes), .req_position_i(req_position),
      .rsp_valid_o(rsp_valid), .rsp_ready_i(rsp_ready), .rsp_count_o(rsp_count), .rsp_id_o(rsp_id), .rsp_blocked_o(rsp_blocked),
      .rsp_spilled_o(rsp_spilled), .rsp_transient_o(rsp_transient), .rsp_lanes_o(rsp_lanes), .rsp_victim_valid_o(rsp_victim_valid),
      .rsp_victim_o(rsp_victim)
  );

  late_stage #(.Late(LateAnswer), .Width($bits({rsp_count, rsp_id, rsp_blocked, rsp_spilled, rsp_transient, rsp_lanes, rsp_victim_valid,
      rsp_victim}))) u_answer (
    .clk_i, .rst_ni, .valid_i(rsp_valid), .ready_o(rsp_ready), .valid_o(rsp_valid_o), .ready_i(rsp_ready_i),
    .data_i({rsp_count, rsp_id, rsp_blocked, rsp_spilled, rsp_transient, rsp_lanes, rsp_victim_valid, rsp_victim}),
    .data_o({rsp_count_o, rsp_id_o, rsp_blocked_o, rsp_spilled_o, rsp_transient_o, rsp_lanes_o, rsp_victim_valid_o, rsp_victim_o})
  );

endmodule

`default_nettype wire
