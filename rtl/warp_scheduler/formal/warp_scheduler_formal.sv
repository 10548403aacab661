// What holds for warp_scheduler whatever is asked of it, for both policies: no request is lost and answers
// stay until they are taken; the pick is a candidate, and is found if there is one. LRR: a candidate is
// passed over for less than a round. GTO: greedy, else nobody came before; the age matrix is a total order.

`default_nettype none

module warp_scheduler_formal #(
  parameter int unsigned Warps  = 4,
  localparam int unsigned WarpW = $clog2(Warps)
) (
  input logic             clk_i,
  input logic             req_valid_i,
  input logic [2:0]       req_op_i,
  input logic [WarpW-1:0] req_warp_i,
  input logic [Warps-1:0] req_candidates_i,
  input logic             rsp_ready_i
);
`include "warp_scheduler_codes.svh"

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic             lrr_ready, lrr_valid, lrr_found, lrr_aged, lrr_greedy;
  logic [WarpW-1:0] lrr_warp, lrr_last;
  warp_scheduler #(.Warps(Warps), .Gto(0)) u_lrr (
    .clk_i, .rst_ni(rst_n), .req_valid_i, .req_ready_o(lrr_ready), .req_op_i, .req_warp_i, .req_candidates_i,
    .rsp_valid_o(lrr_valid), .rsp_ready_i, .rsp_found_o(lrr_found), .rsp_warp_o(lrr_warp),
    .rsp_aged_o(lrr_aged), .rsp_last_o(lrr_last), .rsp_greedy_o(lrr_greedy), .formal_there_o(),
    .formal_older_o()
  );
  logic [Warps-1:0]       there;
  logic [Warps*Warps-1:0] older;
  logic             gto_ready, gto_valid, gto_found, gto_aged, gto_greedy;
  logic [WarpW-1:0] gto_warp, gto_last;
  warp_scheduler #(.Warps(Warps), .Gto(1)) u_gto (
    .clk_i, .rst_ni(rst_n), .req_valid_i, .req_ready_o(gto_ready), .req_op_i, .req_warp_i, .req_candidates_i,
    .rsp_valid_o(gto_valid), .rsp_ready_i, .rsp_found_o(gto_found), .rsp_warp_o(gto_warp),
    .rsp_aged_o(gto_aged), .rsp_last_o(gto_last), .rsp_greedy_o(gto_greedy), .formal_there_o(there),
    .formal_older_o(older)
  );

  logic accept;
  assign accept = req_valid_i && gto_ready;

  // ---- The user's contract
  always @(posedge clk_i) begin
    assume (req_op_i <= OpRead);
    assume (32'(req_warp_i) < Warps);
    assume (rst_n || !req_valid_i);
  end

  // ---- What was asked last, and what the state was then
  logic             asked = 1'b0;    // a request was accepted in the clock before
  logic             waiting = 1'b0;  // an answer was not taken in the clock before
  logic [2:0]       op_q;
  logic [WarpW-1:0] warp_q, gto_last_q, lrr_last_q, held_warp_q;
  logic [Warps-1:0] candidates_q;
  logic             greedy_q, held_found_q;
  always_ff @(posedge clk_i) begin
    asked        <= accept;
    waiting      <= gto_valid && !rsp_ready_i;
    held_found_q <= gto_found;
    held_warp_q  <= gto_warp;
    if (accept) begin
      op_q         <= req_op_i;
      warp_q       <= req_warp_i;
      candidates_q <= req_candidates_i;
      gto_last_q   <= gto_last;
      lrr_last_q   <= lrr_last;
      greedy_q     <= gto_greedy;
    end
  end

  // ---- GTO: two warps, any, and which of them came last, or was made the youngest
  (* anyconst *) logic [WarpW-1:0] first, second;
  logic             in_order_q, in_order_before_q, both_before_q;  // in_order_q: first came first
  logic [Warps-1:0] oldest;
  always_comb begin
    for (int unsigned w = 0; w < Warps; w++) oldest[w] = there[w] && (there & older[w*Warps +: Warps]) == '0;
  end
  always @(posedge clk_i) begin
    assume (first != second && 32'(first) < Warps && 32'(second) < Warps);
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      both_before_q     <= there[first] && there[second];
      in_order_before_q <= in_order_q;
      if (req_op_i == OpAssign && req_warp_i == first) in_order_q <= 1'b0;
      if (req_op_i == OpAssign && req_warp_i == second) in_order_q <= 1'b1;
      if (req_op_i == OpRotate && oldest[first]) in_order_q <= 1'b0;
      if (req_op_i == OpRotate && oldest[second]) in_order_q <= 1'b1;
    end
  end

  // Warps that are there.
  logic [Warps-1:0] there_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) there_q <= '0;
    else if (accept && req_op_i == OpAssign) there_q[req_warp_i] <= 1'b1;
    else if (accept && req_op_i == OpLeave) there_q[req_warp_i] <= 1'b0;
  end

  // ---- LRR: how often in a row a warp was a candidate and another was picked
  localparam int unsigned RoundW = $clog2(Warps + 1);
  (* anyconst *) logic [WarpW-1:0] patient;
  logic [RoundW-1:0] passed_q, passed_d;
  always @(posedge clk_i) assume (32'(patient) < Warps);
  always_comb begin
    passed_d = passed_q;
    if (asked && op_q == OpPick)
      passed_d = (!candidates_q[patient] || lrr_warp == patient) ? '0 : passed_q + 1'b1;
  end
  always_ff @(posedge clk_i) passed_q <= rst_n ? passed_d : '0;
  // Warps between the last issue and the patient one, in cyclic order: so many may still issue before it.
  logic [WarpW:0] ahead;
  assign ahead = (patient > lrr_last) ? ({1'b0, patient} - {1'b0, lrr_last})
                                      : ({1'b0, patient} + (WarpW + 1)'(Warps) - {1'b0, lrr_last});

  logic picks;
  assign picks = op_q == OpPick || op_q == OpRead;

  always @(posedge clk_i) begin
    if (rst_n) begin
      // Frame: accepted means answered in the next clock; an answer stays as it is until it is taken.
      assert (lrr_ready == gto_ready && lrr_valid == gto_valid);
      assert (gto_ready == (!gto_valid || rsp_ready_i));
      assert (gto_valid == (asked || waiting));
      if (waiting) assert (gto_found == held_found_q && gto_warp == held_warp_q);
      assert (32'(lrr_last) < Warps && 32'(gto_last) < Warps);

      // Total order: of two warps that are there one is older, older is transitive; it is the order of arrival.
      assert (there == there_q);
      for (int unsigned a = 0; a < Warps; a++) begin
        for (int unsigned b = 0; b < Warps; b++) begin
          if (there[a] && there[b]) begin
            if (a == b) assert (!older[a*Warps + b]);
            else assert (older[a*Warps + b] != older[b*Warps + a]);
            for (int unsigned c = 0; c < Warps; c++)
              if (there[c] && older[a*Warps + b] && older[b*Warps + c]) assert (older[a*Warps + c]);
          end
          if (first == WarpW'(a) && second == WarpW'(b) && there[a] && there[b])
            assert (older[b*Warps + a] == in_order_q);
        end
      end

      // LRR: a warp that is a candidate all the time issues at the latest in the Warps-th pick.
      assert (32'(passed_d) + 32'(ahead) <= Warps);
    end
    if (rst_n && asked && picks) begin
      assert (gto_found == (candidates_q != '0) && lrr_found == gto_found);
      if (candidates_q != '0) begin
        assert (candidates_q[gto_warp]);
        assert (candidates_q[lrr_warp]);
        if (op_q == OpPick) assert (gto_last == gto_warp && gto_greedy && lrr_last == lrr_warp);
        // LRR: no candidate between the one that issued last and the pick.
        for (int unsigned w = 0; w < Warps; w++) begin
          if (candidates_q[w] && lrr_warp > lrr_last_q)
            assert (!(WarpW'(w) > lrr_last_q && WarpW'(w) < lrr_warp));
          if (candidates_q[w] && lrr_warp <= lrr_last_q)
            assert (!(WarpW'(w) > lrr_last_q) && WarpW'(w) >= lrr_warp);
        end
        // GTO: greedy, or nobody older.
        if (op_q == OpPick && greedy_q && candidates_q[gto_last_q])
          assert (gto_warp == gto_last_q);
        else if (both_before_q && candidates_q[first] && candidates_q[second])
          assert (gto_warp != (in_order_before_q ? second : first));
      end
    end
    // Greed ends with a new warp in the slot, a stall or a rotation, and with nothing else.
    if (rst_n && asked && op_q != OpPick)
      assert (gto_greedy == (greedy_q && op_q != OpStalled && op_q != OpRotate &&
                             !(op_q == OpAssign && warp_q == gto_last_q)));
    if (rst_n && asked && (op_q != OpPick || candidates_q == '0))
      assert (gto_last == gto_last_q && lrr_last == lrr_last_q);
  end

  // ---- All of this happens: a warp in every slot; a slot that is assigned again; a greedy pick past an older warp,
  // and one that greed does not make; ages that rotate; LRR that passes a warp over for as long as it may.
  logic again_q;
  always_ff @(posedge clk_i) if (accept) again_q <= req_op_i == OpAssign && there[req_warp_i];
  always @(posedge clk_i) begin
    if (rst_n) begin
      cover (&there);
      cover (asked && again_q);
      cover (asked && op_q == OpPick && greedy_q && both_before_q && candidates_q[first] && candidates_q[second] &&
             gto_warp == (in_order_before_q ? second : first));
      cover (asked && op_q == OpPick && !greedy_q && both_before_q && candidates_q[first] && candidates_q[second]);
      cover (asked && op_q == OpRotate && both_before_q && in_order_before_q != in_order_q);
      cover (asked && op_q == OpPick && passed_d == RoundW'(Warps - 1));
      cover (waiting);
    end
  end

endmodule

`default_nettype wire
