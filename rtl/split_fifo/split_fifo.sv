// AWARE's queue of splits: per warp a circular FIFO of {blocked, split number}; the front one runs
// ([AWARE] §5.2; with spilled entries [AWARE] §5.5.2). Twin of models/simt/split_fifo.h, whose operations
// these are. README.md beside this file: theory of operation, ports, clocks.
//
// One request at a time. All operations are answered one clock after they are accepted, except UNBLOCK, which
// visits one blocked split of the warp per clock.

`default_nettype none

module split_fifo #(
  parameter int unsigned Warps   = 48,
  parameter int unsigned Entries = 32,  // splits of a warp: a power of two
  parameter int unsigned Lanes   = 32,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int unsigned CountW = $clog2(Entries + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Request
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [3:0]        req_op_i,
  input  logic [WarpW-1:0]  req_warp_i,
  input  logic [IdW-1:0]    req_id_i,          // PUSH, SPILLED, FILLING, RESIDENT, FILLED
  input  logic              req_spilled_i,     // PUSH
  input  logic              req_keep_front_i,  // VICTIM
  input  logic [Lanes-1:0]  req_lanes_i,       // BLOCK, UNBLOCK
  input  logic [IdW-1:0]    req_position_i,    // READ

  // Response: the entry at the front (READ: at the position), and how many splits are in the queue
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [CountW-1:0] rsp_count_o,
  output logic [IdW-1:0]    rsp_id_o,
  output logic              rsp_blocked_o,
  output logic              rsp_spilled_o,
  output logic              rsp_transient_o,
  output logic [Lanes-1:0]  rsp_lanes_o,        // of a blocked split
  output logic              rsp_victim_valid_o, // VICTIM
  output logic [IdW-1:0]    rsp_victim_o
`ifdef FORMAL
  // One warp's queue, by position from the front, for the properties of formal/.
  ,
  input  logic [WarpW-1:0]         formal_warp_i,
  output logic [CountW-1:0]        formal_count_o,
  output logic [Entries*IdW-1:0]   formal_ids_o,
  output logic [Entries-1:0]       formal_blocked_o,
  output logic [Entries-1:0]       formal_spilled_o,
  output logic [Entries-1:0]       formal_transient_o,
  output logic [Entries*Lanes-1:0] formal_lanes_o,
  output logic                     formal_wraps_o,         // the front is not in the first slot
  output logic                     formal_busy_o,          // UNBLOCK, ...
  output logic [WarpW-1:0]         formal_busy_warp_o,     // ... of this warp
  output logic [Entries-1:0]       formal_todo_o,          // ... has not visited these yet,
  output logic [Lanes-1:0]         formal_unblock_lanes_o  // ... with these lanes
`endif
);

  if (Entries < 2 || (Entries & (Entries - 1)) != 0) begin : gen_illegal
    $error("split_fifo: Entries must be a power of two");
  end

  typedef enum logic [3:0] {
    OpReset    = 4'd0,
    OpPush     = 4'd1,
    OpPop      = 4'd2,
    OpRotate   = 4'd3,
    OpBlock    = 4'd4,
    OpUnblock  = 4'd5,
    OpSpilled  = 4'd6,
    OpFilling  = 4'd7,
    OpResident = 4'd8,
    OpVictim   = 4'd9,
    OpRead     = 4'd10,
    OpFilled   = 4'd11
  } op_e;

  // ---- Context memories. A warp's queue is one row: the flags can be searched at once.
  logic [Entries*IdW-1:0] id_mem        [Warps];
  logic [Entries-1:0]     blocked_mem   [Warps];
  logic [Entries-1:0]     spilled_mem   [Warps];
  logic [Entries-1:0]     transient_mem [Warps];
  // Lanes that wait at the barrier, by split number: rotating a split does not move them.
  logic [Lanes-1:0]       lanes_mem     [Warps*Entries];
  // Pointers are registers: they are reset.
  logic [Warps*IdW-1:0]    front_q;
  logic [Warps*CountW-1:0] count_q;

  // ---- The request being served: from the pins, or kept while UNBLOCK visits splits.
  logic               busy_q;
  logic [WarpW-1:0]   warp_q;
  logic [Lanes-1:0]   unblock_lanes_q;
  logic [Entries-1:0] todo_q;  // blocked slots not visited yet

  logic accept;
  assign req_ready_o = !busy_q && (!rsp_valid_o || rsp_ready_i);
  assign accept      = req_valid_i && req_ready_o;

  logic [WarpW-1:0]  warp;
  assign warp = busy_q ? warp_q : req_warp_i;

  logic [IdW-1:0]         front;
  logic [CountW-1:0]      count;
  logic [Entries*IdW-1:0] ids;
  logic [Entries-1:0]     blocked, spilled, transient;
  assign front     = front_q[warp*IdW +: IdW];
  assign count     = count_q[warp*CountW +: CountW];
  assign ids       = id_mem[warp];
  assign blocked   = blocked_mem[warp];
  assign spilled   = spilled_mem[warp];
  assign transient = transient_mem[warp];

  // Slot of the back: where the next split goes.
  logic [IdW-1:0] back;
  assign back = front + IdW'(count);

  // Slots in use, and of these the one that holds req_id_i, one-hot.
  logic [Entries-1:0] used, found;
  always_comb begin
    for (int unsigned s = 0; s < Entries; s++) begin
      used[s]  = CountW'(IdW'(IdW'(s) - front)) < count;
      found[s] = used[s] && (ids[s*IdW +: IdW] == req_id_i);
    end
  end

  // VICTIM: the last split, from the back, that is neither spilled nor transient.
  logic [Entries-1:0] kept;
  assign kept = spilled | transient;
  logic           victim_valid;
  logic [IdW-1:0] victim;
  always_comb begin
    victim_valid = 1'b0;
    victim       = '0;
    for (int unsigned p = 0; p < Entries; p++) begin
      if (CountW'(p) < count && !(p == 0 && req_keep_front_i) && !kept[IdW'(front + IdW'(p))]) begin
        victim_valid = 1'b1;
        victim       = ids[IdW'(front + IdW'(p))*IdW +: IdW];
      end
    end
  end

  // UNBLOCK: one blocked slot a clock, the lowest first.
  logic [IdW-1:0]     visit;
  logic [Entries-1:0] visit_onehot, todo_d;
  logic [Lanes-1:0]   visit_lanes;
  assign visit_onehot = todo_q & (~todo_q + 1'b1);
  assign todo_d       = todo_q & ~visit_onehot;
  always_comb begin
    visit = '0;
    for (int unsigned s = 0; s < Entries; s++) if (visit_onehot[s]) visit = IdW'(s);
  end
  assign visit_lanes = lanes_mem[{warp, ids[visit*IdW +: IdW]}];

  // ---- Next state of the row
  logic [IdW-1:0]         front_d;
  logic [CountW-1:0]      count_d;
  logic [Entries*IdW-1:0] ids_d;
  logic [Entries-1:0]     blocked_d, spilled_d, transient_d;
  always_comb begin
    front_d     = front;
    count_d     = count;
    ids_d       = ids;
    blocked_d   = blocked;
    spilled_d   = spilled;
    transient_d = transient;
    if (busy_q) begin
      if ((visit_lanes & ~unblock_lanes_q) == '0) blocked_d[visit] = 1'b0;
    end else begin
      unique case (req_op_i)
        OpReset: begin
          front_d = '0;
          count_d = '0;
        end
        OpPush: begin
          ids_d[back*IdW +: IdW] = req_id_i;
          blocked_d[back]        = 1'b0;
          spilled_d[back]        = req_spilled_i;
          transient_d[back]      = 1'b0;
          count_d                = count + 1'b1;
        end
        OpPop: begin
          front_d = front + 1'b1;
          count_d = count - 1'b1;
        end
        OpRotate: begin
          ids_d[back*IdW +: IdW] = ids[front*IdW +: IdW];
          blocked_d[back]        = blocked[front];
          spilled_d[back]        = spilled[front];
          transient_d[back]      = transient[front];
          front_d                = front + 1'b1;
        end
        OpBlock:    blocked_d[front] = 1'b1;
        OpSpilled:  spilled_d = spilled | found;
        OpFilling:  transient_d = transient | found;
        OpResident: begin
          spilled_d   = spilled & ~found;
          transient_d = transient & ~found;
        end
        OpFilled:   spilled_d = spilled & ~found;
        default: ;  // VICTIM, READ; UNBLOCK has not visited anything yet
      endcase
    end
  end

  logic           start_unblock, done;
  logic [Entries-1:0] blocked_used;
  assign blocked_used  = blocked & used;
  assign start_unblock = accept && req_op_i == OpUnblock && blocked_used != '0;
  assign done          = busy_q ? (todo_d == '0) : (accept && !start_unblock);

  // ---- Response
  logic [IdW-1:0] shown_slot, shown_id;
  assign shown_slot = (!busy_q && req_op_i == OpRead) ? front + req_position_i : front_d;
  assign shown_id   = ids_d[shown_slot*IdW +: IdW];

  logic write_lanes;
  assign write_lanes = accept && req_op_i == OpBlock;

  always_ff @(posedge clk_i) begin
    if (accept || busy_q) begin
      id_mem[warp]        <= ids_d;
      blocked_mem[warp]   <= blocked_d;
      spilled_mem[warp]   <= spilled_d;
      transient_mem[warp] <= transient_d;
    end
    if (write_lanes) lanes_mem[{warp, ids[front*IdW +: IdW]}] <= req_lanes_i;
    if (done) begin
      rsp_count_o        <= count_d;
      rsp_id_o           <= shown_id;
      rsp_blocked_o      <= blocked_d[shown_slot];
      rsp_spilled_o      <= spilled_d[shown_slot];
      rsp_transient_o    <= transient_d[shown_slot];
      rsp_lanes_o        <= write_lanes ? req_lanes_i : lanes_mem[{warp, shown_id}];
      rsp_victim_valid_o <= victim_valid && req_op_i == OpVictim;
      rsp_victim_o       <= victim;
    end
    if (accept) begin
      warp_q          <= req_warp_i;
      unblock_lanes_q <= req_lanes_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      front_q     <= '0;
      count_q     <= '0;
      busy_q      <= 1'b0;
      todo_q      <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      if (accept || busy_q) begin
        front_q[warp*IdW +: IdW]       <= front_d;
        count_q[warp*CountW +: CountW] <= count_d;
      end
      if (start_unblock) begin
        busy_q <= 1'b1;
        todo_q <= blocked_used;
      end else if (busy_q) begin
        busy_q <= todo_d != '0;
        todo_q <= todo_d;
      end
      if (done) rsp_valid_o <= 1'b1;
      else if (rsp_ready_i) rsp_valid_o <= 1'b0;
    end
  end

`ifdef FORMAL
  logic [IdW-1:0] formal_front, formal_slot, formal_id;
  assign formal_front           = front_q[formal_warp_i*IdW +: IdW];
  assign formal_count_o         = count_q[formal_warp_i*CountW +: CountW];
  assign formal_wraps_o         = formal_front != '0;
  assign formal_busy_o          = busy_q;
  assign formal_busy_warp_o     = warp_q;
  assign formal_unblock_lanes_o = unblock_lanes_q;
  always_comb begin
    formal_slot = '0;
    formal_id   = '0;
    for (int unsigned p = 0; p < Entries; p++) begin
      formal_slot = formal_front + IdW'(p);
      formal_id   = id_mem[formal_warp_i][formal_slot*IdW +: IdW];
      formal_ids_o[p*IdW +: IdW]       = formal_id;
      formal_blocked_o[p]              = blocked_mem[formal_warp_i][formal_slot];
      formal_spilled_o[p]              = spilled_mem[formal_warp_i][formal_slot];
      formal_transient_o[p]            = transient_mem[formal_warp_i][formal_slot];
      formal_todo_o[p]                 = todo_q[formal_slot];
      formal_lanes_o[p*Lanes +: Lanes] = lanes_mem[{formal_warp_i, formal_id}];
    end
  end
`endif

endmodule

`default_nettype wire
