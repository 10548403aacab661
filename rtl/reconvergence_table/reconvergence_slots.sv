// Physical entries of a virtualised reconvergence table: which number each of a warp's slots holds, and the
// order in which they were last written ([AWARE] §5.5.2). Part of reconvergence_table.
//
// The order is a list of slots, least recently written first: a written slot moves to its end.

`default_nettype none

module reconvergence_slots #(
  parameter int unsigned Warps   = 48,
  parameter int unsigned Entries = 32,
  parameter int unsigned Slots   = 4,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = $clog2(Entries),
  localparam int unsigned SlotW  = (Slots > 1) ? $clog2(Slots) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [WarpW-1:0] warp_i,
  input  logic [IdW-1:0]   id_i,
  // One of these at a time
  input  logic             clear_i,        // all slots become free
  input  logic             take_i,         // a free slot is given to id_i; only with room_o
  input  logic             touch_i,        // the slot that holds id_i is written
  input  logic             drop_i,         // that slot becomes free
  input  logic             evict_i,        // the victim's slot becomes free; only with any_o

  input  logic             most_recent_i,  // victim: the most recently written, not the least recently
                                           // written
  output logic             hit_o,          // a slot holds id_i
  output logic             room_o,         // a slot is free
  output logic             any_o,          // a slot is in use
  output logic [IdW-1:0]   victim_o,       // number in the victim's slot
  output logic [SlotW-1:0] slot_o          // the slot of the operation: taken, evicted, or that of id_i
`ifdef FORMAL
  , input  logic [WarpW-1:0] formal_warp_i
  , input  logic [IdW-1:0]   formal_id_i
  , input  logic             formal_written_i  // the entry of id_i is, as the user sees it
  , output logic             formal_hit_o  // a slot holds it
  , output logic [SlotW-1:0] formal_slot_o
`endif
);

  localparam int unsigned CountW = $clog2(Slots + 1);

  logic [Slots*IdW-1:0]    id_mem    [Warps];  // by slot
  logic [Slots*SlotW-1:0]  order_mem [Warps];  // by age
  logic [Warps*Slots-1:0]  used_q;
  logic [Warps*CountW-1:0] count_q;

  logic [Slots*IdW-1:0]   ids, ids_d;
  logic [Slots*SlotW-1:0] order, order_d;
  logic [Slots-1:0]       used, used_d;
  logic [CountW-1:0]      count, count_d;
  assign ids   = id_mem[warp_i];
  assign order = order_mem[warp_i];
  assign used  = used_q[warp_i*Slots +: Slots];
  assign count = count_q[warp_i*CountW +: CountW];

  assign room_o = count != CountW'(Slots);
  assign any_o  = count != '0;

  // The slot of id_i, a free one, the victim's
  logic [SlotW-1:0] found, unused, victim;
  logic             unused_found;
  always_comb begin
    hit_o        = 1'b0;
    found        = '0;
    unused_found = 1'b0;
    unused       = '0;
    victim       = order[0 +: SlotW];
    for (int unsigned s = 0; s < Slots; s++) begin
      if (used[s] && ids[s*IdW +: IdW] == id_i) begin
        hit_o = 1'b1;
        found = SlotW'(s);
      end
      if (!used[s] && !unused_found) begin
        unused_found = 1'b1;
        unused       = SlotW'(s);
      end
      if (most_recent_i && count == CountW'(s + 1)) victim = order[s*SlotW +: SlotW];
    end
  end
  assign victim_o = ids[victim*IdW +: IdW];
  assign slot_o   = take_i ? unused : evict_i ? victim : found;

  // Order: a slot that is written or freed leaves its position, and those after it move up. One that is
  // written or taken goes to the end.
  logic              remove, append;
  logic              behind;
  logic [CountW-1:0] rest;
  assign remove  = (hit_o && (touch_i || drop_i)) || evict_i;
  assign append  = take_i || (hit_o && touch_i);
  assign rest    = count - CountW'(remove);
  assign count_d = clear_i ? '0 : rest + CountW'(append);
  always_comb begin
    behind  = 1'b0;
    order_d = order;
    for (int unsigned p = 0; p < Slots; p++) begin
      if (order[p*SlotW +: SlotW] == slot_o) behind = 1'b1;
      if (remove && behind && p + 1 < Slots) order_d[p*SlotW +: SlotW] = order[((p + 1) % Slots)*SlotW +: SlotW];
      if (append && CountW'(p) == rest) order_d[p*SlotW +: SlotW] = slot_o;
    end
  end
  always_comb begin
    used_d = used;
    ids_d  = ids;
    if (clear_i) begin
      used_d = '0;
    end else if (take_i) begin
      used_d[unused]            = 1'b1;
      ids_d[unused*IdW +: IdW] = id_i;
    end else if (remove && !append) begin
      used_d[slot_o] = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) id_mem[warp_i] <= ids_d;
    if (remove || append) order_mem[warp_i] <= order_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q  <= '0;
      count_q <= '0;
    end else begin
      used_q[warp_i*Slots +: Slots]    <= used_d;
      count_q[warp_i*CountW +: CountW] <= count_d;
    end
  end

`ifdef FORMAL
  // The first `count` positions of a warp's order are the slots in use, each once; no number has two slots.
  logic [CountW-1:0]      watched_count;
  logic [Slots*IdW-1:0]   watched_ids;
  logic [Slots*SlotW-1:0] watched_order;
  logic [Slots-1:0]       watched_used, listed;
  assign watched_count = count_q[formal_warp_i*CountW +: CountW];
  assign watched_used  = used_q[formal_warp_i*Slots +: Slots];
  assign watched_ids   = id_mem[formal_warp_i];
  assign watched_order = order_mem[formal_warp_i];
  // Any other number of the warp: which of the two was written last decides which of them may be the victim.
  (* anyconst *) logic [IdW-1:0] other;
  logic              first_q;  // the other one was written later
  logic              other_hit, first;
  logic [CountW-1:0] rank, other_rank;
  always_ff @(posedge clk_i) begin
    if (warp_i == formal_warp_i && (take_i || (hit_o && formal_written_i))) begin
      if (id_i == formal_id_i) first_q <= 1'b0;
      if (id_i == other) first_q <= 1'b1;
    end
  end
  always_comb begin
    assume (other != formal_id_i);
    other_hit  = 1'b0;
    rank       = '0;
    other_rank = '0;
    for (int p = 0; p < Slots; p++) begin
      if (CountW'(p) < watched_count && watched_ids[watched_order[p*SlotW +: SlotW]*IdW +: IdW] == formal_id_i)
        rank = CountW'(p);
      if (CountW'(p) < watched_count && watched_ids[watched_order[p*SlotW +: SlotW]*IdW +: IdW] == other) begin
        other_hit  = 1'b1;
        other_rank = CountW'(p);
      end
    end
    first = rank < other_rank;
    if (rst_ni && formal_hit_o && other_hit) begin
      assert (first == first_q);
      if (evict_i && warp_i == formal_warp_i)
        assert (victim_o != ((most_recent_i == first_q) ? formal_id_i : other));
    end
  end
  always_comb begin
    if (rst_ni) assert (watched_count <= CountW'(Slots));
    listed        = '0;
    formal_hit_o  = 1'b0;
    formal_slot_o = '0;
    for (int p = 0; p < Slots; p++) begin
      if (CountW'(p) < watched_count) begin
        if (rst_ni) assert (watched_order[p*SlotW +: SlotW] < Slots && !listed[watched_order[p*SlotW +: SlotW]]);
        listed[watched_order[p*SlotW +: SlotW]] = 1'b1;
      end
      if (watched_used[p] && watched_ids[p*IdW +: IdW] == formal_id_i) begin
        if (rst_ni) assert (!formal_hit_o);
        formal_hit_o  = 1'b1;
        formal_slot_o = SlotW'(p);
      end
    end
    if (rst_ni) assert (listed == watched_used);
  end
`endif

endmodule

`default_nettype wire
