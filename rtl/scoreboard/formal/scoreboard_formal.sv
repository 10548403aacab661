// Properties of both kinds of scoreboard, for any requests. Beside each of the two, a reference keeps one
// warp's pending registers by number, where the block keeps a set of entries: no register is twice in the
// set, none is lost or left over, and every hazard is the reference's. No request is lost; answers are stable
// until accepted.

`default_nettype none

module scoreboard_formal #(
  localparam int unsigned Inputs = 22
) (
  input logic              clk_i,
  input logic [Inputs-1:0] masks_i,  // everything that the users of the two may choose
  input logic [Inputs-1:0] warps_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  scoreboard_user #(.Masks(1)) u_masks (.clk_i, .rst_ni(rst_n), .choice_i(masks_i));
  scoreboard_user #(.Masks(0)) u_warps (.clk_i, .rst_ni(rst_n), .choice_i(warps_i));
endmodule

/// A user of the block that meets the contract but is otherwise unconstrained.
module scoreboard_user #(
  parameter int unsigned Masks   = 1,
  localparam int unsigned Inputs = 22
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [Inputs-1:0] choice_i
);
  localparam int unsigned Warps = 2, Entries = 3, RegW = 2, Lanes = 2, ReadPorts = 2, WritePorts = 2;
  localparam int unsigned Regs = 4;
`include "scoreboard_codes.svh"

  logic                       req_valid, req_warp, req_continue, req_memory, rsp_take;
  logic [2:0]                 req_op;
  logic [Lanes-1:0]           req_lanes;
  logic [ReadPorts-1:0]       look_valid, look_write;
  logic [ReadPorts*RegW-1:0]  look_reg;
  logic [WritePorts-1:0]      dst_valid;
  logic [WritePorts*RegW-1:0] dst_reg;
  logic [1:0]                 req_slot;
  // The ports of CHECK and of RESERVE and RELEASE are never used at the same time: one choice for both.
  assign {req_valid, req_warp, req_continue, req_memory, rsp_take, req_op, req_lanes, look_valid, look_write,
          look_reg, req_slot, dst_valid} = choice_i;
  assign dst_reg = look_reg;

  logic                     req_ready, rsp_valid, entry_valid, entry_memory;
  logic [1:0]               hazard, rsp_count;
  logic [RegW-1:0]          entry_reg;
  logic [Lanes-1:0]         entry_lanes;
  logic [Entries-1:0]       set_valid, set_memory;
  logic [Entries*RegW-1:0]  set_reg;
  logic [Entries*Lanes-1:0] set_lanes;
  logic [4:0]               seen;
  (* anyconst *) logic watched;  // the warp whose set is observed
  scoreboard #(
    .Warps(Warps), .Entries(Entries), .RegW(RegW), .Lanes(Lanes), .Masks(Masks), .ReadPorts(ReadPorts),
    .WritePorts(WritePorts)
  ) u_dut (
    .clk_i, .rst_ni, .req_valid_i(req_valid), .req_ready_o(req_ready), .req_op_i(req_op), .req_warp_i(req_warp),
    .req_lanes_i(req_lanes), .req_look_valid_i(look_valid), .req_look_write_i(look_write),
    .req_look_reg_i(look_reg), .req_continue_i(req_continue), .req_dst_valid_i(dst_valid),
    .req_dst_reg_i(dst_reg), .req_memory_i(req_memory), .req_slot_i(req_slot), .rsp_valid_o(rsp_valid),
    .rsp_ready_i(rsp_take), .rsp_hazard_o(hazard), .rsp_count_o(rsp_count), .rsp_entry_valid_o(entry_valid),
    .rsp_entry_memory_o(entry_memory), .rsp_entry_reg_o(entry_reg), .rsp_entry_lanes_o(entry_lanes),
    .formal_warp_i(watched), .formal_valid_o(set_valid), .formal_memory_o(set_memory),
    .formal_reg_o(set_reg), .formal_lanes_o(set_lanes), .formal_seen_o(seen)
  );

  logic accept;
  assign accept = req_valid && req_ready;

  // ---- The reference: the watched warp's registers
  logic [Regs-1:0]       pending_q, memory_q;
  logic [Regs*Lanes-1:0] lanes_q;
  logic                  laneless_q;  // a reservation was made for no lanes
  logic [1:0]            count;
  always_comb begin
    count = '0;
    for (int unsigned r = 0; r < Regs; r++) count = count + 2'(pending_q[r]);
  end
  logic [Regs-1:0] destination;
  always_comb begin
    destination = '0;
    for (int unsigned w = 0; w < WritePorts; w++)
      for (int unsigned r = 0; r < Regs; r++)
        if (dst_valid[w] && dst_reg[w*RegW +: RegW] == RegW'(r)) destination[r] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q  <= '0;
      laneless_q <= 1'b0;
    end else if (accept && req_warp == watched) begin
      if (req_op == OpClear) pending_q <= '0;
      if (req_op == OpReserve && req_lanes == '0) laneless_q <= 1'b1;
      for (int unsigned r = 0; r < Regs; r++) begin
        if (req_op == OpReserve && destination[r]) begin
          pending_q[r] <= 1'b1;
          memory_q[r]  <= req_memory || (pending_q[r] && memory_q[r]);
          if (Masks != 0)
            lanes_q[r*Lanes +: Lanes] <= req_lanes | (pending_q[r] ? lanes_q[r*Lanes +: Lanes] : '0);
          else
            lanes_q[r*Lanes +: Lanes] <= '1;
        end
        if (req_op == OpRelease && destination[r]) begin
          lanes_q[r*Lanes +: Lanes] <= lanes_q[r*Lanes +: Lanes] & ~req_lanes;
          if (Masks == 0 || (lanes_q[r*Lanes +: Lanes] & ~req_lanes) == '0) pending_q[r] <= 1'b0;
        end
      end
    end
  end

  // ---- Its hazards, of all requests of an instruction
  logic       see_memory_q, see_alu_q, see_memory_d, see_alu_d;
  logic [2:0] see_new_q, see_new_d, writes_q, writes_d;
  always_comb begin
    see_memory_d = req_continue && see_memory_q;
    see_alu_d    = req_continue && see_alu_q;
    see_new_d    = req_continue ? see_new_q : '0;
    writes_d     = req_continue ? writes_q : '0;
    for (int unsigned p = 0; p < ReadPorts; p++)
      for (int unsigned r = 0; r < Regs; r++)
        if (look_valid[p] && look_reg[p*RegW +: RegW] == RegW'(r)) begin
          if (pending_q[r] && (lanes_q[r*Lanes +: Lanes] & req_lanes) != '0) begin
            if (memory_q[r]) see_memory_d = 1'b1;
            else see_alu_d = 1'b1;
          end
          if (look_write[p] && (Masks == 0 || !pending_q[r])) see_new_d = see_new_d + 1'b1;
          if (look_write[p]) writes_d = writes_d + 1'b1;
        end
  end

  // ---- The last request
  logic             asked = 1'b0, waiting = 1'b0, watched_q;
  logic [2:0]       op_q;
  logic             warp_q;
  logic [Lanes-1:0] req_lanes_q;
  logic [1:0]       slot_q, count_q, held_hazard_q, held_count_q;
  logic [1:0]       expected_q;
  always_ff @(posedge clk_i) begin
    asked         <= accept && rst_ni;
    waiting       <= rsp_valid && !rsp_take;
    held_hazard_q <= hazard;
    held_count_q  <= rsp_count;
    if (accept) begin
      op_q         <= req_op;
      warp_q       <= req_warp;
      req_lanes_q  <= req_lanes;
      slot_q       <= req_slot;
      count_q      <= count;
      see_memory_q <= see_memory_d;
      see_alu_q    <= see_alu_d;
      see_new_q    <= see_new_d;
      writes_q     <= writes_d;
      expected_q   <= see_memory_d ? HazardMemory
                    : see_alu_d    ? HazardAlu
                    : ({1'b0, count} + see_new_d > 3'(Entries)) ? HazardFull : HazardNone;
    end
  end
  assign watched_q = warp_q == watched;
  logic started_q;  // a request has been accepted
  always_ff @(posedge clk_i) started_q <= rst_ni && (started_q || accept);

  // ---- The user's contract
  logic [Regs-1:0] fresh;
  logic [1:0]      fresh_count;
  assign fresh = destination & ~pending_q;
  always_comb begin
    fresh_count = '0;
    for (int unsigned r = 0; r < Regs; r++) fresh_count = fresh_count + 2'(fresh[r]);
  end
  always @(posedge clk_i) begin
    assume (req_op <= OpRead);
    assume (req_slot < 2'(Entries));
    assume (rst_ni || !req_valid);
    // A register is on one port only.
    assume (!(&look_valid && look_reg[0 +: RegW] == look_reg[RegW +: RegW]));
    assume (!(&dst_valid && dst_reg[0 +: RegW] == dst_reg[RegW +: RegW]));
    // CHECK continues where the CHECK before stopped, and an instruction has no more destinations than
    // entries.
    if (req_continue) assume (started_q && op_q == OpCheck && warp_q == req_warp && req_lanes_q == req_lanes);
    assume (writes_d <= 3'(Entries));
    if (req_op == OpReserve && req_warp == watched) begin
      // RESERVE follows only a CHECK without hazard.
      assume ({1'b0, count} + {1'b0, fresh_count} <= 3'(Entries));
      if (Masks == 0) assume ((destination & pending_q) == '0);
    end
  end

  // ---- Properties
  always @(posedge clk_i) begin
    if (rst_ni) begin
      // Frame: accepted means answered in the next clock; an answer stays as it is until it is taken.
      assert (req_ready == (!rsp_valid || rsp_take));
      assert (rsp_valid == (asked || waiting));
      if (waiting) assert (hazard == held_hazard_q && rsp_count == held_count_q);

      for (int unsigned e = 0; e < Entries; e++) begin
        if (set_valid[e]) begin
          // Every entry is what the reference has of its register ...
          assert (pending_q[set_reg[e*RegW +: RegW]]);
          for (int unsigned r = 0; r < Regs; r++)
            if (set_reg[e*RegW +: RegW] == RegW'(r)) begin
              assert (set_memory[e] == memory_q[r]);
              assert (set_lanes[e*Lanes +: Lanes] == lanes_q[r*Lanes +: Lanes]);
            end
          // ... has lanes, unless it was reserved for none ...
          assert (set_lanes[e*Lanes +: Lanes] != '0 || laneless_q);
          // ... and is the only one.
          for (int unsigned other = 0; other < e; other++)
            assert (!set_valid[other] || set_reg[other*RegW +: RegW] != set_reg[e*RegW +: RegW]);
        end
      end
      // CHECK in parts: what the parts so far have seen.
      if (started_q && watched_q && op_q == OpCheck) assert (seen == {see_memory_q, see_alu_q, see_new_q});
      // Nothing is lost: as many entries as registers are pending.
      assert (2'(set_valid[0]) + 2'(set_valid[1]) + 2'(set_valid[2]) == count);
      assert (32'(pending_q[0]) + 32'(pending_q[1]) + 32'(pending_q[2]) + 32'(pending_q[3]) <= Entries);
    end
    if (rst_ni && asked && watched_q) begin
      assert (rsp_count == count_q);
      if (op_q == OpCheck) assert (hazard == expected_q);
      if (op_q == OpRead) begin
        assert (entry_valid == set_valid[slot_q]);
        if (entry_valid)
          assert (entry_reg == set_reg[slot_q*RegW +: RegW] && entry_memory == set_memory[slot_q] &&
                  entry_lanes == set_lanes[slot_q*Lanes +: Lanes]);
      end
    end
  end

  // ---- All of this happens: a full set; each hazard, of memory also by what an earlier part of the CHECK has seen;
  // a register that loses some of its lanes, and one that is reserved for more.
  logic continued_q;
  always_ff @(posedge clk_i) if (accept) continued_q <= req_continue;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      cover (32'(count) == Entries);
      cover (waiting);
    end
    if (rst_ni && asked && watched_q && op_q == OpCheck) begin
      cover (hazard == HazardNone && count_q != '0);
      cover (hazard == HazardAlu);
      cover (hazard == HazardMemory && continued_q);
      cover (hazard == HazardFull);
    end
  end
  if (Masks != 0) begin : gen_cover_masks
    always @(posedge clk_i) begin
      if (rst_ni && accept && req_warp == watched && pending_q[0] && destination[0]) begin
        cover (req_op == OpRelease && lanes_q[0 +: Lanes] == '1 && req_lanes == Lanes'(1));
        cover (req_op == OpReserve && req_lanes == Lanes'(2) && lanes_q[0 +: Lanes] == Lanes'(1));
      end
    end
  end

endmodule

`default_nettype wire
