// SIB prediction table of DDOS: backward branches that spinning warps took, and whether they are spin-inducing
// ([DDOS/BOWS] §6.3.1). Twin of models/spin/sib_table.h, whose operations these are. README.md beside this
// file: theory of operation, ports, clocks.
//
// One request at a time, answered one clock after it is accepted.

`default_nettype none

module sib_table #(
  parameter int unsigned Entries   = 16,
  parameter int unsigned Threshold = 4,  // executions while spinning, before a branch is predicted
  parameter int unsigned PcW       = 32,
  parameter int unsigned Debug     = 1,  // 0: READ and the number of entries are no hardware
  localparam int unsigned SlotW    = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int unsigned CountW   = $clog2(Entries + 1),
  // The threshold itself is not kept: an entry that has come to it is predicted.
  localparam int unsigned ConfW    = (Threshold > 1) ? $clog2(Threshold) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Request
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [1:0]        req_op_i,
  input  logic [PcW-1:0]    req_pc_i,        // LOOK_UP
  input  logic              req_spinning_i,  // LOOK_UP: what the warp's history says
  input  logic [SlotW-1:0]  req_slot_i,      // READ

  // Response
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic              rsp_predicted_o, // LOOK_UP: spin-inducing, known before this request
  output logic              rsp_confirmed_o, // LOOK_UP: known from this request on
  output logic              rsp_full_o,      // LOOK_UP: had no room for it
  output logic [CountW-1:0] rsp_count_o,     // entries, after the request
  output logic              rsp_entry_valid_o, // READ: the slot is taken, by
  output logic [PcW-1:0]    rsp_entry_pc_o,
  output logic              rsp_entry_predicted_o,
  output logic [ConfW-1:0]  rsp_entry_confidence_o // of a branch that is not predicted
`ifdef FORMAL
  ,
  output logic [Entries-1:0]       formal_valid_o,
  output logic [Entries-1:0]       formal_predicted_o,
  output logic [Entries*PcW-1:0]   formal_pc_o,
  output logic [Entries*ConfW-1:0] formal_confidence_o
`endif
);

  if (Entries < 1 || Threshold < 1 || PcW < 1) begin : gen_illegal
    $error("sib_table: Entries, Threshold and PcW must be at least 1");
  end

  typedef enum logic [1:0] {
    OpLookUp = 2'd0,
    OpFlush  = 2'd1,
    OpRead   = 2'd2
  } op_e;

  // ---- The table. Registers, as all of it is searched at once; only what says that an entry is there is reset.
  logic [Entries-1:0]       valid_q, predicted_q;
  logic [Entries*PcW-1:0]   pc_q;
  logic [Entries*ConfW-1:0] confidence_q;

  logic accept, look_up;
  assign req_ready_o = !rsp_valid_o || rsp_ready_i;
  assign accept      = req_valid_i && req_ready_o;
  assign look_up     = req_op_i == OpLookUp;

  // ---- Search: at most one entry has the PC.
  logic [Entries-1:0] match;
  logic [ConfW-1:0]   confidence;  // of that entry, else 0
  always_comb begin
    confidence = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      match[e]   = valid_q[e] && pc_q[e*PcW +: PcW] == req_pc_i;
      confidence = confidence | (confidence_q[e*ConfW +: ConfW] & {ConfW{match[e]}});
    end
  end

  // ---- What becomes of it. A predicted branch stays as it is; while the warp spins confidence rises, else it falls,
  // and an entry whose confidence has fallen to 0 is free.
  logic               there, predicted, learns, full, enters, confirmed, forgets;
  logic [Entries-1:0] free_slot, written;
  logic [ConfW-1:0]   confidence_d;
  assign there        = match != '0;
  assign predicted    = look_up && (match & predicted_q) != '0;
  assign learns       = look_up && !predicted && req_spinning_i;
  assign full         = learns && !there && valid_q == '1;
  assign enters       = learns && !there && valid_q != '1;
  assign confirmed    = learns && !full && 32'(confidence) == Threshold - 1;
  assign forgets      = look_up && !predicted && !req_spinning_i && there;
  assign confidence_d = learns ? confidence + 1'b1 : confidence - 1'b1;
  assign free_slot    = ~valid_q & (valid_q + 1'b1);  // the lowest
  assign written      = match | (enters ? free_slot : '0);

  logic [Entries-1:0] valid_d;
  always_comb begin
    valid_d = valid_q;
    if (enters) valid_d = valid_q | free_slot;
    if (forgets && confidence == ConfW'(1)) valid_d = valid_q & ~match;
    if (req_op_i == OpFlush) valid_d = '0;
  end

  logic [CountW-1:0] count;
  always_comb begin
    count = '0;
    for (int unsigned e = 0; e < Entries; e++) count = count + CountW'(valid_d[e]);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Entries; e++) begin
      if (accept && (learns || forgets) && written[e]) begin
        pc_q[e*PcW +: PcW]           <= req_pc_i;
        confidence_q[e*ConfW +: ConfW] <= confidence_d;
        predicted_q[e]               <= confirmed;
      end
    end
    if (accept) begin
      rsp_predicted_o        <= predicted;
      rsp_confirmed_o        <= confirmed;
      rsp_full_o             <= full;
    end
  end

  // ---- Read-out: what only traces and statistics want
  if (Debug != 0) begin : gen_debug
    always_ff @(posedge clk_i) begin
      if (accept) begin
        rsp_count_o            <= count;
        rsp_entry_valid_o      <= valid_q[req_slot_i] && req_op_i == OpRead;
        rsp_entry_pc_o         <= pc_q[req_slot_i*PcW +: PcW];
        rsp_entry_predicted_o  <= predicted_q[req_slot_i];
        rsp_entry_confidence_o <= confidence_q[req_slot_i*ConfW +: ConfW];
      end
    end
  end else begin : gen_no_debug
    assign {rsp_count_o, rsp_entry_valid_o, rsp_entry_pc_o, rsp_entry_predicted_o, rsp_entry_confidence_o} = '0;
    logic unused_debug;
    assign unused_debug = ^{count, req_slot_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      if (accept) begin
        valid_q     <= valid_d;
        rsp_valid_o <= 1'b1;
      end else if (rsp_ready_i) begin
        rsp_valid_o <= 1'b0;
      end
    end
  end

`ifdef FORMAL
  assign formal_valid_o      = valid_q;
  assign formal_predicted_o  = predicted_q;
  assign formal_pc_o         = pc_q;
  assign formal_confidence_o = confidence_q;
`endif

endmodule

`default_nettype wire
