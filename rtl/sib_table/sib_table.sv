// SIB prediction table of DDOS: backward branches that spinning warps took, and whether they are spin-inducing
// ([DDOS/BOWS] §6.3.1), with the arbiter in front of its one port. Twin of models/spin/sib_unit.h, which has the same pins. README.md
// beside this file: theory of operation, contract, ports.
//
// Of the schedulers that look a branch up one is served in a clock, in turn; the answer is there in the clock behind.

`default_nettype none

module sib_table #(
  parameter int unsigned Entries    = 16,
  parameter int unsigned Threshold  = 4,   // executions while spinning, before a branch is predicted
  parameter int unsigned PcW        = 32,
  parameter int unsigned Requesters = 2,   // schedulers of the core
  parameter int unsigned Debug      = 1,   // 0: the ports debug_* are 0 and cost nothing
  localparam int unsigned RequesterW = (Requesters > 1) ? $clog2(Requesters) : 1,
  localparam int unsigned SlotW      = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int unsigned CountW     = $clog2(Entries + 1),
  // The threshold itself is not kept: an entry that has come to it is predicted.
  localparam int unsigned ConfW      = (Threshold > 1) ? $clog2(Threshold) : 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // Look-ups: a backward branch is taken. A requester holds its own until it is ready.
  input  logic [Requesters-1:0]     look_valid_i,
  output logic [Requesters-1:0]     look_ready_o,     // that is served: at most one
  input  logic [Requesters*PcW-1:0] look_pc_i,
  input  logic [Requesters-1:0]     look_spinning_i,  // what the warp's history says
  input  logic                      flush_i,          // a kernel begins: all entries are free from the next clock on

  // The answer, which is not held
  output logic                      answer_valid_o,
  output logic [RequesterW-1:0]     answer_requester_o,
  output logic                      answer_predicted_o, // spin-inducing, known before this look-up
  output logic                      answer_confirmed_o, // known from this look-up on
  output logic                      answer_full_o,      // there was no room for it

  // Read-out: what only traces and comparisons want
  input  logic [SlotW-1:0]          debug_slot_i,
  output logic [CountW-1:0]         debug_count_o,      // entries that are taken
  output logic                      debug_valid_o,      // the entry is taken, by
  output logic [PcW-1:0]            debug_pc_o,
  output logic                      debug_predicted_o,
  output logic [ConfW-1:0]          debug_confidence_o  // of a branch that is not predicted
`ifdef FORMAL
  ,
  output logic [Entries-1:0]        formal_valid_o,
  output logic [Entries-1:0]        formal_predicted_o,
  output logic [Entries*PcW-1:0]    formal_pc_o,
  output logic [Entries*ConfW-1:0]  formal_confidence_o,
  output logic [Requesters-1:0]     formal_behind_o
`endif
);

  if (Entries < 1 || Threshold < 1 || PcW < 1 || Requesters < 1 || Debug > 1) begin : gen_illegal
    $error("sib_table: Entries, Threshold, PcW and Requesters must be at least 1, Debug 0 or 1");
  end

  // Clocks from the look-up that is served to its answer, and to the first look-up that sees what it has written.
  typedef enum logic [0:0] {
    LatencyAnswer = 1'd1
  } latency_e;

  // The lowest of a set: all bits at once, none behind another.
  function automatic logic [Requesters-1:0] lowest(input logic [Requesters-1:0] set);
    for (int unsigned r = 0; r < Requesters; r++) lowest[r] = set[r] && (set & ~({Requesters{1'b1}} << r)) == '0;
  endfunction

  // ---- Arbiter: the first behind the requester that was served last
  logic [Requesters-1:0] behind_q, first_behind, first, grant;
  assign first_behind = lowest(look_valid_i & behind_q);
  assign first        = lowest(look_valid_i);
  assign grant        = (look_valid_i & behind_q) != '0 ? first_behind : first;
  assign look_ready_o = grant;

  logic                  look, spinning;
  logic [PcW-1:0]        pc;
  logic [RequesterW-1:0] requester;
  always_comb begin
    pc        = '0;
    requester = '0;
    for (int unsigned r = 0; r < Requesters; r++) begin
      pc        = pc | (look_pc_i[r*PcW +: PcW] & {PcW{grant[r]}});
      requester = requester | (RequesterW'(r) & {RequesterW{grant[r]}});
    end
  end
  assign look     = look_valid_i != '0;
  assign spinning = (look_spinning_i & grant) != '0;

  // ---- The table. Registers, as all of it is searched at once; only what says that an entry is there is reset.
  logic [Entries-1:0]       valid_q, predicted_q;
  logic [Entries*PcW-1:0]   pc_q;
  logic [Entries*ConfW-1:0] confidence_q;

  // ---- Search: at most one entry has the PC. Each finds by itself what becomes of it, so that no entry's confidence waits for another's.
  logic [Entries-1:0] match, one_short, last;  // of its confidence: one more is the threshold; one less is none
  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) begin
      match[e]     = valid_q[e] && pc_q[e*PcW +: PcW] == pc;
      one_short[e] = 32'(confidence_q[e*ConfW +: ConfW]) == Threshold - 1;
      last[e]      = confidence_q[e*ConfW +: ConfW] == ConfW'(1);
    end
  end

  // ---- What becomes of it. A predicted branch stays as it is; while the warp spins confidence rises, else it falls,
  // and an entry whose confidence has fallen to 0 is free.
  logic               there, predicted, learns, full, enters, confirmed;
  logic [Entries-1:0] free_slot, forgets;
  assign there     = match != '0;
  assign predicted = (match & predicted_q) != '0;
  assign learns    = look && !predicted && spinning;
  assign full      = learns && !there && valid_q == '1;
  assign enters    = learns && !there && valid_q != '1;
  assign confirmed = learns && !full && (there ? (match & one_short) != '0 : Threshold == 1);
  assign forgets   = {Entries{look && !spinning}} & match & ~predicted_q & last;
  assign free_slot = ~valid_q & (valid_q + 1'b1);  // the lowest

  logic [Entries-1:0] valid_d;
  always_comb begin
    valid_d = valid_q & ~forgets;
    if (enters) valid_d = valid_q | free_slot;
    if (flush_i) valid_d = '0;
  end

  logic answer_valid_q;
  always_ff @(posedge clk_i) begin
    // The free slot is written in any case: what is not valid counts for nothing, and the PC need not wait for its comparison.
    for (int unsigned e = 0; e < Entries; e++) begin
      if (look && free_slot[e]) begin
        pc_q[e*PcW +: PcW]             <= pc;
        confidence_q[e*ConfW +: ConfW] <= ConfW'(1);
        predicted_q[e]                 <= Threshold == 1;
      end else if (look && match[e] && !predicted_q[e]) begin
        confidence_q[e*ConfW +: ConfW] <= confidence_q[e*ConfW +: ConfW] + (spinning ? ConfW'(1) : {ConfW{1'b1}});
        predicted_q[e]                 <= spinning && one_short[e];
      end
    end
    if (look) begin
      answer_requester_o <= requester;
      answer_predicted_o <= predicted;
      answer_confirmed_o <= confirmed;
      answer_full_o      <= full;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q        <= '0;
      behind_q       <= '0;
      answer_valid_q <= 1'b0;
    end else begin
      valid_q        <= valid_d;
      if (look) behind_q <= ~(grant | (grant - 1'b1));
      answer_valid_q <= look;
    end
  end
  assign answer_valid_o = answer_valid_q;

  // ---- Read-out
  if (Debug != 0) begin : gen_debug
    always_comb begin
      debug_count_o = '0;
      for (int unsigned e = 0; e < Entries; e++) debug_count_o = debug_count_o + CountW'(valid_q[e]);
    end
    assign debug_valid_o      = valid_q[debug_slot_i];
    assign debug_pc_o         = pc_q[debug_slot_i*PcW +: PcW];
    assign debug_predicted_o  = predicted_q[debug_slot_i];
    assign debug_confidence_o = confidence_q[debug_slot_i*ConfW +: ConfW];
  end else begin : gen_no_debug
    assign {debug_count_o, debug_valid_o, debug_pc_o, debug_predicted_o, debug_confidence_o} = '0;
    logic unused_debug;
    assign unused_debug = ^debug_slot_i;
  end

`ifdef FORMAL
  assign formal_valid_o      = valid_q;
  assign formal_predicted_o  = predicted_q;
  assign formal_pc_o         = pc_q;
  assign formal_confidence_o = confidence_q;
  assign formal_behind_o     = behind_q;
`endif

endmodule

`default_nettype wire
