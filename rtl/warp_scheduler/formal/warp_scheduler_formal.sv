// What holds for warp_scheduler whatever happens on its pins, for both policies, with four warps and with three (no power
// of two), with and without the read-out of the state: the grant is there in the same clock, is a candidate, and is found if
// there is one; what is committed counts from the next clock on. LRR: a candidate is passed over for less than a round. GTO:
// greedy, else nobody came before; the age matrix is a total order. Without input nothing changes: the references below
// change with the pins only.

`default_nettype none

module warp_scheduler_check #(
  parameter int unsigned Warps  = 4,
  localparam int unsigned WarpW = $clog2(Warps)
) (
  input logic             clk_i,
  input logic [Warps-1:0] assign_i,
  input logic [Warps-1:0] leave_i,
  input logic             rotate_i,
  input logic             stalled_i,
  input logic [Warps-1:0] candidates_i,
  input logic             issued_valid_i,
  input logic [WarpW-1:0] issued_i
);
`include "warp_scheduler_codes.svh"

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic                   lrr_valid, lrr_greedy, gto_valid, gto_greedy;
  logic [WarpW-1:0]       lrr_grant, gto_grant;
  logic [Warps-1:0]       lrr_last, gto_last, behind, there;
  logic [Warps*Warps-1:0] lrr_older, older;
  warp_scheduler #(.Warps(Warps), .Gto(0)) u_lrr (
    .clk_i, .rst_ni(rst_n), .assign_i, .leave_i, .rotate_i, .stalled_i, .candidates_i, .grant_valid_o(lrr_valid),
    .grant_o(lrr_grant), .issued_valid_i, .issued_i, .debug_last_o(lrr_last), .debug_greedy_o(lrr_greedy),
    .debug_there_o(behind), .debug_older_o(lrr_older), .formal_state_o()
  );
  warp_scheduler #(.Warps(Warps), .Gto(1)) u_gto (
    .clk_i, .rst_ni(rst_n), .assign_i, .leave_i, .rotate_i, .stalled_i, .candidates_i, .grant_valid_o(gto_valid),
    .grant_o(gto_grant), .issued_valid_i, .issued_i, .debug_last_o(gto_last), .debug_greedy_o(gto_greedy),
    .debug_there_o(there), .debug_older_o(older), .formal_state_o()
  );

  // ---- The same without read-out
  for (genvar gto = 0; gto < 2; gto++) begin : gen_bare
    logic                   valid, greedy;
    logic [WarpW-1:0]       grant;
    logic [Warps-1:0]       last, bare_there;
    logic [Warps*Warps-1:0] bare_older;
    logic [Warps*(Warps+2):0] bare_state;
    warp_scheduler #(.Warps(Warps), .Gto(gto), .Debug(0)) u_bare (
      .clk_i, .rst_ni(rst_n), .assign_i, .leave_i, .rotate_i, .stalled_i, .candidates_i, .grant_valid_o(valid),
      .grant_o(grant), .issued_valid_i, .issued_i, .debug_last_o(last), .debug_greedy_o(greedy),
      .debug_there_o(bare_there), .debug_older_o(bare_older),
      .formal_state_o(bare_state)
    );
    always @(posedge clk_i) begin
      if (rst_n) begin
        assert (valid == gto_valid && (!valid || grant == ((gto != 0) ? gto_grant : lrr_grant)));
        assert ({last, greedy, bare_there, bare_older} == '0);
        // State that counts is the same: the matrix between warps that are there, and all that is not the matrix.
        assert (bare_state[Warps*Warps +: 2*Warps + 1] == ((gto != 0) ? {gto_last, gto_greedy, there}
                                                                      : {lrr_last, lrr_greedy, behind}));
        for (int unsigned a = 0; a < Warps; a++)
          for (int unsigned b = 0; b < Warps; b++)
            if (gto == 0 || (there[a] && there[b]))
              assert (bare_state[a*Warps + b] == ((gto != 0) ? older[a*Warps + b] : lrr_older[a*Warps + b]));
      end
    end
  end

  // ---- The user's contract
  always @(posedge clk_i) begin
    assume (32'(issued_i) < Warps);
    assume (rst_n || {assign_i, leave_i, rotate_i, stalled_i, issued_valid_i} == '0);
  end

  // ---- References: what has issued last, whether it has a claim, who is there
  logic [WarpW-1:0] last_q;
  logic             greedy_q;
  logic [Warps-1:0] there_q;
  logic [WarpW-1:0] last_d;
  assign last_d = issued_valid_i ? issued_i : last_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      last_q   <= '0;
      greedy_q <= 1'b0;
      there_q  <= '0;
    end else begin
      last_q <= last_d;
      if (rotate_i || assign_i[last_d]) greedy_q <= 1'b0;
      else if (issued_valid_i) greedy_q <= 1'b1;
      else if (stalled_i) greedy_q <= 1'b0;
      for (int unsigned w = 0; w < Warps; w++) begin
        if (assign_i[w]) there_q[w] <= 1'b1;
        else if (leave_i[w]) there_q[w] <= 1'b0;
      end
    end
  end

  // ---- GTO: two warps, any, and which of them came last, or was made the youngest
  (* anyconst *) logic [WarpW-1:0] first, second;
  logic             in_order_q;  // first came first
  logic [Warps-1:0] oldest;
  always_comb begin
    for (int unsigned w = 0; w < Warps; w++) oldest[w] = there[w] && (there & older[w*Warps +: Warps]) == '0;
  end
  always @(posedge clk_i) begin
    assume (first != second && 32'(first) < Warps && 32'(second) < Warps);
  end
  always_ff @(posedge clk_i) begin
    if (assign_i[first] && assign_i[second]) in_order_q <= first < second;
    else if (assign_i[first]) in_order_q <= 1'b0;
    else if (assign_i[second]) in_order_q <= 1'b1;
    else if (rotate_i && oldest[first]) in_order_q <= 1'b0;
    else if (rotate_i && oldest[second]) in_order_q <= 1'b1;
  end

  // ---- LRR: how often in a row a warp was a candidate and another was granted and issued
  localparam int unsigned RoundW = $clog2(Warps + 1);
  (* anyconst *) logic [WarpW-1:0] patient;
  logic [RoundW-1:0] passed_q;
  always @(posedge clk_i) assume (32'(patient) < Warps);
  always_ff @(posedge clk_i) begin
    if (!rst_n || (issued_valid_i && (!lrr_valid || issued_i != lrr_grant))) passed_q <= '0;
    else if (issued_valid_i) passed_q <= (!candidates_i[patient] || lrr_grant == patient) ? '0 : passed_q + 1'b1;
  end
  // Warps between the last issue and the patient one, in cyclic order: so many may still issue before it.
  logic [WarpW:0] ahead;
  assign ahead = (patient > last_q) ? ({1'b0, patient} - {1'b0, last_q})
                                    : ({1'b0, patient} + (WarpW + 1)'(Warps) - {1'b0, last_q});

  logic goes_on;
  assign goes_on = greedy_q && !stalled_i && candidates_i[last_q];

  always @(posedge clk_i) begin
    if (rst_n) begin
      // Latency: the grant in the clock that asks, what changes in the next one.
      assert (LatencyGrant == 1'd0 && LatencyState == 1'd1);
      assert (gto_valid == (candidates_i != '0) && lrr_valid == gto_valid);
      assert (32'(last_q) < Warps && gto_greedy == greedy_q && there == there_q);
      for (int unsigned w = 0; w < Warps; w++) begin
        assert (lrr_last[w] == (last_q == WarpW'(w)) && gto_last[w] == lrr_last[w]);
        assert (behind[w] == (WarpW'(w) > last_q));
      end
      assert ({lrr_greedy, lrr_older} == '0);

      // Total order: of two warps that are there one is older, older is transitive; it is the order of arrival.
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
      assert (32'(passed_q) + 32'(ahead) <= Warps);

      if (candidates_i != '0) begin
        assert (32'(gto_grant) < Warps && 32'(lrr_grant) < Warps);
        assert (candidates_i[gto_grant] && candidates_i[lrr_grant]);
        for (int unsigned w = 0; w < Warps; w++) begin
          // LRR: no candidate between the one that issued last and the grant.
          if (candidates_i[w] && lrr_grant > last_q) assert (!(WarpW'(w) > last_q && WarpW'(w) < lrr_grant));
          if (candidates_i[w] && lrr_grant <= last_q) assert (!(WarpW'(w) > last_q) && WarpW'(w) >= lrr_grant);
          // GTO, of no known age: no lower one.
          if (candidates_i[w] && !goes_on && (candidates_i & there_q) == '0) assert (WarpW'(w) >= gto_grant);
        end
        // GTO: greedy, or nobody older, and an age comes before none.
        if (goes_on) assert (gto_grant == last_q);
        else if ((candidates_i & there_q) != '0) assert (there_q[gto_grant]);
        if (!goes_on && there_q[first] && there_q[second] && candidates_i[first] && candidates_i[second])
          assert (gto_grant != (in_order_q ? second : first));
      end
    end
  end

  // ---- All of this happens: a warp in every slot; a slot that is assigned again, and while its warp leaves; two warps
  // that come together; a greedy grant past an older warp, and one that stalls in time; ages that rotate; LRR that passes a
  // warp over for as long as it may.
  logic again_q, rotated_q, reused_q;
  always_ff @(posedge clk_i) begin
    again_q   <= rst_n && (assign_i & there) != '0;
    reused_q  <= rst_n && (assign_i & leave_i & there) != '0;
    rotated_q <= rst_n && rotate_i && there_q[first] && there_q[second] && oldest[first];
  end
  always @(posedge clk_i) begin
    if (rst_n) begin
      cover (&there);
      cover (again_q);
      cover (reused_q);
      cover (assign_i[first] && assign_i[second]);
      cover (goes_on && there_q[first] && there_q[second] && candidates_i[first] && candidates_i[second] &&
             gto_grant == (in_order_q ? second : first));
      cover (greedy_q && stalled_i && candidates_i[last_q] && gto_grant != last_q);
      cover (rotated_q && !in_order_q);
      cover (passed_q == RoundW'(Warps - 1));
    end
  end

endmodule

module warp_scheduler_formal (
  input logic       clk_i,
  input logic [3:0] assign_i,
  input logic [3:0] leave_i,
  input logic       rotate_i,
  input logic       stalled_i,
  input logic [3:0] candidates_i,
  input logic       issued_valid_i,
  input logic [1:0] issued_i
);
  warp_scheduler_check #(.Warps(4)) u_four (.*);
  warp_scheduler_check #(.Warps(3)) u_three (
    .clk_i, .assign_i(assign_i[2:0]), .leave_i(leave_i[2:0]), .rotate_i, .stalled_i, .candidates_i(candidates_i[2:0]),
    .issued_valid_i(issued_valid_i && issued_i != 2'd3), .issued_i(issued_i == 2'd3 ? 2'd0 : issued_i)
  );
endmodule

`default_nettype wire
