// Properties of sib_table, checked with ABC (scripts/formal), beside a table with a place for every PC there is: it
// has no slots, so that no property can repeat the block's search and allocation.
//
// Nothing is assumed of the users: a look-up may be withdrawn before it is served. Proven, for all times:
//   served    of those that look up one is served, in the clock that asks, and nobody else; a requester that goes on asking waits for
//             less than a round
//   answer    it is there LatencyAnswer clocks behind the look-up that is served, and in no other; requester, predicted, confirmed and
//             full are what the reference says of that look-up
//   contents  a slot that is taken has the confidence and prediction of its PC, and so has what is read out; the count is theirs
//   once      no PC has two slots, and every PC of the reference has one
//   lowest    a new branch takes the lowest free slot, and no other moves
//   quiet     without look-up and flush nothing changes
// Three entries, so that not every slot number is one, of four PCs: the table is full with a branch left over. The
// thresholds are 1, at which a branch is predicted at once, and 3, of which confidence keeps no power of two; with 3 also without
// read-out. One requester, two, and three, which is no power of two.

`default_nettype none

module sib_table_formal (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [2:0] look_valid_i,
  input logic [5:0] look_pc_i,
  input logic [2:0] look_spinning_i,
  input logic       flush_i,
  input logic [1:0] debug_slot_i
);

  sib_table_properties #(.Threshold(3), .Requesters(3)) u_three (.*);
  sib_table_properties #(.Threshold(1), .Requesters(2)) u_one (
    .clk_i, .rst_ni, .look_valid_i(look_valid_i[1:0]), .look_pc_i(look_pc_i[3:0]), .look_spinning_i(look_spinning_i[1:0]),
    .flush_i, .debug_slot_i
  );
  sib_table_properties #(.Threshold(3), .Requesters(1), .Debug(0)) u_no_debug (
    .clk_i, .rst_ni, .look_valid_i(look_valid_i[0]), .look_pc_i(look_pc_i[1:0]), .look_spinning_i(look_spinning_i[0]),
    .flush_i, .debug_slot_i
  );

endmodule

module sib_table_properties #(
  parameter int unsigned Threshold   = 3,
  parameter int unsigned Requesters  = 2,
  parameter int unsigned Debug       = 1,
  localparam int unsigned Entries    = 3,
  localparam int unsigned PcW        = 2,
  localparam int unsigned Pcs        = 1 << PcW,
  localparam int unsigned ConfW      = (Threshold > 1) ? $clog2(Threshold) : 1,
  localparam int unsigned RequesterW = (Requesters > 1) ? $clog2(Requesters) : 1
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic [Requesters-1:0]     look_valid_i,
  input logic [Requesters*PcW-1:0] look_pc_i,
  input logic [Requesters-1:0]     look_spinning_i,
  input logic                      flush_i,
  input logic [1:0]                debug_slot_i
);

`include "sib_table_codes.svh"

  logic [Requesters-1:0] ready, behind;
  logic                  answer_valid, answer_predicted, answer_confirmed, answer_full;
  logic [RequesterW-1:0] answer_requester;
  logic [1:0]            debug_count;
  logic                  debug_valid, debug_predicted;
  logic [PcW-1:0]        debug_pc;
  logic [ConfW-1:0]      debug_confidence;

  logic [Entries-1:0]       valid, slot_predicted;
  logic [Entries*PcW-1:0]   pcs;
  logic [Entries*ConfW-1:0] confidences;

  sib_table #(.Entries(Entries), .Threshold(Threshold), .PcW(PcW), .Requesters(Requesters), .Debug(Debug)) u_sib_table (
    .clk_i, .rst_ni, .look_valid_i, .look_ready_o(ready), .look_pc_i, .look_spinning_i, .flush_i,
    .answer_valid_o(answer_valid), .answer_requester_o(answer_requester), .answer_predicted_o(answer_predicted),
    .answer_confirmed_o(answer_confirmed), .answer_full_o(answer_full), .debug_slot_i, .debug_count_o(debug_count),
    .debug_valid_o(debug_valid), .debug_pc_o(debug_pc), .debug_predicted_o(debug_predicted),
    .debug_confidence_o(debug_confidence), .formal_valid_o(valid), .formal_predicted_o(slot_predicted), .formal_pc_o(pcs),
    .formal_confidence_o(confidences), .formal_behind_o(behind)
  );

  // ---- The look-up that is served
  logic                  look, spinning;
  logic [PcW-1:0]        pc;
  logic [RequesterW-1:0] requester;
  always_comb begin
    look      = 1'b0;
    spinning  = 1'b0;
    pc        = '0;
    requester = '0;
    for (int unsigned r = 0; r < Requesters; r++) begin
      if (ready[r] && look_valid_i[r]) begin
        look      = 1'b1;
        spinning  = look_spinning_i[r];
        pc        = look_pc_i[r*PcW +: PcW];
        requester = RequesterW'(r);
      end
    end
  end

  // ---- Reference: by PC a count of executions while spinning, 0: it is not there. At Threshold it stays.
  logic [Pcs*2-1:0] times_q, times_d;
  logic [1:0]       times;  // of the PC that is looked up
  logic [2:0]       there_q;
  logic             no_room;
  assign times   = times_q[pc*2 +: 2];
  assign no_room = times == '0 && there_q == 3'(Entries);
  always_comb begin
    there_q = '0;
    for (int unsigned p = 0; p < Pcs; p++) there_q = there_q + 3'(times_q[p*2 +: 2] != '0);
  end
  always_comb begin
    times_d = times_q;
    if (look && times != 2'(Threshold)) begin
      if (spinning && !no_room) times_d[pc*2 +: 2] = times + 1'b1;
      if (!spinning && times != '0) times_d[pc*2 +: 2] = times - 1'b1;
    end
  end

  // ---- What the answer must be; a look-up that is answered with LatencyAnswer clocks: a register for each of them.
  logic                  exp_valid_q, exp_predicted_q, exp_confirmed_q, exp_full_q;
  logic [RequesterW-1:0] exp_requester_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      exp_valid_q <= 1'b0;
      times_q     <= '0;
    end else begin
      exp_valid_q     <= look;
      times_q         <= flush_i ? '0 : times_d;
      exp_requester_q <= requester;
      exp_predicted_q <= times == 2'(Threshold);
      exp_confirmed_q <= times != 2'(Threshold) && times_d[pc*2 +: 2] == 2'(Threshold);
      exp_full_q      <= spinning && no_room;
    end
  end

  // ---- A requester, any: how often in a row it asked and another one was served
  localparam int unsigned RoundW = $clog2(Requesters + 1);
  (* anyconst *) logic [RequesterW-1:0] patient;
  logic [RoundW-1:0]     passed_q;
  logic [Requesters-1:0] between;  // those whose turn comes before that of the patient one
  logic [RoundW-1:0]     turns;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !look_valid_i[patient] || ready[patient]) passed_q <= '0;
    else passed_q <= passed_q + 1'b1;
  end
  always_comb begin
    turns = '0;
    for (int unsigned r = 0; r < Requesters; r++) begin
      between[r] = behind[patient] ? behind[r] && RequesterW'(r) < patient : behind[r] || RequesterW'(r) < patient;
      turns = turns + RoundW'(between[r]);
    end
  end

  // ---- Before
  logic [Entries-1:0]       valid_before_q, predicted_before_q;
  logic [Entries*PcW-1:0]   pcs_before_q;
  logic [Entries*ConfW-1:0] confidences_before_q;
  logic [Requesters-1:0]    behind_before_q;
  logic                     acted_q;
  always_ff @(posedge clk_i) begin
    valid_before_q       <= rst_ni ? valid : '0;
    predicted_before_q   <= slot_predicted;
    pcs_before_q         <= pcs;
    confidences_before_q <= confidences;
    behind_before_q      <= rst_ni ? behind : '0;
    acted_q              <= rst_ni && (look_valid_i != '0 || flush_i);
  end

  logic past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // The block is reset in the first clock, and may be reset again.
  always_ff @(posedge clk_i) begin
    if (!past_q) assume (!rst_ni);
    assume (32'(debug_slot_i) < Entries && 32'(patient) < Requesters);
  end

  // ---- Properties
  logic [Pcs-1:0] has_slot;
  always_comb begin
    has_slot = '0;
    for (int unsigned e = 0; e < Entries; e++) if (valid[e]) has_slot[pcs[e*PcW +: PcW]] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && past_q) begin
      // served
      assert ((ready & ~look_valid_i) == '0 && (ready & (ready - 1'b1)) == '0);
      assert ((ready != '0) == (look_valid_i != '0));
      assert (32'(passed_q) + 32'(turns) < Requesters || passed_q == '0);
      assert (32'(passed_q) < Requesters);
      for (int unsigned r = 1; r < Requesters; r++) assert (!behind[r-1] || behind[r]);
      // answer
      assert (LatencyAnswer == 1'd1);
      assert (answer_valid == exp_valid_q);
      if (exp_valid_q) begin
        assert (answer_requester == exp_requester_q);
        assert (answer_predicted == exp_predicted_q);
        assert (answer_confirmed == exp_confirmed_q);
        assert (answer_full == exp_full_q);
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
      if (Debug != 0) begin
        assert (3'(debug_count) == there_q);
        assert (debug_valid == valid[debug_slot_i]);
        if (debug_valid) begin
          assert (debug_pc == pcs[debug_slot_i*PcW +: PcW]);
          assert (debug_predicted == (times_q[debug_pc*2 +: 2] == 2'(Threshold)));
          if (!debug_predicted) assert (debug_confidence == ConfW'(times_q[debug_pc*2 +: 2]));
        end
      end else begin
        assert ({debug_count, debug_valid, debug_pc, debug_predicted, debug_confidence} == '0);
      end
      // lowest
      for (int unsigned e = 0; e < Entries; e++) begin
        if (valid[e] && valid_before_q[e]) assert (pcs[e*PcW +: PcW] == pcs_before_q[e*PcW +: PcW]);
        if (valid[e] && !valid_before_q[e])
          for (int unsigned lower = 0; lower < e; lower++) assert (valid_before_q[lower]);
      end
      // quiet
      if (!acted_q) begin
        assert (valid == valid_before_q && behind == behind_before_q);
        for (int unsigned e = 0; e < Entries; e++)
          if (valid[e])
            assert (pcs[e*PcW +: PcW] == pcs_before_q[e*PcW +: PcW] && slot_predicted[e] == predicted_before_q[e] &&
                    confidences[e*ConfW +: ConfW] == confidences_before_q[e*ConfW +: ConfW]);
      end
      // All of this happens: no room for the fourth branch; one confirmed, and one predicted beside others that are not; a
      // slot that is free below one that is taken, and is taken again; a full table that is flushed; the last requester waits a round.
      if (Requesters > 1) cover (32'(passed_q) == Requesters - 1 && ready[patient]);
      if (Threshold > 1) begin
        cover (answer_valid && answer_full);
        cover (answer_valid && answer_confirmed);
        cover (answer_valid && answer_predicted && slot_predicted != '1);
        if (Debug != 0) cover (debug_valid && debug_predicted);
        cover (valid_before_q == 3'b010 && valid == 3'b011);
      end else begin
        cover (answer_valid && answer_full && slot_predicted == '1);
        cover (valid_before_q == '1 && valid == '0);
      end
    end
  end

endmodule

`default_nettype wire
