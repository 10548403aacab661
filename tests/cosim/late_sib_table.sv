// sib_table with one register stage too many, which the comparison clock by clock must notice, and the GPU's cycles must show: in front
// of the arbiter, where look-ups wait a clock, or behind the answer.

`default_nettype none

module late_sib_table #(
  parameter int unsigned LateLook   = 0,
  parameter int unsigned LateAnswer = 0,
  localparam int unsigned Entries = 16, Threshold = 4, Requesters = 8, PcW = 32, RequesterW = 3, SlotW = 4, CountW = 5, ConfW = 2
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [Requesters-1:0]     look_valid_i,
  output logic [Requesters-1:0]     look_ready_o,
  input  logic [Requesters*PcW-1:0] look_pc_i,
  input  logic [Requesters-1:0]     look_spinning_i,
  input  logic                      flush_i,
  output logic                      answer_valid_o,
  output logic [RequesterW-1:0]     answer_requester_o,
  output logic                      answer_predicted_o,
  output logic                      answer_confirmed_o,
  output logic                      answer_full_o,
  input  logic [SlotW-1:0]          debug_slot_i,
  output logic [CountW-1:0]         debug_count_o,
  output logic                      debug_valid_o,
  output logic [PcW-1:0]            debug_pc_o,
  output logic                      debug_predicted_o,
  output logic [ConfW-1:0]          debug_confidence_o
);

  // LateLook: a look-up is kept in a register; one is taken in a clock, if its register is empty or is served.
  logic [Requesters-1:0]     valid_q, spinning_q, room, taken, inner_ready;
  logic [Requesters*PcW-1:0] pc_q;
  assign room  = look_valid_i & (~valid_q | inner_ready);
  assign taken = room & (~room + 1'b1);
  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < Requesters; r++) begin
      if (taken[r]) begin
        pc_q[r*PcW +: PcW] <= look_pc_i[r*PcW +: PcW];
        spinning_q[r]      <= look_spinning_i[r];
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= flush_i ? '0 : (valid_q & ~inner_ready) | taken;
  end

  logic                  valid, predicted, confirmed, full, late_valid_q;
  logic [RequesterW-1:0] requester;
  sib_table #(.Entries(Entries), .Threshold(Threshold), .PcW(PcW), .Requesters(Requesters)) u_sib_table (
    .clk_i, .rst_ni,
    .look_valid_i((LateLook != 0) ? valid_q : look_valid_i), .look_ready_o(inner_ready),
    .look_pc_i((LateLook != 0) ? pc_q : look_pc_i), .look_spinning_i((LateLook != 0) ? spinning_q : look_spinning_i),
    .flush_i, .answer_valid_o(valid), .answer_requester_o(requester), .answer_predicted_o(predicted),
    .answer_confirmed_o(confirmed), .answer_full_o(full), .debug_slot_i, .debug_count_o, .debug_valid_o, .debug_pc_o,
    .debug_predicted_o, .debug_confidence_o
  );
  assign look_ready_o = (LateLook != 0) ? taken : inner_ready;

  // LateAnswer: it passes a register.
  logic [RequesterW+2:0] answer_q;
  always_ff @(posedge clk_i) answer_q <= {requester, predicted, confirmed, full};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_valid_q <= 1'b0;
    else late_valid_q <= valid;
  end
  assign answer_valid_o = (LateAnswer != 0) ? late_valid_q : valid;
  assign {answer_requester_o, answer_predicted_o, answer_confirmed_o, answer_full_o} =
      (LateAnswer != 0) ? answer_q : {requester, predicted, confirmed, full};

endmodule

`default_nettype wire
