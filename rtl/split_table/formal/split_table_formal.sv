// Properties of split_table, for a user that keeps to the contract: for one warp and one of its numbers, any
// of them, what the table should have is kept here beside it. Requests of other warps are not restricted: they
// have no effect on it.

`default_nettype none

// Every generate branch: entries in memory, or all of them here; calls, matches, or not.
module split_table_formal (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_valid_i,
  input logic [2:0]  req_op_i,
  input logic [0:0]  req_warp_i,
  input logic [1:0]  req_id_i,
  input logic        req_id_valid_i,
  input logic [1:0]  req_pc_i,
  input logic [1:0]  req_rpc_pc_i,
  input logic        req_rpc_valid_i,
  input logic [1:0]  req_r_index_i,
  input logic [3:0]  req_mask_i,
  input logic [0:0]  req_frame_i,
  input logic [0:0]  req_rpc_frame_i,
  input logic [1:0]  req_rpc_kind_i,
  input logic        req_blocked_i,
  input logic [67:0] req_record_i,
  input logic        rsp_ready_i
);
  (* anyconst *) logic [1:0] only;  // which of them is asked: the inputs of one do not bind the others
  split_table_properties #(.Physical(2)) u_virtual (.req_valid_i(req_valid_i && only == 2'd0), .*);
  split_table_properties #(.Physical(4)) u_all_physical (.req_valid_i(req_valid_i && only == 2'd1), .*);
  split_table_properties #(.Physical(2), .Calls(0), .Match(0)) u_plain (.req_valid_i(req_valid_i && only == 2'd2), .*);
  split_table_properties #(.Physical(4), .Match(0)) u_no_match (.req_valid_i(req_valid_i && only == 2'd3), .*);
endmodule

module split_table_properties #(
  parameter int unsigned Warps    = 2,
  parameter int unsigned Entries  = 4,
  parameter int unsigned Physical = 2,
  parameter int unsigned PcW      = 2,
  parameter int unsigned Lanes    = 4,
  parameter int unsigned FrameW   = 1,
  parameter int unsigned Calls    = 1,
  parameter int unsigned Match    = 1,
  localparam int unsigned WarpW   = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW     = $clog2(Entries),
  localparam int unsigned RecordW = 2 * 32 + Lanes
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               req_valid_i,
  input logic [2:0]         req_op_i,
  input logic [WarpW-1:0]   req_warp_i,
  input logic [IdW-1:0]     req_id_i,
  input logic               req_id_valid_i,
  input logic [PcW-1:0]     req_pc_i,
  input logic [PcW-1:0]     req_rpc_pc_i,
  input logic               req_rpc_valid_i,
  input logic [IdW-1:0]     req_r_index_i,
  input logic [Lanes-1:0]   req_mask_i,
  input logic [FrameW-1:0]  req_frame_i,
  input logic [FrameW-1:0]  req_rpc_frame_i,
  input logic [1:0]         req_rpc_kind_i,
  input logic               req_blocked_i,
  input logic [RecordW-1:0] req_record_i,
  input logic               rsp_ready_i
);

`include "split_table_codes.svh"
  localparam int unsigned EntryW  = 2 * PcW + IdW + Lanes + 1;  // {mask, r_index, rpc_valid, rpc_pc, pc}
  localparam int unsigned PlaceW  = EntryW - Lanes;
  localparam int unsigned SideW   = 2 * FrameW + 2;
  localparam int unsigned CountW  = $clog2(2 * Entries + 2);

  (* anyconst *) logic [WarpW-1:0] t_warp;
  (* anyconst *) logic [IdW-1:0]   t_id;

  // ---- The block
  logic               req_ready, rsp_valid, rsp_ok, rsp_in_use, rsp_rpc_valid, rsp_blocked;
  logic [IdW-1:0]     rsp_id, rsp_r_index;
  logic [PcW-1:0]     rsp_pc, rsp_rpc_pc;
  logic [Lanes-1:0]   rsp_mask;
  logic [FrameW-1:0]  rsp_frame, rsp_rpc_frame;
  logic [1:0]         rsp_rpc_kind;
  logic [RecordW-1:0] rsp_record;
  logic [Entries-1:0] dut_valid, dut_resident, dut_blocked, dut_todo;
  logic               dut_unique, dut_busy;
  logic [EntryW-1:0]  dut_entry;
  logic [SideW-1:0]   dut_side;
  logic [WarpW-1:0]   dut_busy_warp;

  split_table #(
    .Warps(Warps), .Entries(Entries), .Physical(Physical), .PcW(PcW), .Lanes(Lanes), .FrameW(FrameW), .Calls(Calls),
    .Match(Match)
  ) u_dut (
    .clk_i, .rst_ni,
    .req_valid_i, .req_ready_o(req_ready), .req_op_i, .req_warp_i, .req_id_i, .req_id_valid_i,
    .req_pc_i, .req_rpc_pc_i, .req_rpc_valid_i, .req_r_index_i, .req_mask_i, .req_frame_i, .req_rpc_frame_i,
    .req_rpc_kind_i, .req_blocked_i, .req_record_i,
    .rsp_valid_o(rsp_valid), .rsp_ready_i, .rsp_ok_o(rsp_ok), .rsp_in_use_o(rsp_in_use), .rsp_id_o(rsp_id),
    .rsp_pc_o(rsp_pc), .rsp_rpc_pc_o(rsp_rpc_pc), .rsp_rpc_valid_o(rsp_rpc_valid), .rsp_r_index_o(rsp_r_index),
    .rsp_mask_o(rsp_mask), .rsp_frame_o(rsp_frame), .rsp_rpc_frame_o(rsp_rpc_frame),
    .rsp_rpc_kind_o(rsp_rpc_kind), .rsp_blocked_o(rsp_blocked), .rsp_record_o(rsp_record),
    .formal_warp_i(t_warp), .formal_id_i(t_id), .formal_valid_o(dut_valid), .formal_resident_o(dut_resident),
    .formal_blocked_o(dut_blocked), .formal_unique_o(dut_unique), .formal_entry_o(dut_entry),
    .formal_side_o(dut_side), .formal_busy_o(dut_busy), .formal_busy_warp_o(dut_busy_warp),
    .formal_todo_o(dut_todo)
  );

  // ---- What warp t_warp should have
  logic [Entries-1:0]       valid_q, resident_q, blocked_q;
  logic [Entries*Lanes-1:0] masks_q;   // of all its splits, wherever they are
  logic [EntryW-1:0]        entry_q;   // of t_id, wherever it is
  logic [SideW-1:0]         side_q;    // of t_id

  logic accept, ours, valid_full;
  assign accept     = req_valid_i && req_ready;
  assign ours       = accept && req_warp_i == t_warp;
  assign valid_full = valid_q == '1;

  logic [Entries-1:0] req_onehot, free_onehot, changed_onehot;
  assign req_onehot     = Entries'(1) << req_id_i;
  assign free_onehot    = ~valid_q & (valid_q + 1'b1);
  assign changed_onehot = (req_op_i == OpInsert) ? free_onehot : req_onehot;
  logic t_valid, t_resident, t_blocked, t_changed;
  assign t_valid    = (valid_q & (Entries'(1) << t_id)) != '0;
  assign t_resident = (resident_q & (Entries'(1) << t_id)) != '0;
  assign t_blocked  = (blocked_q & (Entries'(1) << t_id)) != '0;
  assign t_changed  = (changed_onehot & (Entries'(1) << t_id)) != '0;

  logic [IdW-1:0]    first_free;
  logic [CountW-1:0] residents;
  logic [Lanes-1:0]  others;     // lanes of the splits other than the one that is written
  always_comb begin
    first_free = '0;
    residents  = '0;
    others     = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (free_onehot[i]) first_free = first_free | IdW'(i);
      residents = residents + CountW'(resident_q[i]);
      if (valid_q[i] && !(req_op_i == OpWrite && req_onehot[i])) others = others | masks_q[i*Lanes +: Lanes];
    end
  end
  logic room;
  assign room = residents < CountW'(Physical);

  // The request's split; without a point it has no R-Index.
  logic [EntryW-1:0] req_entry;
  logic [SideW-1:0]  req_side;
  logic [5:0]        record_index;
  // Without calls a point has a PC, and its absence says that there is none; there are no frames and kinds.
  logic               has_point;
  assign has_point    = (Calls != 0) ? req_rpc_valid_i : req_rpc_pc_i != '1;
  assign req_entry    = {req_mask_i, req_r_index_i & {IdW{has_point}}, has_point, req_rpc_pc_i, req_pc_i};
  assign req_side     = (Calls != 0) ? {req_rpc_kind_i, req_rpc_frame_i, req_frame_i} : '0;
  // The record of t_id, as [AWARE] §5.5.2 has it: 29-bit PCs, "none" of all ones.
  logic [RecordW-1:0] record;
  logic [28:0]        record_pc, record_rpc_pc;
  assign record_pc     = (&entry_q[0 +: PcW]) ? 29'h1fffffff : 29'(entry_q[0 +: PcW]);
  assign record_rpc_pc = (&entry_q[PcW +: PcW]) ? 29'h1fffffff : 29'(entry_q[PcW +: PcW]);
  assign record_index  = entry_q[2*PcW] ? 6'(entry_q[2*PcW+1 +: IdW]) : 6'h20;
  assign record = {entry_q[EntryW-1 -: Lanes], record_index[5:3], record_rpc_pc, record_index[2:0], record_pc};

  // ---- The user's contract, for this warp
  always @(*) begin
    if (rst_ni && ours) begin
      if (req_op_i == OpInsert) assume (!valid_full);
      if (req_op_i == OpInsert || req_op_i == OpWrite) begin
        assume (req_mask_i != '0);
        assume ((req_mask_i & others) == '0);  // a lane is in one split
      end
      if (req_op_i == OpWrite || req_op_i == OpEvict) assume ((resident_q & req_onehot) != '0);
      if (req_op_i == OpFree) assume ((valid_q & req_onehot) != '0);
      if (req_op_i == OpFill) begin
        // What left comes back.
        assume ((valid_q & ~resident_q & req_onehot) != '0);
        for (int unsigned i = 0; i < Entries; i++)
          if (req_onehot[i]) assume (req_record_i[64 +: Lanes] == masks_q[i*Lanes +: Lanes]);
        if (t_changed) assume (req_record_i == record);
      end
      if (Physical == Entries) assume (req_op_i != OpEvict && req_op_i != OpFill);
      if (Match == 0) assume (req_op_i != OpMatch);
    end
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      resident_q <= '0;
    end else if (ours) begin
      case (req_op_i)
        OpReset: begin
          valid_q    <= '0;
          resident_q <= '0;
        end
        OpInsert: begin
          valid_q    <= valid_q | free_onehot;
          resident_q <= resident_q | (free_onehot & {Entries{room}});
        end
        OpFree: begin
          valid_q    <= valid_q & ~req_onehot;
          resident_q <= resident_q & ~req_onehot;
        end
        OpEvict: resident_q <= resident_q & ~req_onehot;
        OpFill:  resident_q <= resident_q | (req_onehot & {Entries{room}});
        default: ;
      endcase
      if (req_op_i == OpInsert || req_op_i == OpWrite) begin
        blocked_q <= (blocked_q & ~changed_onehot) | (changed_onehot & {Entries{Match != 0 && req_blocked_i}});
        for (int unsigned i = 0; i < Entries; i++)
          if (changed_onehot[i]) masks_q[i*Lanes +: Lanes] <= req_mask_i;
        if (t_changed) begin
          entry_q <= req_entry;
          side_q  <= req_side;
        end
      end
    end
  end

  // ---- The request that is being answered, and what its answer should be
  logic               pending_q;           // accepted, the answer not taken yet
  logic [CountW-1:0]  waited_q;            // clocks since it was accepted, without an answer
  logic [2:0]         op_q;
  logic [WarpW-1:0]   warp_q;
  logic [IdW-1:0]     id_q;
  logic               ok_q, in_use_q;      // what is expected
  logic [PlaceW-1:0]  place_q;             // MATCH: what is looked for
  logic [SideW-1:0]   place_side_q;
  logic [Entries-1:0] may_match_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      waited_q  <= '0;
    end else begin
      if (accept) begin
        pending_q <= 1'b1;
        warp_q    <= req_warp_i;
        waited_q  <= '0;
        op_q      <= req_op_i;
        id_q      <= (req_op_i == OpInsert) ? first_free : req_id_i;
        in_use_q  <= (valid_q & req_onehot) != '0;
        place_q      <= req_entry[PlaceW-1:0];
        place_side_q <= req_side;
        may_match_q  <= resident_q & ~blocked_q & ~(req_onehot & {Entries{req_id_valid_i}});
        case (req_op_i)
          OpInsert, OpFill: ok_q <= room;
          OpRead:           ok_q <= (resident_q & req_onehot) != '0;
          default:          ok_q <= 1'b0;
        endcase
      end else begin
        if (rsp_valid && rsp_ready_i) pending_q <= 1'b0;
        if (!rsp_valid) waited_q <= waited_q + 1'b1;
      end
    end
  end

  logic [EntryW-1:0] rsp_entry;
  logic [SideW-1:0]  rsp_side;
  assign rsp_entry = {rsp_mask, rsp_r_index, rsp_rpc_valid, rsp_rpc_pc, rsp_pc};
  assign rsp_side  = {rsp_rpc_kind, rsp_rpc_frame, rsp_frame};

  logic [CountW-1:0] left;  // entries that MATCH has not visited
  always_comb begin
    left = '0;
    for (int unsigned i = 0; i < Entries; i++) if (dut_todo[i]) left = left + 1'b1;
  end

  // MATCH has to find t_id, or a lower number.
  logic t_matches;
  assign t_matches = t_resident && !t_blocked && (may_match_q & (Entries'(1) << t_id)) != '0 &&
                     entry_q[PlaceW-1:0] == place_q && side_q == place_side_q;

  // A response that was not taken stays as it was.
  localparam int unsigned RspW = 3 + IdW + EntryW + SideW;
  logic [RspW-1:0] rsp, rsp_q;
  logic            stays_q;
  assign rsp = {rsp_ok, rsp_in_use, rsp_blocked, rsp_id, rsp_entry, rsp_side};
  always @(posedge clk_i) begin
    rsp_q   <= rsp;
    stays_q <= rst_ni && rsp_valid && !rsp_ready_i;
  end

  // ---- Starts with a reset
  logic started_q;
  initial started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;
  always @(*) if (!started_q) assume (!rst_ni);

  always @(*) begin
    if (started_q && rst_ni) begin
      // The table has what it should have, at all times.
      assert (dut_valid == valid_q);
      assert (dut_resident == resident_q);
      assert ((resident_q & ~valid_q) == '0);
      assert (dut_unique);
      assert (residents <= CountW'(Physical));
      assert ((dut_blocked & valid_q) == (blocked_q & valid_q));
      if (t_valid) begin
        assert (dut_side == side_q);
        for (int unsigned i = 0; i < Entries; i++)
          if (IdW'(i) == t_id) assert (entry_q[EntryW-1 -: Lanes] == masks_q[i*Lanes +: Lanes]);
        assert (entry_q[2*PcW] || entry_q[2*PcW+1 +: IdW] == '0);
        if (Calls == 0) assert (entry_q[2*PcW] == (entry_q[PcW +: PcW] != '1) && side_q == '0);
      end
      if (t_resident) assert (dut_entry == entry_q);
      // Masks are disjoint: with t_id any number, those in the table are as well.
      for (int unsigned i = 0; i < Entries; i++)
        if (valid_q[i] && t_valid && IdW'(i) != t_id)
          assert ((masks_q[i*Lanes +: Lanes] & entry_q[EntryW-1 -: Lanes]) == '0);

      // No request is lost: it is answered, or MATCH is on its way, which visits an entry a clock.
      assert (pending_q == (rsp_valid || dut_busy));
      assert (!(rsp_valid && dut_busy));
      if (dut_busy) begin
        assert (op_q == OpMatch && dut_busy_warp == warp_q && left != '0);
        assert (waited_q + left <= CountW'(Entries));
        assert (rsp_entry[PlaceW-1:0] == place_q && rsp_side == place_side_q && !rsp_blocked);
        if (warp_q == t_warp) begin
          assert ((dut_todo & ~may_match_q) == '0);
          assert ((may_match_q & ~(resident_q & ~blocked_q)) == '0);
          // It has not gone past an entry that it should have found.
          if (t_matches) assert ((dut_todo & (Entries'(1) << t_id)) != '0);
        end
      end
      if (pending_q) assert (waited_q <= CountW'(Entries));
      if (stays_q) assert (rsp_valid && rsp == rsp_q);

      // Answers
      if (rsp_valid && warp_q == t_warp) begin
        case (op_q)
          OpInsert: assert (rsp_id == id_q && rsp_ok == ok_q);
          OpFill:   assert (rsp_ok == ok_q);
          OpRead:   assert (rsp_ok == ok_q && rsp_in_use == in_use_q);
          OpMatch: begin
            if (rsp_ok) assert ((may_match_q & (Entries'(1) << rsp_id)) != '0 && !rsp_blocked);
            if (t_matches) assert (rsp_ok && rsp_id <= t_id);
            if (rsp_ok && rsp_id == t_id) assert (t_matches);
            if (rsp_ok) assert (rsp_entry[PlaceW-1:0] == place_q && rsp_side == place_side_q);
            if (rsp_ok && rsp_id == t_id) assert (rsp_entry == entry_q);
          end
          default: ;
        endcase
        // Of t_id, what the answer says is what the table has: nothing has changed since.
        if (id_q == t_id && op_q == OpRead && rsp_ok)
          assert (rsp_entry == entry_q && rsp_side == side_q && rsp_blocked == t_blocked);
        if (id_q == t_id && op_q == OpEvict) assert (rsp_record == record);
      end
    end
  end

  // ---- All of this happens: all numbers in use; more of them than physical entries; a split that left and came back;
  // FILL without room; MATCH that finds the second entry it visits, and one that visits all and finds none.
  logic left_q;  // t_id was evicted, and not freed since
  always @(posedge clk_i) begin
    if (!rst_ni) left_q <= 1'b0;
    else if (ours && t_changed && req_op_i == OpEvict) left_q <= 1'b1;
    else if (ours && (req_op_i == OpReset || (t_changed && req_op_i == OpFree))) left_q <= 1'b0;
  end
  always @(*) begin
    if (started_q && rst_ni) begin
      cover (valid_q == '1);
      cover (stays_q);
    end
  end
  if (Physical < Entries) begin : gen_cover_virtual
    always @(*) begin
      if (started_q && rst_ni && rsp_valid && warp_q == t_warp) begin
        cover (op_q == OpInsert && !rsp_ok);
        cover (op_q == OpFill && rsp_ok && id_q == t_id && left_q);
        cover (op_q == OpFill && !rsp_ok);
      end
    end
  end
  if (Match != 0) begin : gen_cover_match
    always @(*) begin
      if (started_q && rst_ni && rsp_valid && warp_q == t_warp) begin
        cover (op_q == OpMatch && rsp_ok && waited_q == CountW'(2));
        cover (op_q == OpMatch && !rsp_ok && waited_q == CountW'(2));
      end
    end
  end

endmodule

`default_nettype wire
