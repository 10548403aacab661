// What holds for scoreboard whatever happens on its pins, for both kinds, with one group of a warp and with two, with three warps
// (no power of two), with and without the read-out of a set. Beside the block a reference keeps one warp's pending registers by
// number, and the registers of one of its groups' heads: no register is twice in the set, none is lost or left over; the head's
// bits are those of the entries that it waits for at all times from its look-up on; what keeps it is the reference's, in the
// clock after whatever has changed it. Turns of look-ups and of releases are kept.

`default_nettype none

/// A user of the block that meets the contract but is otherwise unconstrained.
module scoreboard_user #(
  parameter int unsigned Warps  = 2,
  parameter int unsigned Groups = 1,
  parameter int unsigned Masks  = 0,
  parameter int unsigned Debug  = 1
) (
  input logic clk_i,
  input logic rst_ni
);
  localparam int unsigned Entries = 3, RegW = 2, Lanes = 2, ReadPorts = 2, WritePorts = 2, Sources = 2;
  localparam int unsigned Regs = 4, Slots = Warps * Groups;
  localparam int unsigned WarpW = (Warps > 1) ? $clog2(Warps) : 1;
  localparam int unsigned SlotW = (Slots > 1) ? $clog2(Slots) : 1;
  localparam int unsigned CountW = 2;
`include "scoreboard_codes.svh"

  // ---- What the user chooses
  (* anyseq *) logic [Slots-1:0]              head, drop;
  (* anyseq *) logic [Warps-1:0]              clear;
  (* anyseq *) logic                          look_valid, look_first, look_last, issue_valid, next_valid, reserve_valid, reserve_memory;
  (* anyseq *) logic [SlotW-1:0]              issue;
  (* anyseq *) logic [Lanes-1:0]              look_lanes, next_lanes, reserve_lanes;
  (* anyseq *) logic [ReadPorts-1:0]          look_used, look_write, next_used, next_write;
  (* anyseq *) logic [ReadPorts*RegW-1:0]     look_reg, next_reg;
  (* anyseq *) logic [WarpW-1:0]              reserve_warp;
  (* anyseq *) logic [WritePorts-1:0]         reserve_used;
  (* anyseq *) logic [WritePorts*RegW-1:0]    reserve_reg;
  (* anyseq *) logic [Sources-1:0]            release_valid;
  (* anyseq *) logic [Sources*WarpW-1:0]      release_warp;
  (* anyseq *) logic [Sources*Lanes-1:0]      release_lanes;
  (* anyseq *) logic [Sources*WritePorts-1:0] release_used;
  (* anyseq *) logic [Sources*WritePorts*RegW-1:0] release_reg;

  logic                           grant_valid;
  logic [SlotW-1:0]               grant;
  logic [Sources-1:0]             release_ready;
  logic [Slots-1:0]               looked, ready, memory, alu;
  logic [Entries-1:0]             debug_valid, debug_memory;
  logic [Entries*RegW-1:0]        debug_reg;
  logic [Entries*Lanes-1:0]       debug_lanes;
  logic [Warps*Entries-1:0]       set_valid, set_memory;
  logic [Warps*Entries*RegW-1:0]  set_reg;
  logic [Warps*Entries*Lanes-1:0] set_lanes;
  logic [Slots*Entries-1:0]       waits, has;
  logic [Slots*CountW-1:0]        writes;
  logic [Slots-1:0]               behind;
  logic [Sources-1:0]             turn;
  (* anyconst *) logic [WarpW-1:0] watched;  // the warp whose set is observed,
  (* anyconst *) logic [SlotW-1:0] slot;     // and one of its groups
  always @(posedge clk_i) assume (32'(watched) < Warps && 32'(slot) / Groups == 32'(watched));

  scoreboard #(
    .Warps(Warps), .Groups(Groups), .Entries(Entries), .RegW(RegW), .Lanes(Lanes), .Masks(Masks), .ReadPorts(ReadPorts),
    .WritePorts(WritePorts), .Sources(Sources), .Debug(Debug)
  ) u_dut (
    .clk_i, .rst_ni, .head_i(head), .drop_i(drop), .clear_i(clear), .look_grant_valid_o(grant_valid), .look_grant_o(grant),
    .look_valid_i(look_valid), .look_first_i(look_first), .look_last_i(look_last), .look_lanes_i(look_lanes),
    .look_used_i(look_used), .look_write_i(look_write), .look_reg_i(look_reg), .issue_valid_i(issue_valid), .issue_i(issue),
    .next_valid_i(next_valid), .next_lanes_i(next_lanes), .next_used_i(next_used), .next_write_i(next_write),
    .next_reg_i(next_reg), .reserve_valid_i(reserve_valid), .reserve_warp_i(reserve_warp), .reserve_lanes_i(reserve_lanes),
    .reserve_memory_i(reserve_memory), .reserve_used_i(reserve_used), .reserve_reg_i(reserve_reg),
    .release_valid_i(release_valid), .release_ready_o(release_ready), .release_warp_i(release_warp),
    .release_lanes_i(release_lanes), .release_used_i(release_used), .release_reg_i(release_reg), .looked_o(looked),
    .ready_o(ready), .memory_o(memory), .alu_o(alu), .debug_warp_i(watched), .debug_valid_o(debug_valid),
    .debug_memory_o(debug_memory), .debug_reg_o(debug_reg), .debug_lanes_o(debug_lanes), .formal_valid_o(set_valid),
    .formal_memory_o(set_memory), .formal_reg_o(set_reg), .formal_lanes_o(set_lanes), .formal_waits_o(waits),
    .formal_has_o(has), .formal_writes_o(writes), .formal_behind_o(behind), .formal_turn_o(turn)
  );

  // ---- Registers on the ports, by number
  logic [Regs-1:0] looks, look_writes, nexts, next_writes, reserves, releases;
  logic [Lanes-1:0] released_lanes;
  logic            release_here, reserve_here, look_here, next_here, issue_here;
  logic            served;  // the source that is released
  assign served = release_ready[1];
  always_comb begin
    looks = '0; look_writes = '0; nexts = '0; next_writes = '0; reserves = '0; releases = '0;
    for (int unsigned r = 0; r < Regs; r++) begin
      for (int unsigned p = 0; p < ReadPorts; p++) begin
        if (look_used[p] && look_reg[p*RegW +: RegW] == RegW'(r)) begin
          looks[r] = 1'b1;
          look_writes[r] = look_write[p];
        end
        if (next_used[p] && next_reg[p*RegW +: RegW] == RegW'(r)) begin
          nexts[r] = 1'b1;
          next_writes[r] = next_write[p];
        end
      end
      for (int unsigned p = 0; p < WritePorts; p++) begin
        if (reserve_used[p] && reserve_reg[p*RegW +: RegW] == RegW'(r)) reserves[r] = 1'b1;
        for (int unsigned i = 0; i < Sources; i++)
          if (release_ready[i] && release_used[i*WritePorts+p] && release_reg[(i*WritePorts+p)*RegW +: RegW] == RegW'(r))
            releases[r] = 1'b1;
      end
    end
  end
  assign released_lanes = served ? release_lanes[Lanes +: Lanes] : release_lanes[0 +: Lanes];
  assign release_here   = release_ready != '0 && (served ? release_warp[WarpW +: WarpW] : release_warp[0 +: WarpW]) == watched;
  assign reserve_here   = reserve_valid && reserve_warp == watched;
  assign look_here      = look_valid && grant_valid && grant == slot;
  assign issue_here     = issue_valid && issue == slot;
  assign next_here      = issue_here && next_valid;

  // ---- The reference: the watched warp's registers
  logic [Regs-1:0]       pending_q, memory_q, pending_d, memory_d, stays;
  logic [Regs*Lanes-1:0] lanes_q, lanes_d;
  always_comb begin
    for (int unsigned r = 0; r < Regs; r++) begin
      logic             gone, comes;
      logic [Lanes-1:0] left;
      gone  = release_here && releases[r] && pending_q[r];
      comes = reserve_here && reserves[r];
      left  = pending_q[r] ? lanes_q[r*Lanes +: Lanes] & ~({Lanes{gone}} & ((Masks != 0) ? released_lanes : {Lanes{1'b1}})) : '0;
      if (comes) left = left | ((Masks != 0) ? reserve_lanes : {Lanes{1'b1}});
      lanes_d[r*Lanes +: Lanes] = left;
      pending_d[r] = gone ? left != '0 : (pending_q[r] || comes);
      memory_d[r]  = (pending_q[r] && memory_q[r]) || (comes && reserve_memory);
      stays[r]     = gone && left != '0;
    end
    if (clear[watched]) pending_d = '0;
  end
  logic [1:0] count;
  always_comb begin
    count = '0;
    for (int unsigned r = 0; r < Regs; r++) count = count + 2'(pending_q[r]);
  end

  // ---- The watched group's head: its registers, and those of its destinations that have an entry
  logic [Regs-1:0]  regs_q, regs_d, dsts_q, dsts_d, has_q, has_d, waiting, look_waits, next_waits;
  logic [Lanes-1:0] head_lanes_q, head_lanes_d;
  logic             looked_q, looked_d, parts_q, parts_d;  // all of them; some parts of them
  always_comb begin
    for (int unsigned r = 0; r < Regs; r++) begin
      waiting[r]    = regs_q[r] && pending_q[r] && (lanes_q[r*Lanes +: Lanes] & head_lanes_q) != '0;
      look_waits[r] = looks[r] && pending_q[r] && (lanes_q[r*Lanes +: Lanes] & look_lanes) != '0;
      next_waits[r] = nexts[r] && (((pending_q[r] ? lanes_q[r*Lanes +: Lanes] : '0) |
                                    ((reserve_here && reserves[r]) ? reserve_lanes : '0)) & next_lanes) != '0;
    end
    regs_d       = regs_q;
    dsts_d       = dsts_q;
    has_d        = has_q & pending_d;
    head_lanes_d = head_lanes_q;
    looked_d     = looked_q && !(Masks == 0 && reserve_here) && (stays & waiting) == '0 && !issue_here;
    parts_d      = parts_q && !reserve_here && !(Masks != 0 && release_here) && !issue_here;
    if (look_here) begin
      regs_d       = looks | (look_first ? '0 : regs_q);
      dsts_d       = look_writes | (look_first ? '0 : dsts_q);
      has_d        = ((Masks != 0) ? look_writes & pending_d & pending_q : '0) | (look_first ? '0 : has_q & pending_d);
      head_lanes_d = look_lanes;
      looked_d     = look_last && !reserve_here && (stays & look_waits) == '0 && (look_first || (stays & waiting) == '0);
      parts_d      = !look_last && !reserve_here && !(Masks != 0 && release_here);
    end
    if (next_here) begin
      regs_d       = nexts;
      dsts_d       = next_writes;
      has_d        = (Masks != 0) ? next_writes & pending_d : '0;
      head_lanes_d = next_lanes;
      looked_d     = (stays & next_waits) == '0;
    end
    if (drop[slot] || clear[watched]) begin
      looked_d = 1'b0;
      parts_d  = 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= '0;
      looked_q  <= 1'b0;
      parts_q   <= 1'b0;
    end else begin
      pending_q <= pending_d;
      looked_q  <= looked_d;
      parts_q   <= parts_d;
    end
    memory_q     <= memory_d;
    lanes_q      <= lanes_d;
    regs_q       <= regs_d;
    dsts_q       <= dsts_d;
    has_q        <= has_d;
    head_lanes_q <= head_lanes_d;
  end

  // ---- Turns
  logic             looked_before_q, unfinished_q, released_before_q, source_q;
  logic [SlotW-1:0] last_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      looked_before_q   <= 1'b0;
      released_before_q <= 1'b0;
    end else begin
      if (look_valid && grant_valid) begin
        looked_before_q <= 1'b1;
        unfinished_q    <= !look_last;
        last_q          <= grant;
      end
      if (release_ready != '0) begin
        released_before_q <= 1'b1;
        source_q          <= served;
      end
    end
  end

  // ---- The user's contract
  logic [2:0] fresh, missing, destinations;
  always_comb begin
    fresh = '0; missing = '0; destinations = '0;
    for (int unsigned r = 0; r < Regs; r++) begin
      fresh        = fresh + 3'(reserves[r] && !pending_q[r]);
      missing      = missing + 3'(dsts_q[r] && !has_q[r]);
      destinations = destinations + 3'(dsts_d[r]);
    end
  end
  always @(posedge clk_i) begin
    assume (32'(issue) < Slots && 32'(reserve_warp) < Warps && 32'(release_warp[0 +: WarpW]) < Warps &&
            32'(release_warp[WarpW +: WarpW]) < Warps);
    assume (rst_ni || {head, drop, clear, look_valid, issue_valid, reserve_valid, release_valid} == '0);
    // A register is on one port only.
    assume (!(&look_used && look_reg[0 +: RegW] == look_reg[RegW +: RegW]));
    assume (!(&next_used && next_reg[0 +: RegW] == next_reg[RegW +: RegW]));
    assume (!(&reserve_used && reserve_reg[0 +: RegW] == reserve_reg[RegW +: RegW]));
    for (int unsigned i = 0; i < Sources; i++)
      assume (!(&release_used[i*WritePorts +: WritePorts] &&
                release_reg[i*WritePorts*RegW +: RegW] == release_reg[(i*WritePorts+1)*RegW +: RegW]));
    // An instruction of several parts begins again when something of its warp has changed meanwhile; its parts have different
    // registers, and no more destinations than there are entries.
    if (look_here) assume (look_first == !parts_q);
    if (look_here && parts_q) assume ((looks & regs_q) == '0 && look_lanes == head_lanes_q);
    assume (destinations <= 3'(Entries));
    // Reserved is only what has room, and what is not pending (with masks: for other lanes it may be).
    if (reserve_here) begin
      assume (3'(count) + fresh <= 3'(Entries));
      if (Masks == 0) assume ((reserves & pending_q) == '0);
      // Groups of a warp have different lanes.
      if (Masks != 0 && (looked_q || parts_q) && !issue_here) assume ((reserve_lanes & head_lanes_q) == '0);
    end
    // What issues is at the head.
    if (issue_here) assume (!look_here);
    if (Masks == 0) assume (look_lanes != '0 && next_lanes != '0);
  end

  // ---- Properties
  logic [Entries-1:0]       valid;
  logic [Entries*RegW-1:0]  regs;
  logic [Entries*Lanes-1:0] lanes;
  logic [Entries-1:0]       memories, head_waits, head_has;
  logic [CountW-1:0]        head_writes;
  assign valid       = set_valid[watched*Entries +: Entries];
  assign memories    = set_memory[watched*Entries +: Entries];
  assign regs        = set_reg[watched*Entries*RegW +: Entries*RegW];
  assign lanes       = set_lanes[watched*Entries*Lanes +: Entries*Lanes];
  assign head_waits  = waits[slot*Entries +: Entries];
  assign head_has    = has[slot*Entries +: Entries];
  assign head_writes = writes[slot*CountW +: CountW];
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (LatencyLook == 1'd1);
      for (int unsigned e = 0; e < Entries; e++) begin
        if (valid[e]) begin
          // Every entry is what the reference has of its register, and is the only one ...
          assert (pending_q[regs[e*RegW +: RegW]]);
          for (int unsigned r = 0; r < Regs; r++)
            if (regs[e*RegW +: RegW] == RegW'(r)) begin
              assert (memories[e] == memory_q[r]);
              assert (lanes[e*Lanes +: Lanes] == lanes_q[r*Lanes +: Lanes]);
              // ... and the head's bits are of what it waits for.
              if (looked_q || parts_q) begin
                assert (head_waits[e] == waiting[r]);
                assert (head_has[e] == (Masks != 0 && has_q[r]));
              end
            end
          for (int unsigned other = 0; other < e; other++)
            assert (!valid[other] || regs[other*RegW +: RegW] != regs[e*RegW +: RegW]);
        end else if (looked_q || parts_q) begin
          assert (!head_waits[e] && !head_has[e]);
        end
      end
      // Nothing is lost: as many entries as registers are pending.
      assert (2'(valid[0]) + 2'(valid[1]) + 2'(valid[2]) == count);
      assert (32'(pending_q[0]) + 32'(pending_q[1]) + 32'(pending_q[2]) + 32'(pending_q[3]) <= Entries);
      if (looked_q || parts_q) begin
        assert (head_writes == 2'(dsts_q[0]) + 2'(dsts_q[1]) + 2'(dsts_q[2]) + 2'(dsts_q[3]));
        assert ((has_q & ~pending_q) == '0 && (has_q & ~dsts_q) == '0 && (dsts_q & ~regs_q) == '0);
        assert (32'(dsts_q[0]) + 32'(dsts_q[1]) + 32'(dsts_q[2]) + 32'(dsts_q[3]) <= Entries);
      end
      assert (!(looked_q && parts_q));
      if (Masks == 0 && (looked_q || parts_q)) assert (has_q == '0 && head_lanes_q != '0);
      // In the clock behind: what keeps the head.
      assert (looked[slot] == looked_q);
      assert (memory[slot] == (looked_q && (waiting & memory_q) != '0));
      assert (alu[slot] == (looked_q && (waiting & ~memory_q) != '0));
      assert (ready[slot] == (looked_q && waiting == '0 && 3'(count) + missing <= 3'(Entries)));

      // Look-ups in turn: the first group behind the last one, or that one while it has parts left.
      assert (grant_valid == ((head & ~looked) != '0));
      for (int unsigned s = 0; s < Slots; s++) begin
        if (!looked_before_q) assert (behind[s]);
        else assert (behind[s] == (SlotW'(s) > last_q || (unfinished_q && SlotW'(s) == last_q)));
        if (grant_valid && head[s] && !looked[s]) begin
          assert (!(behind[s] && (!behind[grant] || SlotW'(s) < grant)));
          assert (!(!behind[s] && !behind[grant] && SlotW'(s) < grant));
        end
      end
      if (grant_valid) assert (32'(grant) < Slots && head[grant] && !looked[grant]);
      assert (!looked_before_q || 32'(last_q) < Slots);
      // Releases in turn: one of those that want to, of two not the one that was served last.
      assert ((release_ready & ~release_valid) == '0 && (release_ready != '0) == (release_valid != '0));
      assert (release_ready != 2'b11);
      if (!released_before_q) assert (&turn);
      else assert (turn == {!source_q, 1'b0});
      if (&release_valid) assert (served == (released_before_q && !source_q));

      if (Debug != 0) assert ({debug_valid, debug_memory, debug_reg, debug_lanes} == {valid, memories, regs, lanes});
      else assert ({debug_valid, debug_memory, debug_reg, debug_lanes} == '0);
    end
  end

  // ---- All of this happens: a full set; a head that waits for each, and for room; one that is looked up in two parts; one
  // behind an instruction that issues, which waits for what is reserved in its clock; bits that a release clears.
  logic woken_q;
  always_ff @(posedge clk_i) woken_q <= rst_ni && looked_q && waiting != '0 && release_here;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      cover (32'(count) == Entries);
      cover (looked_q && waiting == '0 && !ready[slot]);
      cover (memory[slot] && alu[slot]);
      cover (look_here && parts_q && look_last && looked_d);
      cover (next_here && looked_d && reserve_here && (nexts & reserves) != '0);
      cover (woken_q && ready[slot]);
      cover (&release_valid && released_before_q);
    end
  end
  if (Masks != 0) begin : gen_cover_masks
    always @(posedge clk_i) begin
      if (rst_ni) begin
        cover (looked_q && !looked_d && (stays & waiting) != '0);
        cover (looked_q && has_q != '0 && ready[slot]);
      end
    end
  end

endmodule

module scoreboard_formal (
  input logic clk_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  scoreboard_user #(.Warps(3), .Groups(1), .Masks(0), .Debug(0)) u_warps (.clk_i, .rst_ni(rst_n));
  scoreboard_user #(.Warps(2), .Groups(1), .Masks(1), .Debug(0)) u_masks (.clk_i, .rst_ni(rst_n));
  scoreboard_user #(.Warps(2), .Groups(2), .Masks(0), .Debug(1)) u_warps_groups (.clk_i, .rst_ni(rst_n));
  scoreboard_user #(.Warps(2), .Groups(2), .Masks(1), .Debug(1)) u_masks_groups (.clk_i, .rst_ni(rst_n));
endmodule

`default_nettype wire
