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
  localparam int unsigned CountW = $clog2(Entries + 1),
  localparam int unsigned AddrW  = $clog2(Warps * Entries)
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
  // Lanes that wait at the barrier, by split number: rotating a split does not move them. The address of a read is registered: its word is
  // there in the next clock, for a visit or for the answer.
  logic [Lanes-1:0]       lanes_mem     [Warps*Entries];
  logic [AddrW-1:0]       lanes_addr_q;
  // Pointers are registers: they are reset.
  logic [Warps*IdW-1:0]    front_q;
  logic [Warps*IdW-1:0]    back_q;   // where the next split goes: front + count
  logic [Warps*CountW-1:0] count_q;

  // ---- The request being served: from the pins, or kept while UNBLOCK visits splits.
  logic               busy_q;
  logic [WarpW-1:0]   warp_q;
  logic [Lanes-1:0]   unblock_lanes_q;
  logic [Entries-1:0] todo_q;   // blocked slots whose visit has not ended
  logic [IdW-1:0]     visit_q;  // of these the one that is visited

  logic accept;
  assign req_ready_o = !busy_q && (!rsp_valid_o || rsp_ready_i);
  assign accept      = req_valid_i && req_ready_o;

  logic [WarpW-1:0]  warp;
  assign warp = Warps == 1 ? '0 : busy_q ? warp_q : req_warp_i;

  logic [IdW-1:0]         front, back;
  logic [CountW-1:0]      count;
  logic [Entries*IdW-1:0] ids;
  logic [Entries-1:0]     blocked, spilled, transient;
  assign front     = front_q[warp*IdW +: IdW];
  assign back      = back_q[warp*IdW +: IdW];
  assign count     = count_q[warp*CountW +: CountW];
  assign ids       = id_mem[warp];
  assign blocked   = blocked_mem[warp];
  assign spilled   = spilled_mem[warp];
  assign transient = transient_mem[warp];

  // ---- Sets of slots, a bit each: no search is behind another.
  function automatic logic [2*IdW-1:0] first_in(input logic [Entries*IdW-1:0] row, input logic [Entries-1:0] set);  // the lowest: {slot, number}
    logic [Entries-1:0]       there;
    logic [Entries*2*IdW-1:0] best;
    there = set;
    for (int unsigned s = 0; s < Entries; s++) best[s*2*IdW +: 2*IdW] = {IdW'(s), row[s*IdW +: IdW]};
    for (int unsigned d = 1; d < Entries; d = 2 * d)  // in pairs, then pairs of pairs
      for (int unsigned s = 0; s < Entries; s = s + 2 * d) begin
        if (!there[s]) best[s*2*IdW +: 2*IdW] = best[(s+d)*2*IdW +: 2*IdW];
        there[s] = there[s] || there[s+d];
      end
    first_in = best[2*IdW-1:0];
  endfunction
  function automatic logic [IdW-1:0] last_in(input logic [Entries*IdW-1:0] row, input logic [Entries-1:0] set);  // the highest: number
    logic [Entries-1:0]     there;
    logic [Entries*IdW-1:0] best;
    there = set;
    best  = row;
    for (int unsigned d = 1; d < Entries; d = 2 * d)
      for (int unsigned s = 0; s < Entries; s = s + 2 * d) begin
        if (there[s+d]) best[s*IdW +: IdW] = best[(s+d)*IdW +: IdW];
        there[s] = there[s] || there[s+d];
      end
    last_in = best[IdW-1:0];
  endfunction
  function automatic logic [Entries-1:0] slot_of(input logic [IdW-1:0] number);
    for (int unsigned s = 0; s < Entries; s++) slot_of[s] = number == IdW'(s);
  endfunction
  function automatic logic [Entries-1:0] below(input logic [IdW-1:0] number);
    for (int unsigned s = 0; s < Entries; s++) below[s] = IdW'(s) < number;
  endfunction
  function automatic logic [IdW-1:0] id_at(input logic [Entries*IdW-1:0] row, input logic [Entries-1:0] slot);
    id_at = '0;
    for (int unsigned s = 0; s < Entries; s++) if (slot[s]) id_at = id_at | row[s*IdW +: IdW];
  endfunction

  logic [Entries-1:0] at_front, behind_front, at_back;
  assign at_front     = slot_of(front);
  assign behind_front = {at_front[Entries-2:0], at_front[Entries-1]};
  assign at_back      = slot_of(back);

  // Slots in use, and of these the one that holds req_id_i. Those below the front are behind the others in the queue, if it has any there.
  logic [Entries-1:0] used, found, below_front, below_back;
  logic               around;
  assign below_front = below(front);
  assign below_back  = below(back);
  assign around      = count != '0 && back <= front;
  assign used        = around ? ~below_front | below_back : ~below_front & below_back;
  always_comb begin
    for (int unsigned s = 0; s < Entries; s++) found[s] = used[s] && (ids[s*IdW +: IdW] == req_id_i);
  end

  // VICTIM: the last split, from the back, that is neither spilled nor transient.
  logic [Entries-1:0] may_go, around_may_go;
  assign may_go        = used & ~(spilled | transient) & ~(req_keep_front_i ? at_front : '0);
  assign around_may_go = may_go & below_front;

  // UNBLOCK: one blocked slot a clock, the lowest first. The one that is next, and the number of its split, are found in the clock before.
  logic               start_unblock, released;
  logic [Entries-1:0] blocked_used, rest;
  logic [IdW-1:0]     visit_d, visit_id;
  assign blocked_used        = blocked & used;
  assign start_unblock       = accept && req_op_i == OpUnblock && blocked_used != '0;
  assign rest                = busy_q ? todo_q & ~slot_of(visit_q) : blocked_used;
  assign {visit_d, visit_id} = first_in(ids, rest);
  assign released            = (rsp_lanes_o & ~unblock_lanes_q) == '0;

  // ---- Next state of the row
  logic [IdW-1:0]     front_d, back_d, front_id, new_id;
  logic [CountW-1:0]  count_d;
  logic [Entries-1:0] new_slot;  // where PUSH and ROTATE write
  logic               new_blocked, new_spilled, new_transient;
  logic [Entries-1:0] blocked_d, spilled_d, transient_d;
  assign front_id = id_at(ids, at_front);
  always_comb begin
    front_d       = front;
    back_d        = back;
    count_d       = count;
    new_slot      = '0;
    new_id        = front_id;
    new_blocked   = (blocked & at_front) != '0;
    new_spilled   = (spilled & at_front) != '0;
    new_transient = (transient & at_front) != '0;
    blocked_d     = blocked;
    spilled_d     = spilled;
    transient_d   = transient;
    if (busy_q) begin
      if (released) blocked_d = blocked & ~slot_of(visit_q);
    end else begin
      unique case (req_op_i)
        OpReset: begin
          front_d = '0;
          back_d  = '0;
          count_d = '0;
        end
        OpPush: begin
          new_slot      = at_back;
          new_id        = req_id_i;
          new_blocked   = 1'b0;
          new_spilled   = req_spilled_i;
          new_transient = 1'b0;
          back_d        = back + 1'b1;
          count_d       = count + 1'b1;
        end
        OpPop: begin
          front_d = front + 1'b1;
          count_d = count - 1'b1;
        end
        OpRotate: begin
          new_slot = at_back;
          back_d   = back + 1'b1;
          front_d  = front + 1'b1;
        end
        OpBlock:    blocked_d   = blocked | at_front;
        OpSpilled:  spilled_d   = spilled | found;
        OpFilling:  transient_d = transient | found;
        OpResident: begin
          spilled_d   = spilled & ~found;
          transient_d = transient & ~found;
        end
        OpFilled:   spilled_d   = spilled & ~found;
        default: ;  // VICTIM, READ; UNBLOCK has not visited anything yet
      endcase
    end
  end

  // ---- Response: the slot shown is what it will be
  logic [IdW-1:0]     shown_id;
  logic [Entries-1:0] shown;
  logic               shown_new;
  always_comb begin
    shown = at_front;
    if (!busy_q && req_op_i == OpRead) shown = slot_of(front + req_position_i);
    if (!busy_q && (req_op_i == OpPop || req_op_i == OpRotate)) shown = behind_front;
    if (!busy_q && req_op_i == OpReset) shown = slot_of('0);
  end
  assign shown_new = (shown & new_slot) != '0;
  assign shown_id  = shown_new ? new_id : id_at(ids, shown);

  always_ff @(posedge clk_i) begin
    if (accept || busy_q) begin
      for (int unsigned s = 0; s < Entries; s++) if (new_slot[s]) id_mem[warp][s*IdW +: IdW] <= new_id;
      blocked_mem[warp]   <= (blocked_d & ~new_slot) | (new_blocked ? new_slot : '0);
      spilled_mem[warp]   <= (spilled_d & ~new_slot) | (new_spilled ? new_slot : '0);
      transient_mem[warp] <= (transient_d & ~new_slot) | (new_transient ? new_slot : '0);
      lanes_addr_q        <= AddrW'({warp, (busy_q || req_op_i == OpUnblock) && rest != '0 ? visit_id : shown_id});
      visit_q             <= visit_d;
      // The answer, as of this clock: while UNBLOCK has more to visit it is not valid.
      rsp_count_o        <= count_d;
      rsp_id_o           <= shown_id;
      rsp_blocked_o      <= shown_new ? new_blocked : (blocked_d & shown) != '0;
      rsp_spilled_o      <= shown_new ? new_spilled : (spilled_d & shown) != '0;
      rsp_transient_o    <= shown_new ? new_transient : (transient_d & shown) != '0;
      rsp_victim_valid_o <= !busy_q && req_op_i == OpVictim && may_go != '0;
      rsp_victim_o       <= around_may_go != '0 ? last_in(ids, around_may_go) : last_in(ids, may_go);
    end
    if (accept && req_op_i == OpBlock) lanes_mem[AddrW'({warp, front_id})] <= req_lanes_i;
    if (accept) begin
      warp_q          <= req_warp_i;
      unblock_lanes_q <= req_lanes_i;
    end
  end
  assign rsp_lanes_o = lanes_mem[lanes_addr_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      front_q     <= '0;
      back_q      <= '0;
      count_q     <= '0;
      busy_q      <= 1'b0;
      todo_q      <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      if (accept || busy_q) begin
        front_q[warp*IdW +: IdW]       <= front_d;
        back_q[warp*IdW +: IdW]        <= back_d;
        count_q[warp*CountW +: CountW] <= count_d;
        todo_q                         <= start_unblock || busy_q ? rest : '0;
      end
      busy_q <= start_unblock || (busy_q && rest != '0);
      if (busy_q ? rest == '0 : accept && !start_unblock) rsp_valid_o <= 1'b1;
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
  // The back follows front and count. While UNBLOCK is under way one slot is visited, and the address is that of its split's lanes.
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (back_q[formal_warp_i*IdW +: IdW] == IdW'(formal_front + formal_count_o));
    if (rst_ni && busy_q) begin
      assert (todo_q[visit_q]);
      assert (lanes_addr_q == AddrW'({warp_q, ids[visit_q*IdW +: IdW]}));
    end
  end
`endif

endmodule

`default_nettype wire
