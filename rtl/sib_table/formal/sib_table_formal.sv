// Properties of sib_table, checked with ABC (scripts/formal), beside a table with a place for every PC there is: it
// has no slots, so that no property can repeat the block's search and allocation.
//
// Nothing is assumed of the user but that READ names a slot that exists. Proven, for all times:
//   look-up   predicted, confirmed and full are what the reference says, and count its entries
//   contents  a slot that is taken has the confidence and prediction of its PC; READ answers with it
//   once      no PC has two slots, and every PC of the reference has one
//   lowest    a new branch takes the lowest free slot, and no other moves
//   answered  every accepted request is answered in the next clock, and only these are
//   stable    an answer does not change until it is taken, and is not lost
// Three entries, so that not every slot number is one, of four PCs: the table is full with a branch left over. The
// thresholds are 1, at which a branch is predicted at once, and 3, of which confidence keeps no power of two; with 3 also without
// read-out.

`default_nettype none

module sib_table_formal (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       req_valid_i,
  input logic [1:0] req_op_i,
  input logic [1:0] req_pc_i,
  input logic       req_spinning_i,
  input logic [1:0] req_slot_i,
  input logic       rsp_ready_i
);

  sib_table_properties #(.Threshold(3)) u_three (.*);
  sib_table_properties #(.Threshold(1)) u_one (.*);
  sib_table_properties #(.Threshold(3), .Debug(0)) u_no_debug (.*);

endmodule

module sib_table_properties #(
  parameter int unsigned Threshold = 3,
  parameter int unsigned Debug     = 1,
  localparam int unsigned Entries  = 3,
  localparam int unsigned PcW      = 2,
  localparam int unsigned Pcs      = 1 << PcW,
  localparam int unsigned ConfW    = (Threshold > 1) ? $clog2(Threshold) : 1
) (
  input logic           clk_i,
  input logic           rst_ni,
  input logic           req_valid_i,
  input logic [1:0]     req_op_i,
  input logic [PcW-1:0] req_pc_i,
  input logic           req_spinning_i,
  input logic [1:0]     req_slot_i,
  input logic           rsp_ready_i
);

`include "sib_table_codes.svh"

  logic             req_ready, rsp_valid, rsp_predicted, rsp_confirmed, rsp_full;
  logic [1:0]       rsp_count;
  logic             rsp_entry_valid, rsp_entry_predicted;
  logic [PcW-1:0]   rsp_entry_pc;
  logic [ConfW-1:0] rsp_entry_confidence;

  logic [Entries-1:0]       valid, slot_predicted;
  logic [Entries*PcW-1:0]   pcs;
  logic [Entries*ConfW-1:0] confidences;

  sib_table #(.Entries(Entries), .Threshold(Threshold), .PcW(PcW), .Debug(Debug)) u_sib_table (
    .clk_i, .rst_ni, .req_valid_i, .req_ready_o(req_ready), .req_op_i, .req_pc_i, .req_spinning_i, .req_slot_i,
    .rsp_valid_o(rsp_valid), .rsp_ready_i, .rsp_predicted_o(rsp_predicted), .rsp_confirmed_o(rsp_confirmed),
    .rsp_full_o(rsp_full), .rsp_count_o(rsp_count), .rsp_entry_valid_o(rsp_entry_valid), .rsp_entry_pc_o(rsp_entry_pc),
    .rsp_entry_predicted_o(rsp_entry_predicted), .rsp_entry_confidence_o(rsp_entry_confidence),
    .formal_valid_o(valid), .formal_predicted_o(slot_predicted), .formal_pc_o(pcs), .formal_confidence_o(confidences)
  );

  logic accept;
  assign accept = req_valid_i && req_ready;

  // ---- Reference: by PC a count of executions while spinning, 0: it is not there. At Threshold it stays.
  logic [Pcs*2-1:0] times_q, times_d;
  logic [1:0]       times;  // of the request's PC
  logic [2:0]       there_q, there_d;
  assign times = times_q[req_pc_i*2 +: 2];
  always_comb begin
    there_q = '0;
    there_d = '0;
    for (int unsigned p = 0; p < Pcs; p++) begin
      there_q = there_q + 3'(times_q[p*2 +: 2] != '0);
      there_d = there_d + 3'(times_d[p*2 +: 2] != '0);
    end
  end

  logic no_room;
  assign no_room = times == '0 && there_q == 3'(Entries);
  always_comb begin
    times_d = times_q;
    if (req_op_i == OpFlush) times_d = '0;
    if (req_op_i == OpLookUp && times != 2'(Threshold)) begin
      if (req_spinning_i && !no_room) times_d[req_pc_i*2 +: 2] = times + 1'b1;
      if (!req_spinning_i && times != '0) times_d[req_pc_i*2 +: 2] = times - 1'b1;
    end
  end

  // ---- The request that is being answered.
  logic             asked_q, stalled_q;
  logic             exp_predicted_q, exp_confirmed_q, exp_full_q, exp_valid_q, exp_slot_predicted_q;
  logic [2:0]       exp_count_q;
  logic [PcW-1:0]   exp_pc_q;
  logic [ConfW-1:0] exp_confidence_q;
  always_ff @(posedge clk_i) begin
    stalled_q <= rst_ni && rsp_valid && !rsp_ready_i;
    if (!rst_ni) begin
      asked_q <= 1'b0;
      times_q <= '0;
    end else begin
      if (accept) asked_q <= 1'b1;
      else if (rsp_ready_i) asked_q <= 1'b0;
      if (accept) begin
        times_q         <= times_d;
        exp_predicted_q <= req_op_i == OpLookUp && times == 2'(Threshold);
        exp_confirmed_q <= req_op_i == OpLookUp && times != 2'(Threshold) && times_d[req_pc_i*2 +: 2] == 2'(Threshold);
        exp_full_q      <= req_op_i == OpLookUp && req_spinning_i && no_room;
        exp_count_q     <= (Debug != 0) ? there_d : '0;
        exp_valid_q          <= Debug != 0 && req_op_i == OpRead && valid[req_slot_i];
        exp_pc_q             <= pcs[req_slot_i*PcW +: PcW];
        exp_slot_predicted_q <= times_q[pcs[req_slot_i*PcW +: PcW]*2 +: 2] == 2'(Threshold);
        exp_confidence_q     <= ConfW'(times_q[pcs[req_slot_i*PcW +: PcW]*2 +: 2]);
      end
    end
  end

  // ---- Who enters where.
  logic [Entries-1:0]     valid_before_q;
  logic [Entries*PcW-1:0] pcs_before_q;
  always_ff @(posedge clk_i) begin
    valid_before_q <= rst_ni ? valid : '0;
    pcs_before_q   <= pcs;
  end

  logic past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // ---- The user's contract. The block is reset in the first clock, and may be reset again.
  always_ff @(posedge clk_i) begin
    if (!past_q) assume (!rst_ni);
    assume (req_op_i <= OpRead && 32'(req_slot_i) < Entries);
  end

  // ---- Properties
  logic [Pcs-1:0] has_slot;
  always_comb begin
    has_slot = '0;
    for (int unsigned e = 0; e < Entries; e++) if (valid[e]) has_slot[pcs[e*PcW +: PcW]] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && past_q) begin
      // answered
      assert (rsp_valid == asked_q);
      assert (req_ready == (!asked_q || rsp_ready_i));
      // look-up
      if (asked_q) begin
        assert (rsp_predicted == exp_predicted_q);
        assert (rsp_confirmed == exp_confirmed_q);
        assert (rsp_full == exp_full_q);
        assert (3'(rsp_count) == exp_count_q);
        assert (rsp_entry_valid == exp_valid_q);
        if (exp_valid_q) begin
          assert (rsp_entry_pc == exp_pc_q);
          assert (rsp_entry_predicted == exp_slot_predicted_q);
          if (!exp_slot_predicted_q) assert (rsp_entry_confidence == exp_confidence_q);
        end
      end
      // stable
      if (stalled_q) begin
        assert (rsp_valid);
        assert ($stable(rsp_predicted) && $stable(rsp_confirmed) && $stable(rsp_full) && $stable(rsp_count));
        assert ($stable(rsp_entry_valid) && $stable(rsp_entry_pc) && $stable(rsp_entry_predicted));
        assert ($stable(rsp_entry_confidence));
      end
      // contents, once
      for (int unsigned e = 0; e < Entries; e++) begin
        if (valid[e]) begin
          assert (times_q[pcs[e*PcW +: PcW]*2 +: 2] != '0);
          assert (slot_predicted[e] == (times_q[pcs[e*PcW +: PcW]*2 +: 2] == 2'(Threshold)));
          if (!slot_predicted[e])
            assert (confidences[e*ConfW +: ConfW] == ConfW'(times_q[pcs[e*PcW +: PcW]*2 +: 2]));
          for (int unsigned other = 0; other < e; other++)
            if (valid[other]) assert (pcs[e*PcW +: PcW] != pcs[other*PcW +: PcW]);
        end
      end
      for (int unsigned p = 0; p < Pcs; p++) begin
        assert (times_q[p*2 +: 2] <= 2'(Threshold));
        assert (has_slot[p] == (times_q[p*2 +: 2] != '0));
      end
      // lowest
      for (int unsigned e = 0; e < Entries; e++) begin
        if (valid[e] && valid_before_q[e]) assert (pcs[e*PcW +: PcW] == pcs_before_q[e*PcW +: PcW]);
        if (valid[e] && !valid_before_q[e])
          for (int unsigned lower = 0; lower < e; lower++) assert (valid_before_q[lower]);
      end
      // All of this happens: no room for the fourth branch; one confirmed, and one predicted beside others that are not; a
      // slot that is free below one that is taken, and is taken again; a full table that is flushed.
      if (Threshold > 1) begin
        cover (rsp_valid && rsp_full);
        cover (rsp_valid && rsp_confirmed);
        cover (rsp_valid && rsp_predicted && slot_predicted != '1);
        if (Debug != 0) cover (rsp_valid && rsp_entry_valid && rsp_entry_predicted);
        cover (valid_before_q == 3'b010 && valid == 3'b011);
        cover (stalled_q && rsp_valid);
      end else begin
        cover (rsp_valid && rsp_full && slot_predicted == '1);
        cover (valid_before_q == '1 && valid == '0);
      end
    end
  end

endmodule

`default_nettype wire
