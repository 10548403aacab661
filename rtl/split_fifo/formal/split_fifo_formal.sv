// Properties of split_fifo, checked with ABC (scripts/formal), beside a reference queue that is kept in order (position
// 0 is the front), so that no property can repeat the block's circular addressing. The reference follows one warp, any
// of them: what holds for it holds for each, whatever the requests of the others are.
//
// Assumed of the user, for that warp: the contract of README.md. Proven, for all times:
//   count     the queue never holds more than Entries splits, and as many as went in and did not leave
//   order     front, READ at any position, flags and lanes are the reference's: a split is queued at most once, and
//             UNBLOCK has released exactly the splits whose lanes are all within
//   victim    the last split from the back that is neither spilled nor transient
//   answered  every accepted request is answered 1 + (UNBLOCK: blocked splits) clocks later, and only these are
//   stable    an answer does not change until it is taken, and is not lost
// These are about the pins. That the row is the reference's at all times, with UNBLOCK half done as well, is what makes
// induction close.

`default_nettype none

module split_fifo_formal #(
  parameter int unsigned Warps   = 2,
  parameter int unsigned Entries = 4,
  parameter int unsigned Lanes   = 2,
  localparam int unsigned WarpW  = $clog2(Warps),
  localparam int unsigned IdW    = $clog2(Entries),
  localparam int unsigned CountW = $clog2(Entries + 1)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              req_valid_i,
  input logic [3:0]        req_op_i,
  input logic [WarpW-1:0]  req_warp_i,
  input logic [IdW-1:0]    req_id_i,
  input logic              req_spilled_i,
  input logic              req_keep_front_i,
  input logic [Lanes-1:0]  req_lanes_i,
  input logic [IdW-1:0]    req_position_i,
  input logic              rsp_ready_i
);

`include "split_fifo_codes.svh"

  logic              req_ready, rsp_valid, rsp_blocked, rsp_spilled, rsp_transient, rsp_victim_valid;
  logic [CountW-1:0] rsp_count;
  logic [IdW-1:0]    rsp_id, rsp_victim;
  logic [Lanes-1:0]  rsp_lanes;

  logic [CountW-1:0]        row_count;
  logic [Entries*IdW-1:0]   row_ids;
  logic [Entries-1:0]       row_blocked, row_spilled, row_transient, todo;
  logic [Entries*Lanes-1:0] row_lanes;
  logic                     row_wraps, busy;
  logic [WarpW-1:0]         busy_warp;
  logic [Lanes-1:0]         unblock_lanes;

  // Any warp, the same one for a whole run.
  (* anyconst *) logic [WarpW-1:0] watched;

  split_fifo #(.Warps(Warps), .Entries(Entries), .Lanes(Lanes)) u_split_fifo (
    .clk_i, .rst_ni, .req_valid_i, .req_ready_o(req_ready), .req_op_i, .req_warp_i, .req_id_i, .req_spilled_i,
    .req_keep_front_i, .req_lanes_i, .req_position_i, .rsp_valid_o(rsp_valid), .rsp_ready_i, .rsp_count_o(rsp_count),
    .rsp_id_o(rsp_id), .rsp_blocked_o(rsp_blocked), .rsp_spilled_o(rsp_spilled), .rsp_transient_o(rsp_transient),
    .rsp_lanes_o(rsp_lanes), .rsp_victim_valid_o(rsp_victim_valid), .rsp_victim_o(rsp_victim),
    .formal_warp_i(watched), .formal_count_o(row_count), .formal_ids_o(row_ids), .formal_blocked_o(row_blocked),
    .formal_spilled_o(row_spilled), .formal_transient_o(row_transient), .formal_lanes_o(row_lanes),
    .formal_wraps_o(row_wraps), .formal_busy_o(busy), .formal_busy_warp_o(busy_warp), .formal_todo_o(todo),
    .formal_unblock_lanes_o(unblock_lanes)
  );

  logic accept, watch;
  assign accept = req_valid_i && req_ready;
  assign watch  = accept && req_warp_i == watched;

  // ---- Reference queue of the watched warp, by position; lanes by split number.
  logic [CountW-1:0]        count_q, count_d;
  logic [Entries*IdW-1:0]   id_q, id_d;
  logic [Entries-1:0]       blocked_q, blocked_d, spilled_q, spilled_d, transient_q, transient_d;
  logic [Entries*Lanes-1:0] lanes_q, lanes_d;

  logic              queued, victim_valid;
  logic [IdW-1:0]    victim;
  logic [CountW-1:0] blocked_count;
  always_comb begin
    queued        = 1'b0;
    victim_valid  = 1'b0;
    victim        = '0;
    blocked_count = '0;
    for (int unsigned p = 0; p < Entries; p++) begin
      if (CountW'(p) < count_q) begin
        if (id_q[p*IdW +: IdW] == req_id_i) queued = 1'b1;
        if (blocked_q[p]) blocked_count = blocked_count + 1'b1;
        if (!spilled_q[p] && !transient_q[p] && !(p == 0 && req_keep_front_i)) begin
          victim_valid = 1'b1;
          victim       = id_q[p*IdW +: IdW];
        end
      end
    end
  end

  always_comb begin
    count_d     = count_q;
    id_d        = id_q;
    blocked_d   = blocked_q;
    spilled_d   = spilled_q;
    transient_d = transient_q;
    lanes_d     = lanes_q;
    case (req_op_i)
      OpReset: count_d = '0;
      OpPush: begin
        for (int unsigned p = 0; p < Entries; p++) begin
          if (CountW'(p) == count_q) begin
            id_d[p*IdW +: IdW] = req_id_i;
            blocked_d[p]       = 1'b0;
            spilled_d[p]       = req_spilled_i;
            transient_d[p]     = 1'b0;
          end
        end
        count_d = count_q + 1'b1;
      end
      OpPop, OpRotate: begin
        for (int unsigned p = 0; p + 1 < Entries; p++) begin
          id_d[p*IdW +: IdW] = id_q[(p+1)*IdW +: IdW];
          blocked_d[p]       = blocked_q[p+1];
          spilled_d[p]       = spilled_q[p+1];
          transient_d[p]     = transient_q[p+1];
        end
        if (req_op_i == OpPop) begin
          count_d = count_q - 1'b1;
        end else begin
          for (int unsigned p = 0; p < Entries; p++) begin
            if (CountW'(p) + 1'b1 == count_q) begin
              id_d[p*IdW +: IdW] = id_q[0 +: IdW];
              blocked_d[p]       = blocked_q[0];
              spilled_d[p]       = spilled_q[0];
              transient_d[p]     = transient_q[0];
            end
          end
        end
      end
      OpBlock: begin
        blocked_d[0] = 1'b1;
        for (int unsigned i = 0; i < Entries; i++) begin
          if (id_q[0 +: IdW] == IdW'(i)) lanes_d[i*Lanes +: Lanes] = req_lanes_i;
        end
      end
      OpUnblock: begin
        for (int unsigned p = 0; p < Entries; p++) begin
          if ((lanes_q[id_q[p*IdW +: IdW]*Lanes +: Lanes] & ~req_lanes_i) == '0) blocked_d[p] = 1'b0;
        end
      end
      OpSpilled, OpFilling, OpResident, OpFilled: begin
        for (int unsigned p = 0; p < Entries; p++) begin
          if (id_q[p*IdW +: IdW] == req_id_i) begin
            if (req_op_i == OpSpilled) spilled_d[p] = 1'b1;
            if (req_op_i == OpFilling) transient_d[p] = 1'b1;
            if (req_op_i == OpFilled) spilled_d[p] = 1'b0;
            if (req_op_i == OpResident) begin
              spilled_d[p]   = 1'b0;
              transient_d[p] = 1'b0;
            end
          end
        end
      end
      default: ;
    endcase
  end

  // ---- The request that is being answered: clocks until its answer, and what the answer must be.
  logic              pending_q, check_q, check_entry_q, check_victim_q;
  logic [CountW:0]   clocks_q;  // since it was accepted, until it is answered
  logic [CountW:0]   due_q;     // exactly; of another warp: at most
  logic [CountW-1:0] exp_count_q;
  logic [IdW-1:0]    exp_id_q, exp_victim_q;
  logic              exp_blocked_q, exp_spilled_q, exp_transient_q, exp_victim_valid_q;
  logic [Lanes-1:0]  exp_lanes_q;

  logic [IdW-1:0] shown_position, shown_id;
  assign shown_position = req_op_i == OpRead ? req_position_i : '0;
  assign shown_id       = id_d[shown_position*IdW +: IdW];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q   <= '0;
      pending_q <= 1'b0;
      clocks_q  <= '0;
    end else begin
      if (!rsp_valid) clocks_q <= clocks_q + 1'b1;
      if (rsp_valid && rsp_ready_i) pending_q <= 1'b0;
      if (accept) begin
        pending_q <= 1'b1;
        clocks_q  <= '0;
        check_q   <= watch;
        due_q     <= watch ? (req_op_i == OpUnblock ? blocked_count : '0) : Entries;
      end
      if (watch) begin
        count_q            <= count_d;
        id_q               <= id_d;
        blocked_q          <= blocked_d;
        spilled_q          <= spilled_d;
        transient_q        <= transient_d;
        lanes_q            <= lanes_d;
        check_entry_q      <= CountW'(shown_position) < count_d;
        check_victim_q     <= req_op_i == OpVictim;
        exp_count_q        <= count_d;
        exp_id_q           <= shown_id;
        exp_blocked_q      <= blocked_d[shown_position];
        exp_spilled_q      <= spilled_d[shown_position];
        exp_transient_q    <= transient_d[shown_position];
        exp_lanes_q        <= lanes_d[shown_id*Lanes +: Lanes];
        exp_victim_valid_q <= victim_valid;
        exp_victim_q       <= victim;
      end
    end
  end

  logic past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // ---- The user's contract. The block is reset in the first clock, and may be reset again.
  always_ff @(posedge clk_i) begin
    if (!past_q) assume (!rst_ni);
    if (watch) begin
      assume (req_op_i <= OpFilled);
      if (req_op_i == OpPush) assume (count_q < CountW'(Entries) && !queued);
      if (req_op_i == OpPop || req_op_i == OpRotate || req_op_i == OpBlock) assume (count_q != '0);
    end
  end

  // ---- Properties
  logic stalled_q;
  always_ff @(posedge clk_i) stalled_q <= rst_ni && rsp_valid && !rsp_ready_i;

  // UNBLOCK of the watched warp is under way; splits that it has to visit.
  logic              unblocks;
  logic [CountW-1:0] visits;
  assign unblocks = busy && busy_warp == watched;
  always_comb begin
    visits = '0;
    for (int unsigned p = 0; p < Entries; p++) visits = visits + CountW'(todo[p]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && past_q) begin
      // answered
      if (rsp_valid) assert (pending_q);
      if (pending_q && !rsp_valid) assert (clocks_q < due_q);
      if (pending_q && rsp_valid && check_q) assert (clocks_q == due_q);
      assert (req_ready == ((!pending_q || rsp_valid) && (!rsp_valid || rsp_ready_i)));
      if (rsp_valid && check_q) begin
        // count
        assert (rsp_count <= CountW'(Entries));
        assert (rsp_count == exp_count_q);
        // order
        if (check_entry_q) begin
          assert (rsp_id == exp_id_q);
          assert (rsp_blocked == exp_blocked_q);
          assert (rsp_spilled == exp_spilled_q);
          assert (rsp_transient == exp_transient_q);
          if (exp_blocked_q) assert (rsp_lanes == exp_lanes_q);
        end
        // victim
        if (check_victim_q) begin
          assert (rsp_victim_valid == exp_victim_valid_q);
          if (exp_victim_valid_q) assert (rsp_victim == exp_victim_q);
        end
      end
      // stable
      if (stalled_q) begin
        assert (rsp_valid);
        assert ($stable(rsp_count) && $stable(rsp_id) && $stable(rsp_blocked) && $stable(rsp_spilled));
        assert ($stable(rsp_transient) && $stable(rsp_lanes));
        assert ($stable(rsp_victim_valid) && $stable(rsp_victim));
      end
      // The row is the reference's: what UNBLOCK has not visited yet is blocked in the row, and in the reference if not
      // all its lanes are within.
      assert (row_count == count_q && count_q <= CountW'(Entries));
      for (int unsigned p = 0; p < Entries; p++) begin
        if (CountW'(p) < count_q) begin
          assert (row_ids[p*IdW +: IdW] == id_q[p*IdW +: IdW]);
          assert (row_spilled[p] == spilled_q[p] && row_transient[p] == transient_q[p]);
          if (unblocks && todo[p])
            assert (row_blocked[p] && blocked_q[p] == ((row_lanes[p*Lanes +: Lanes] & ~unblock_lanes) != '0));
          else
            assert (row_blocked[p] == blocked_q[p]);
          if (row_blocked[p]) assert (row_lanes[p*Lanes +: Lanes] == lanes_q[id_q[p*IdW +: IdW]*Lanes +: Lanes]);
          for (int unsigned other = 0; other < p; other++) assert (id_q[p*IdW +: IdW] != id_q[other*IdW +: IdW]);
        end else if (unblocks) begin
          assert (!todo[p]);
        end
      end
      assert (busy == (pending_q && !rsp_valid));
      if (busy) begin
        assert (visits != '0);
        assert (check_q == unblocks);
        if (unblocks) begin
          assert (clocks_q + visits == due_q && !check_victim_q && check_entry_q && exp_count_q == count_q);
          assert (exp_id_q == id_q[0 +: IdW] && exp_blocked_q == blocked_q[0] && exp_spilled_q == spilled_q[0]);
          assert (exp_transient_q == transient_q[0] && exp_lanes_q == lanes_q[id_q[0 +: IdW]*Lanes +: Lanes]);
        end else begin
          assert (clocks_q + visits <= due_q);
        end
      end
      // All of this happens: the queue full, and turned round its slots; a victim that is not at the back, or none
      // though there are splits; UNBLOCK that releases one of two; a split that is filled and has not had its turn.
      cover (row_count == CountW'(Entries));
      cover (row_count == CountW'(Entries) && row_wraps);
      cover (rsp_valid && check_q && check_victim_q && rsp_victim_valid && rsp_victim != id_q[(count_q-1)*IdW +: IdW]);
      cover (rsp_valid && check_q && check_victim_q && !rsp_victim_valid && rsp_count == CountW'(2));
      cover (rsp_valid && check_q && due_q == 2 && row_blocked[0] != row_blocked[1]);
      cover (rsp_valid && check_q && row_transient[0] && !row_spilled[0] && $past(row_spilled[0]) && row_count != '0);
      cover (stalled_q && rsp_valid);
    end
  end

endmodule

`default_nettype wire
