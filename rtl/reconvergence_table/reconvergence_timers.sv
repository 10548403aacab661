// Timers of a reconvergence table ([AWARE] §5.4.3): the deadline of each number of a warp, after
// which its lanes have waited too long. Part of reconvergence_table.
//
// A search visits the running timers one per clock, from the lowest warp and number on, and ends at the first
// that has expired. Times are compared modulo 2^TimeW, so any two must be less than 2^(TimeW-1) apart.

`default_nettype none

module reconvergence_timers #(
  parameter int unsigned Warps   = 48,
  parameter int unsigned Entries = 32,
  parameter int unsigned TimeW   = 32,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = $clog2(Entries)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Not during a search
  input  logic [WarpW-1:0] warp_i,
  input  logic [IdW-1:0]   id_i,
  input  logic             clear_i,     // all timers of the warp stop
  input  logic             restart_i,   // the timer of id_i is restarted, or stopped
  input  logic             run_i,
  input  logic [TimeW-1:0] deadline_i,  // when it expires; in the clock behind
  output logic             fired_o,     // the timer of id_i has been found since it started

  // Search
  input  logic             search_i,    // starts
  input  logic [TimeW-1:0] until_i,     // timers that have expired by then
  output logic             busy_o,      // started in an earlier clock
  output logic             done_o,      // the search ends; if no timer runs, in the clock in which it starts
  output logic             found_o,
  output logic [WarpW-1:0] found_warp_o,
  output logic [IdW-1:0]   found_id_o   // that timer has stopped
`ifdef FORMAL
  , input  logic [WarpW-1:0] formal_warp_i
  , input  logic [IdW-1:0]   formal_id_i
  , output logic             formal_running_o
  , output logic             formal_fired_o
  , output logic [TimeW-1:0] formal_deadline_o
  , output logic [$clog2(Warps*Entries+1)-1:0] formal_visits_o  // by the search so far
`endif
);

  localparam int unsigned AddrW = $clog2(Warps * Entries);

  logic [TimeW-1:0]         deadline_mem [Warps*Entries];
  logic [Entries-1:0]       fired_mem    [Warps];
  logic [Warps*Entries-1:0] running_q;

  logic               busy_q;
  logic [WarpW-1:0]   warp_q;
  logic [Entries-1:0] todo_q;  // running timers of that warp whose visit has not ended
  logic [IdW-1:0]     visit_q; // of these the one that is visited
  logic [TimeW-1:0]   until_q;
  // A deadline is written in the clock behind its timer's start, before a search can read it.
  logic               late_q;
  logic [AddrW-1:0]   late_addr_q;

  // The next warp with running timers, after the one being visited
  logic             next_valid;
  logic [WarpW-1:0] next_warp;
  always_comb begin
    next_valid = 1'b0;
    next_warp  = '0;
    for (int unsigned w = 0; w < Warps; w++) begin
      if (!next_valid && running_q[w*Entries +: Entries] != '0 && (!busy_q || WarpW'(w) > warp_q)) begin
        next_valid = 1'b1;
        next_warp  = WarpW'(w);
      end
    end
  end

  // The timer that is visited: found in the clock before, so that its deadline is read and compared in this one.
  function automatic logic [IdW-1:0] lowest(input logic [Entries-1:0] set);
    logic [Entries-1:0]     there;
    logic [Entries*IdW-1:0] best;
    there = set;
    for (int unsigned i = 0; i < Entries; i++) best[i*IdW +: IdW] = IdW'(i);
    for (int unsigned d = 1; d < Entries; d = 2 * d)  // of pairs, then of pairs of pairs
      for (int unsigned i = 0; i < Entries; i = i + 2 * d) begin
        if (!there[i]) best[i*IdW +: IdW] = best[(i+d)*IdW +: IdW];
        there[i] = there[i] || there[i+d];
      end
    lowest = best[IdW-1:0];
  endfunction
  logic [Entries-1:0] visited, rest, todo_d;
  logic               expired;
  always_comb begin
    for (int unsigned i = 0; i < Entries; i++) visited[i] = visit_q == IdW'(i);
  end
  assign rest    = todo_q & ~visited;
  assign todo_d  = busy_q && rest != '0 ? rest : running_q[next_warp*Entries +: Entries];
  // It has if until_q - deadline is not negative: signs, and in parts whether what is below the sign is less.
  localparam int unsigned PartW = (TimeW < 16) ? 1 : 8;
  localparam int unsigned LowW  = (TimeW + PartW - 2) / PartW * PartW;
  function automatic logic reached(input logic [TimeW-1:0] now, input logic [TimeW-1:0] limit);
    logic [LowW-1:0] left, right;
    logic            less;
    left  = LowW'(now[TimeW-2:0]);
    right = LowW'(limit[TimeW-2:0]);
    less  = 1'b0;
    for (int unsigned i = 0; i < LowW; i = i + PartW)
      less = left[i +: PartW] < right[i +: PartW] || (left[i +: PartW] == right[i +: PartW] && less);
    reached = !(now[TimeW-1] ^ limit[TimeW-1] ^ less);
  endfunction
  assign expired = busy_q && reached(until_q, deadline_mem[AddrW'({warp_q, visit_q})]);

  logic another;
  assign another      = rest != '0 || next_valid;
  assign busy_o       = busy_q;
  assign done_o       = busy_q ? expired || !another : search_i && !next_valid;
  assign found_o      = expired;
  assign found_warp_o = warp_q;
  assign found_id_o   = visit_q;

  logic [WarpW-1:0]   warp;
  logic [Entries-1:0] fired, fired_d;
  assign warp    = busy_q ? warp_q : warp_i;
  assign fired   = fired_mem[warp];
  assign fired_o = fired[id_i];
  always_comb begin
    fired_d = fired;
    if (busy_q) fired_d = fired | (expired ? visited : '0);
    else if (clear_i) fired_d = '0;
    else if (restart_i) fired_d[id_i] = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (busy_q || clear_i || restart_i) fired_mem[warp] <= fired_d;
    late_q      <= restart_i;
    late_addr_q <= AddrW'({warp_i, id_i});
    if (late_q) deadline_mem[late_addr_q] <= deadline_i;
    if (search_i) until_q <= until_i;
    if (busy_q || search_i) begin
      todo_q  <= todo_d;
      visit_q <= lowest(todo_d);
      if (!busy_q || rest == '0) warp_q <= next_warp;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      running_q <= '0;
    end else begin
      busy_q <= (search_i || busy_q) && !done_o;
      if (expired)   running_q[AddrW'({warp_q, visit_q})] <= 1'b0;
      if (clear_i)   running_q[warp_i*Entries +: Entries] <= '0;
      if (restart_i) running_q[AddrW'({warp_i, id_i})] <= run_i;
    end
  end

`ifdef FORMAL
  assign formal_running_o = running_q[AddrW'({formal_warp_i, formal_id_i})];
  assign formal_fired_o    = fired_mem[formal_warp_i][formal_id_i];
  assign formal_deadline_o = late_q && late_addr_q == AddrW'({formal_warp_i, formal_id_i}) ? deadline_i : deadline_mem[AddrW'({formal_warp_i, formal_id_i})];
  // Of the watched timer: it has expired, and the search has not come to it yet.
  logic             watched_expired, ahead;
  logic [TimeW-1:0] watched_late;
  assign watched_late    = (busy_q ? until_q : until_i) - formal_deadline_o;
  assign watched_expired = formal_running_o && !watched_late[TimeW-1];
  assign ahead           = !busy_q || warp_q < formal_warp_i || (warp_q == formal_warp_i && todo_q[formal_id_i]);
  always_comb begin
    if (rst_ni && watched_expired) begin
      assert (ahead);
      assert (!done_o || found_o);  // a search ends with an expired timer if there is one
    end
    if (rst_ni && found_o && found_warp_o == formal_warp_i && found_id_o == formal_id_i) assert (watched_expired);
  end
  always_ff @(posedge clk_i) formal_visits_o <= busy_q ? formal_visits_o + 1'b1 : '0;
  always_comb begin
    if (rst_ni && busy_q) begin
      // There is something to visit, and it runs. The search only goes forward, so it ends.
      assert (warp_q < Warps);
      assert (todo_q[visit_q] && visit_q == lowest(todo_q));
      assert ((todo_q & ~running_q[warp_q*Entries +: Entries]) == '0);
      assert (formal_visits_o <= 32'(warp_q) * Entries + 32'(visit_q));
    end
  end
`endif

endmodule

`default_nettype wire
