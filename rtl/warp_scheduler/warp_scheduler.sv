// Warp scheduler: grants one of the warps that can issue, as LRR or as GTO ([ElTantawy18] §2.3.2). Twin of PickModel
// (models/core/schedule/pick_model.h). README.md beside this file: theory of operation, ports, clocks.
//
// Second edition of the timing contract: the grant is combinational, and what has issued is committed by pins of its
// own at the clock edge. No port is ever refused.

`default_nettype none

module warp_scheduler #(
  parameter int unsigned Warps  = 24,
  parameter int unsigned Gto    = 1,  // 0: loose round robin; 1: greedy, then oldest
  parameter int unsigned Debug  = 1,  // 0: the read-out of the state is no hardware
  localparam int unsigned WarpW = (Warps > 1) ? $clog2(Warps) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Warps that have come, that are gone: any number in a clock
  input  logic [Warps-1:0] assign_i,
  input  logic [Warps-1:0] leave_i,
  input  logic             rotate_i,      // GTO: the oldest becomes the youngest

  // Grant, in the same clock
  input  logic             stalled_i,     // what issued last has no claim to go on
  input  logic [Warps-1:0] candidates_i,  // warps that can issue
  output logic             grant_valid_o,
  output logic [WarpW-1:0] grant_o,

  // Commit
  input  logic             issued_valid_i,
  input  logic [WarpW-1:0] issued_i,

  // State, for traces and comparison; 0 without Debug
  output logic [Warps-1:0]       debug_last_o,   // one-hot: what issued last
  output logic                   debug_greedy_o,
  output logic [Warps-1:0]       debug_there_o,  // GTO: warps with an age; LRR: warps behind the last one
  output logic [Warps*Warps-1:0] debug_older_o   // the age matrix
`ifdef FORMAL
  ,
  output logic [Warps*(Warps+2):0] formal_state_o  // the same, whatever Debug
`endif
);

  // Clocks from the pins that ask to those that answer, and to the first grant that sees what has changed.
  typedef enum logic [0:0] {
    LatencyGrant = 1'd0,
    LatencyState = 1'd1
  } latency_e;

  if (Warps < 1 || Gto > 1) begin : gen_illegal
    $error("warp_scheduler: Warps must be at least 1, Gto 0 or 1");
  end

  // ---- The lowest of a set, by prefix: as deep as the logarithm of its size.
  function automatic logic [Warps-1:0] lowest(input logic [Warps-1:0] set);
    logic [Warps-1:0] upto;
    upto = set;
    for (int unsigned s = 1; s < Warps; s = s * 2) upto = upto | (upto << s);
    lowest = set & ~(upto << 1);
  endfunction

  logic [Warps-1:0] issued;  // one-hot, or none
  always_comb begin
    for (int unsigned w = 0; w < Warps; w++) issued[w] = issued_valid_i && issued_i == WarpW'(w);
  end

  logic [Warps-1:0] grant;  // one-hot, or none
  assign grant_valid_o = candidates_i != '0;
  always_comb begin
    grant_o = '0;
    for (int unsigned w = 0; w < Warps; w++) if (grant[w]) grant_o = grant_o | WarpW'(w);
  end

  logic [Warps-1:0]       last, there;
  logic                   greedy;
  logic [Warps*Warps-1:0] older;

  if (Gto != 0) begin : gen_gto
    // Warps that have an age; of those ROTATE, or the grant, looks for the ones that have no older one.
    logic [Warps-1:0] there_q, there_d, oldest_there, oldest_ready;
    // Who becomes the youngest: first the one that rotates, then those that are assigned, by number.
    logic [Warps-1:0] rotated;
    logic [Warps-1:0] last_q, last_d;  // one-hot
    logic             greedy_q, greedy_d;

    assign rotated = rotate_i ? oldest_there : '0;
    assign there_d = (there_q & ~leave_i) | assign_i;

    // Age matrix: row w has the warps that are older than w. Only what it says of warps that are there counts, so
    // that a warp that leaves need not touch it.
    for (genvar w = 0; w < Warps; w++) begin : gen_row
      localparam logic [Warps-1:0] Below = ~({Warps{1'b1}} << w);
      logic [Warps-1:0] older_q;
      assign oldest_there[w] = there_q[w] && (there_q & older_q) == '0;
      assign oldest_ready[w] = there_q[w] && candidates_i[w] && (there_q & candidates_i & older_q) == '0;
      always_ff @(posedge clk_i) begin
        if (assign_i[w]) older_q <= (there_q & ~assign_i) | (assign_i & Below);
        else if (rotated[w]) older_q <= there_q & ~rotated & ~assign_i;
        else older_q <= older_q & ~rotated & ~assign_i;
      end
      assign older[w*Warps +: Warps] = older_q;
    end

    logic goes_on;  // the last one does
    assign goes_on = greedy_q && !stalled_i && (candidates_i & last_q) != '0;
    // Candidates of no known age: the lowest first.
    assign grant   = goes_on ? last_q : (candidates_i & there_q) != '0 ? oldest_ready : lowest(candidates_i);

    assign last_d = issued_valid_i ? issued : last_q;
    always_comb begin
      greedy_d = greedy_q && !stalled_i;
      if (issued_valid_i) greedy_d = 1'b1;
      if (rotate_i || (assign_i & last_d) != '0) greedy_d = 1'b0;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        there_q  <= '0;
        greedy_q <= 1'b0;
        last_q   <= Warps'(1);
      end else begin
        there_q  <= there_d;
        greedy_q <= greedy_d;
        last_q   <= last_d;
      end
    end

    assign last   = last_q;
    assign there  = there_q;
    assign greedy = greedy_q;
  end else begin : gen_lrr
    // A thermometer instead of a number: the warps behind the one that issued last. Behind the highest there are none.
    logic [Warps-1:0] behind_q, behind_d;
    always_comb begin
      behind_d = behind_q;
      if (issued_valid_i)
        for (int unsigned w = 0; w < Warps; w++) behind_d[w] = WarpW'(w) > issued_i;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) behind_q <= {Warps{1'b1}} << 1;  // as if warp 0 had issued
      else behind_q <= behind_d;
    end
    logic [Warps-1:0] first_behind;
    assign first_behind = lowest(candidates_i & behind_q);
    assign grant        = (candidates_i & behind_q) != '0 ? first_behind : lowest(candidates_i);

    assign there  = behind_q;
    assign last   = ~behind_q & ~((~behind_q) >> 1);  // the highest that is not behind
    assign greedy = 1'b0;
    assign older  = '0;
    logic unused;  // what came when does not matter, nor what stalls
    assign unused = ^{assign_i, leave_i, rotate_i, stalled_i, issued};
  end

  if (Debug != 0) begin : gen_debug
    assign debug_last_o   = last;
    assign debug_greedy_o = greedy;
    assign debug_there_o  = there;
    assign debug_older_o  = older;
  end else begin : gen_no_debug
    assign debug_last_o   = '0;
    assign debug_greedy_o = 1'b0;
    assign debug_there_o  = '0;
    assign debug_older_o  = '0;
    logic unused_state;
    assign unused_state = ^{last, greedy, there, older};
  end
`ifdef FORMAL
  assign formal_state_o = {last, greedy, there, older};
`endif

endmodule

`default_nettype wire
