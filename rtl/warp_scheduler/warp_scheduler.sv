// Warp scheduler: picks one of the warps that can issue, as LRR or as GTO ([ElTantawy18] §2.3.2). Twin of the
// policies LooseRoundRobin and GreedyThenOldest (models/core/schedule/lrr.cpp, gto.cpp). README.md beside this file:
// theory of operation, ports, clocks.
//
// One request at a time, answered one clock after it is accepted.

`default_nettype none

module warp_scheduler #(
  parameter int unsigned Warps  = 48,
  parameter int unsigned Gto    = 1,  // 0: loose round robin; 1: greedy, then oldest
  localparam int unsigned WarpW = (Warps > 1) ? $clog2(Warps) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Request
  input  logic             req_valid_i,
  output logic             req_ready_o,
  input  logic [2:0]       req_op_i,
  input  logic [WarpW-1:0] req_warp_i,        // ASSIGN, LEAVE
  input  logic [Warps-1:0] req_candidates_i,  // PICK, READ

  // Response
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output logic             rsp_found_o,       // PICK, READ: there is a candidate
  output logic [WarpW-1:0] rsp_warp_o,        // PICK, READ
  output logic             rsp_aged_o,        // READ: it was assigned and has not left
  output logic [WarpW-1:0] rsp_last_o,        // the warp that issued last, after the request
  output logic             rsp_greedy_o       // and whether it goes on if it can
`ifdef FORMAL
  ,
  output logic [Warps-1:0]       formal_there_o,  // warps with an age
  output logic [Warps*Warps-1:0] formal_older_o   // the age matrix
`endif
);

  typedef enum logic [2:0] {
    OpAssign  = 3'd0,
    OpLeave   = 3'd1,
    OpStalled = 3'd2,
    OpRotate  = 3'd3,
    OpPick    = 3'd4,
    OpRead    = 3'd5
  } op_e;

  logic accept;
  assign req_ready_o = !rsp_valid_o || rsp_ready_i;
  assign accept      = req_valid_i && req_ready_o;

  logic [WarpW-1:0] last_q;
  logic             greedy;

  // ---- Order: `first`, of the candidates without regard to greed (one-hot, or none)
  logic [Warps-1:0] first;
  logic             aged;

  if (Gto != 0) begin : gen_gto
    // Warps that have an age; ROTATE lets the oldest of them start again.
    logic [Warps-1:0] there_q, there_d;
    // Warps that ROTATE, or PICK and READ, look for the oldest in; warps in there that have no older one.
    logic [Warps-1:0] among, oldest;
    // The warp that becomes the youngest.
    logic [Warps-1:0] youngest;
    logic [Warps-1:0] req_warp_onehot;
    always_comb begin
      for (int unsigned w = 0; w < Warps; w++) req_warp_onehot[w] = req_warp_i == WarpW'(w);
    end

    assign among = (req_op_i == OpRotate) ? there_q : (there_q & req_candidates_i);

    always_comb begin
      there_d  = there_q;
      youngest = '0;
      unique case (req_op_i)
        OpAssign: begin
          there_d  = there_q | req_warp_onehot;
          youngest = req_warp_onehot;
        end
        OpLeave:  there_d  = there_q & ~req_warp_onehot;
        OpRotate: youngest = oldest;
        default: ;
      endcase
    end

    // Age matrix: row w has the warps that are older than w. Only what it says of warps that are there counts,
    // so that LEAVE need not touch it.
    for (genvar w = 0; w < Warps; w++) begin : gen_row
      logic [Warps-1:0] older_q;
      assign oldest[w] = among[w] && (among & older_q) == '0;
      always_ff @(posedge clk_i) begin
        if (accept) begin
          if (youngest[w]) older_q <= there_q & ~youngest;
          else older_q <= older_q & ~youngest;
        end
      end
    end

    logic greedy_q;
    assign aged  = among != '0;
    // Candidates of no known age: the lowest first.
    assign first = aged ? oldest : (req_candidates_i & (~req_candidates_i + 1'b1));

    logic greedy_d;
    always_comb begin
      greedy_d = greedy_q;
      unique case (req_op_i)
        OpAssign:  if (req_warp_i == last_q) greedy_d = 1'b0;
        OpStalled: greedy_d = 1'b0;
        OpRotate:  greedy_d = 1'b0;
        OpPick:    if (req_candidates_i != '0) greedy_d = 1'b1;
        default: ;
      endcase
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        there_q  <= '0;
        greedy_q <= 1'b0;
      end else if (accept) begin
        there_q  <= there_d;
        greedy_q <= greedy_d;
      end
    end
    assign greedy       = greedy_q;
    assign rsp_greedy_o = greedy_q;

`ifdef FORMAL
    assign formal_there_o = there_q;
    for (genvar w = 0; w < Warps; w++) begin : gen_formal
      assign formal_older_o[w*Warps +: Warps] = gen_row[w].older_q;
    end
`endif
  end else begin : gen_lrr
    // The first candidate behind the one that issued last, else the first of all.
    logic [Warps-1:0] behind;
    always_comb begin
      for (int unsigned w = 0; w < Warps; w++) behind[w] = req_candidates_i[w] && WarpW'(w) > last_q;
    end
    assign first        = (behind != '0) ? (behind & (~behind + 1'b1))
                                         : (req_candidates_i & (~req_candidates_i + 1'b1));
    assign aged         = 1'b0;
    assign greedy       = 1'b0;
    assign rsp_greedy_o = 1'b0;
    logic unused_warp;  // what came when does not matter
    assign unused_warp = ^{req_warp_i};
`ifdef FORMAL
    assign formal_there_o = '0;
    assign formal_older_o = '0;
`endif
  end

  logic             pick;
  logic [WarpW-1:0] picked;
  assign pick = req_op_i == OpPick;
  always_comb begin
    picked = '0;
    for (int unsigned w = 0; w < Warps; w++) if (first[w]) picked = picked | WarpW'(w);
    if (pick && greedy && req_candidates_i[last_q]) picked = last_q;
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      rsp_found_o <= (pick || req_op_i == OpRead) && req_candidates_i != '0;
      rsp_warp_o  <= picked;
      rsp_aged_o  <= req_op_i == OpRead && aged;
    end
  end
  assign rsp_last_o = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q      <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      if (accept && pick && req_candidates_i != '0) last_q <= picked;
      if (accept) rsp_valid_o <= 1'b1;
      else if (rsp_ready_i) rsp_valid_o <= 1'b0;
    end
  end

endmodule

`default_nettype wire
