// The splits table (ST): per warp the splits {PC, RPC, R-Index, active mask} by number ([AWARE] §5.1);
// with fewer physical entries than numbers the contents of the others are in memory ([AWARE] §5.5.2). Twin of
// models/simt/split_table.h, whose operations these are. README.md beside this file: theory of operation,
// ports, clocks.
//
// One request at a time. All operations answer one clock after they are accepted, but for MATCH, which visits
// the entries that may match one a clock.

`default_nettype none

module split_table #(
  parameter int unsigned Warps    = 48,
  parameter int unsigned Entries  = 32,  // numbers of a warp: a power of two, at most 32
  parameter int unsigned Physical = Entries,  // entries of a warp that are here; Entries: no EVICT, no FILL
  parameter int unsigned PcW      = 32,  // instruction numbers; all ones: none
  parameter int unsigned Lanes    = 32,
  parameter int unsigned Calls    = 1,   // 0: no call frames and kinds of points
  parameter int unsigned FrameW   = 16,  // call frames
  parameter int unsigned Match    = 1,   // 0: no MATCH, no blocked splits
  localparam int unsigned WarpW   = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW     = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int unsigned RecordW = 2 * 32 + Lanes
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // Request
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [2:0]         req_op_i,
  input  logic [WarpW-1:0]   req_warp_i,
  input  logic [IdW-1:0]     req_id_i,         // all but RESET, INSERT
  input  logic               req_id_valid_i,   // MATCH: leave out req_id_i
  // The split: INSERT, WRITE; MATCH: without its mask and blocked
  input  logic [PcW-1:0]     req_pc_i,
  input  logic [PcW-1:0]     req_rpc_pc_i,
  input  logic               req_rpc_valid_i,  // it has a point to go to; with Calls 0: where req_rpc_pc_i is one
  input  logic [IdW-1:0]     req_r_index_i,
  input  logic [Lanes-1:0]   req_mask_i,
  input  logic [FrameW-1:0]  req_frame_i,
  input  logic [FrameW-1:0]  req_rpc_frame_i,
  input  logic [1:0]         req_rpc_kind_i,
  input  logic               req_blocked_i,
  input  logic [RecordW-1:0] req_record_i,     // FILL

  // Response
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic               rsp_ok_o,         // INSERT, READ, FILL: it has a physical entry; MATCH: there is one
  output logic               rsp_in_use_o,     // READ: the number is in use
  output logic [IdW-1:0]     rsp_id_o,         // INSERT, MATCH
  // The split: READ and MATCH, if ok
  output logic [PcW-1:0]     rsp_pc_o,
  output logic [PcW-1:0]     rsp_rpc_pc_o,
  output logic               rsp_rpc_valid_o,
  output logic [IdW-1:0]     rsp_r_index_o,
  output logic [Lanes-1:0]   rsp_mask_o,
  output logic [FrameW-1:0]  rsp_frame_o,
  output logic [FrameW-1:0]  rsp_rpc_frame_o,
  output logic [1:0]         rsp_rpc_kind_o,
  output logic               rsp_blocked_o,
  output logic [RecordW-1:0] rsp_record_o      // EVICT
`ifdef FORMAL
  // A look at one warp for the properties of formal/.
  ,
  input  logic [WarpW-1:0]   formal_warp_i,
  input  logic [IdW-1:0]     formal_id_i,
  output logic [Entries-1:0] formal_valid_o,
  output logic [Entries-1:0] formal_resident_o,
  output logic [Entries-1:0] formal_blocked_o,
  output logic               formal_unique_o,    // no number has two entries
  output logic [2*PcW+IdW+Lanes:0] formal_entry_o,  // of formal_id_i: {mask, r_index, rpc_valid, rpc_pc, pc}
  output logic [2*FrameW+1:0] formal_side_o,
  output logic               formal_busy_o,
  output logic [WarpW-1:0]   formal_busy_warp_o,
  output logic [Entries-1:0] formal_todo_o
`endif
);

  if (Entries < 2 || Entries > 32 || (Entries & (Entries - 1)) != 0 || Physical < 1 || Physical > Entries) begin : gen_illegal
    $error("split_table: Entries: a power of two up to 32; Physical: 1 to Entries");
  end

  typedef enum logic [2:0] {
    OpReset  = 3'd0,
    OpInsert = 3'd1,
    OpRead   = 3'd2,
    OpWrite  = 3'd3,
    OpFree   = 3'd4,
    OpEvict  = 3'd5,
    OpFill   = 3'd6,
    OpMatch  = 3'd7
  } op_e;

  localparam int unsigned SlotW      = (Physical > 1) ? $clog2(Physical) : 1;
  localparam int unsigned EntryW     = 2 * PcW + IdW + Lanes + ((Calls != 0) ? 1 : 0);
  localparam int unsigned EntryAddrW = (Warps * Physical > 1) ? $clog2(Warps * Physical) : 1;
  localparam int unsigned SideW      = 2 * FrameW + 2;
  localparam int unsigned SideAddrW  = (Warps * Entries > 1) ? $clog2(Warps * Entries) : 1;
  localparam int unsigned RecordPcW  = 29;  // two words of {3 bits of the R-Index, PC}

  // ---- Numbers in use: a register, as it is reset.
  logic [Warps*Entries-1:0] valid_q;

  // ---- The request being served: from the pins, or kept while MATCH visits entries.
  logic               busy_q;
  logic [WarpW-1:0]   warp_q;
  logic [Entries-1:0] todo_q;  // entries not visited yet

  logic accept;
  assign req_ready_o = !busy_q && (!rsp_valid_o || rsp_ready_i);
  assign accept      = req_valid_i && req_ready_o;

  logic is_insert, is_write, is_fill, is_match;
  assign is_insert = accept && req_op_i == OpInsert;
  assign is_write  = accept && req_op_i == OpWrite;
  assign is_fill   = accept && req_op_i == OpFill;
  assign is_match  = accept && req_op_i == OpMatch;

  logic [WarpW-1:0]   warp;
  logic [Entries-1:0] valid;
  assign warp  = busy_q ? warp_q : req_warp_i;
  assign valid = valid_q[warp*Entries +: Entries];

  // The lowest number that is not in use, and the next entry to visit.
  logic [Entries-1:0] free_onehot, visit_onehot;
  logic [IdW-1:0]     free_id, visit;
  assign free_onehot  = ~valid & (valid + 1'b1);
  assign visit_onehot = todo_q & (~todo_q + 1'b1);
  always_comb begin
    free_id = '0;
    visit   = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (free_onehot[i]) free_id = free_id | IdW'(i);
      if (visit_onehot[i]) visit = visit | IdW'(i);
    end
  end

  // The number whose entry is looked at; the one that is written or answered. What is read does not wait for a free number.
  logic [IdW-1:0]     looked, id;
  logic [Entries-1:0] req_onehot;
  assign looked     = busy_q ? visit : req_id_i;
  assign id         = !busy_q && req_op_i == OpInsert ? free_id : looked;
  assign req_onehot = Entries'(1) << req_id_i;

  // ---- Where its entry is. `found`: it has one in `slot`; `room`: `free_slot` is free.
  logic               found, room;
  logic [SlotW-1:0]   slot, free_slot;
  logic [Entries-1:0] resident;
  if (Physical == Entries) begin : gen_all_physical
    assign found     = (valid & req_onehot) != '0;
    assign slot      = looked;
    assign room      = req_op_i != OpFill;
    assign free_slot = free_id;
    assign resident  = valid;
`ifdef FORMAL
    assign formal_resident_o = formal_valid_o;
    assign formal_unique_o   = 1'b1;
`endif
  end else begin : gen_virtual
    // Each slot has the number of its split as a tag; a warp's tags are one row, compared at once.
    logic [Physical*IdW-1:0]   tag_mem [Warps];
    logic [Warps*Physical-1:0] used_q;
    logic [Physical*IdW-1:0]   tags, tags_d;
    logic [Physical-1:0]       used, used_d, hit, free_slot_onehot;
    assign tags = tag_mem[warp];
    assign used = used_q[warp*Physical +: Physical];
    assign free_slot_onehot = ~used & (used + 1'b1);
    always_comb begin
      slot      = '0;
      free_slot = '0;
      resident  = '0;
      for (int unsigned s = 0; s < Physical; s++) begin
        hit[s] = used[s] && tags[s*IdW +: IdW] == looked;
        if (hit[s]) slot = slot | SlotW'(s);
        if (free_slot_onehot[s]) free_slot = free_slot | SlotW'(s);
        if (used[s]) resident = resident | (Entries'(1) << tags[s*IdW +: IdW]);
        tags_d[s*IdW +: IdW] = free_slot_onehot[s] ? id : tags[s*IdW +: IdW];
      end
    end
    assign found = hit != '0;
    assign room  = used != '1;

    always_comb begin
      unique case (req_op_i)
        OpReset:          used_d = '0;
        OpInsert, OpFill: used_d = used | free_slot_onehot;  // none if there is no room
        OpFree, OpEvict:  used_d = used & ~hit;
        default:          used_d = used;
      endcase
    end
    always_ff @(posedge clk_i) begin
      if ((is_insert || is_fill) && room) tag_mem[warp] <= tags_d;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        used_q <= '0;
      end else if (accept) begin
        for (int unsigned w = 0; w < Warps; w++)
          if (warp == WarpW'(w)) used_q[w*Physical +: Physical] <= used_d;
      end
    end
`ifdef FORMAL
    logic [Physical*IdW-1:0] formal_tags;
    logic [Physical-1:0]     formal_used;
    assign formal_tags = tag_mem[formal_warp_i];
    assign formal_used = used_q[formal_warp_i*Physical +: Physical];
    always_comb begin
      formal_resident_o = '0;
      formal_unique_o   = 1'b1;
      for (int unsigned s = 0; s < Physical; s++) begin
        if (formal_used[s]) begin
          if ((formal_resident_o & (Entries'(1) << formal_tags[s*IdW +: IdW])) != '0) formal_unique_o = 1'b0;
          formal_resident_o = formal_resident_o | (Entries'(1) << formal_tags[s*IdW +: IdW]);
        end
      end
    end
`endif
  end

  // ---- Records. Their PCs have 29 bits, all ones: none, which PcW bits have as all ones too.
  logic [PcW-1:0]       fill_pc, fill_rpc_pc;
  logic [RecordPcW-1:0] spill_pc, spill_rpc_pc;
  logic [5:0]           fill_index, spill_index;  // of the R-Index; bit 5: there is none
  assign fill_index = {req_record_i[63:61], req_record_i[31:29]};
  if (PcW > RecordPcW) begin : gen_wide_pc
    assign fill_pc      = {{(PcW-RecordPcW){&req_record_i[0 +: RecordPcW]}}, req_record_i[0 +: RecordPcW]};
    assign fill_rpc_pc  = {{(PcW-RecordPcW){&req_record_i[32 +: RecordPcW]}}, req_record_i[32 +: RecordPcW]};
    assign spill_pc     = rsp_pc_o[RecordPcW-1:0];
    assign spill_rpc_pc = rsp_rpc_pc_o[RecordPcW-1:0];
  end else if (PcW == RecordPcW) begin : gen_equal_pc
    assign fill_pc      = req_record_i[0 +: RecordPcW];
    assign fill_rpc_pc  = req_record_i[32 +: RecordPcW];
    assign spill_pc     = rsp_pc_o;
    assign spill_rpc_pc = rsp_rpc_pc_o;
  end else begin : gen_narrow_pc
    assign fill_pc      = req_record_i[0 +: PcW];
    assign fill_rpc_pc  = req_record_i[32 +: PcW];
    assign spill_pc     = {{(RecordPcW-PcW){&rsp_pc_o}}, rsp_pc_o};
    assign spill_rpc_pc = {{(RecordPcW-PcW){&rsp_rpc_pc_o}}, rsp_rpc_pc_o};
    logic unused_record;
    assign unused_record = ^{req_record_i[PcW +: RecordPcW-PcW], req_record_i[32+PcW +: RecordPcW-PcW]};
  end
  assign spill_index  = {!rsp_rpc_valid_o, 5'(rsp_r_index_o)};
  assign rsp_record_o = {rsp_mask_o, spill_index[5:3], spill_rpc_pc, spill_index[2:0], spill_pc};
  if (IdW < 5) begin : gen_unused_index
    logic unused_index;
    assign unused_index = ^fill_index[4:IdW];
  end

  // ---- What is written. Without a point the R-Index is 0, so that entries can be compared bit by bit.
  logic [PcW-1:0]   in_pc, in_rpc_pc;
  logic             in_rpc_valid;
  logic [IdW-1:0]   in_r_index;
  logic [Lanes-1:0] in_mask;
  logic             filling;
  assign filling    = req_op_i == OpFill;
  assign in_pc      = filling ? fill_pc : req_pc_i;
  assign in_rpc_pc  = filling ? fill_rpc_pc : req_rpc_pc_i;
  assign in_r_index = (filling ? fill_index[IdW-1:0] : req_r_index_i) & {IdW{in_rpc_valid}};
  assign in_mask    = filling ? req_record_i[64 +: Lanes] : req_mask_i;
  if (Calls != 0) begin : gen_in_calls
    assign in_rpc_valid = filling ? !fill_index[5] : req_rpc_valid_i;
  end else begin : gen_in_no_calls
    assign in_rpc_valid = in_rpc_pc != '1;
    logic unused_in;
    assign unused_in = ^{fill_index[5], req_rpc_valid_i, req_frame_i, req_rpc_frame_i, req_rpc_kind_i};
  end

  // ---- The entry memory
  logic                  write_entry;
  logic [SlotW-1:0]      entry_slot;
  logic [EntryAddrW-1:0] entry_addr, seen_addr;
  logic [EntryW-1:0]     entry_d, entry;
`ifdef FORMAL
  logic [EntryAddrW-1:0] formal_addr;
  logic [EntryW-1:0]     formal_entry;
`endif
  assign write_entry = ((is_insert || is_fill) && room) || (is_write && found);
  assign entry_slot  = (!busy_q && (req_op_i == OpInsert || filling)) ? free_slot : slot;
  assign entry_addr  = EntryAddrW'(warp) * EntryAddrW'(Physical) + EntryAddrW'(entry_slot);
  assign seen_addr   = EntryAddrW'(warp) * EntryAddrW'(Physical) + EntryAddrW'(slot);
  late_words #(.Words(Warps * Physical), .Width(EntryW)) u_entries (
    .clk_i, .write_i(write_entry), .write_addr_i(entry_addr), .write_data_i(entry_d), .read_addr_i(seen_addr), .read_data_o(entry)
`ifdef FORMAL
    , .formal_addr_i(formal_addr), .formal_data_o(formal_entry)
`endif
  );

  logic [PcW-1:0]   pc, rpc_pc;
  logic             rpc_valid;
  logic [IdW-1:0]   r_index;
  logic [Lanes-1:0] mask;
  if (Calls != 0) begin : gen_entry_calls
    assign entry_d = {in_mask, in_r_index, in_rpc_valid, in_rpc_pc, in_pc};
    assign {mask, r_index, rpc_valid, rpc_pc, pc} = entry;
  end else begin : gen_entry_no_calls
    assign entry_d = {in_mask, in_r_index, in_rpc_pc, in_pc};
    assign {mask, r_index, rpc_pc, pc} = entry;
    assign rpc_valid = rpc_pc != '1;
  end

  // ---- Call frames and kinds stay here for all numbers, whether their entries are physical or not.
  logic             write_side;
  logic [SideW-1:0] side;      // {kind of the point, its frame, frame of the split}
  logic [SideW-1:0] rsp_side_q;
  assign write_side = is_insert || is_write;
  if (Calls != 0) begin : gen_side
    logic [SideAddrW-1:0] row;  // of the warp
    assign row = SideAddrW'(warp) * SideAddrW'(Entries);
    late_words #(.Words(Warps * Entries), .Width(SideW)) u_sides (
      .clk_i, .write_i(write_side), .write_addr_i(row + SideAddrW'(id)), .write_data_i({req_rpc_kind_i, req_rpc_frame_i, req_frame_i}),
      .read_addr_i(row + SideAddrW'(looked)), .read_data_o(side)
`ifdef FORMAL
      , .formal_addr_i(SideAddrW'(formal_warp_i) * SideAddrW'(Entries) + SideAddrW'(formal_id_i)), .formal_data_o(formal_side_o)
`endif
    );
    always_ff @(posedge clk_i) begin
      if (accept) rsp_side_q <= is_match ? {req_rpc_kind_i, req_rpc_frame_i, req_frame_i} : side;
    end
  end else begin : gen_no_side
    assign side       = '0;
    assign rsp_side_q = '0;
    logic unused_side;
    assign unused_side = ^{write_side, side};
`ifdef FORMAL
    assign formal_side_o = '0;
`endif
  end
  assign {rsp_rpc_kind_o, rsp_rpc_frame_o, rsp_frame_o} = rsp_side_q;

  // ---- MATCH: visits the entries that are neither blocked nor req_id_i, the lowest number first, and stops
  // at the first with the PC, frame and point that it is looking for. It keeps these in the response's
  // registers, where they are to be in the end.
  logic               start_match, same;
  logic [Entries-1:0] todo_d;
  logic               blocked;  // req_id_i is
  if (Match != 0) begin : gen_match
    logic [Entries-1:0] blocked_mem [Warps];
    logic [Entries-1:0] blocked_row, blocked_row_d, written_onehot, candidates;
    assign blocked_row    = blocked_mem[warp];
    assign blocked        = (blocked_row & req_onehot) != '0;
    assign written_onehot = (req_op_i == OpInsert) ? free_onehot : req_onehot;
    assign blocked_row_d  = (blocked_row & ~written_onehot) | ({Entries{req_blocked_i}} & written_onehot);
    assign candidates     = resident & ~blocked_row & ~(req_onehot & {Entries{req_id_valid_i}});
    assign todo_d         = todo_q & ~visit_onehot;
    always_ff @(posedge clk_i) begin
      if (write_side) blocked_mem[warp] <= blocked_row_d;
    end
    assign start_match = is_match && candidates != '0;
    assign same        = pc == rsp_pc_o && rpc_pc == rsp_rpc_pc_o && rpc_valid == rsp_rpc_valid_o &&
                         r_index == rsp_r_index_o && side == rsp_side_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy_q <= 1'b0;
        todo_q <= '0;
      end else if (start_match) begin
        busy_q <= 1'b1;
        todo_q <= candidates;
      end else if (busy_q) begin
        busy_q <= !same && todo_d != '0;
        todo_q <= todo_d;
      end
    end
    always_ff @(posedge clk_i) begin
      if (accept) warp_q <= req_warp_i;
    end
`ifdef FORMAL
    assign formal_blocked_o = blocked_mem[formal_warp_i];
`endif
  end else begin : gen_no_match
    assign busy_q      = 1'b0;
    assign todo_q      = '0;
    assign todo_d      = '0;
    assign warp_q      = '0;
    assign start_match = 1'b0;
    assign same        = 1'b0;
    assign blocked     = 1'b0;
    logic unused_match;
    assign unused_match = ^{req_id_valid_i, req_blocked_i, resident};
`ifdef FORMAL
    assign formal_blocked_o = '0;
`endif
  end

  // ---- Response
  logic done;
  assign done = busy_q ? (same || todo_d == '0) : (accept && !start_match);

  always_ff @(posedge clk_i) begin
    if (accept) begin
      rsp_in_use_o    <= (valid & req_onehot) != '0;
      rsp_pc_o        <= is_match ? in_pc : pc;
      rsp_rpc_pc_o    <= is_match ? in_rpc_pc : rpc_pc;
      rsp_rpc_valid_o <= is_match ? in_rpc_valid : rpc_valid;
      rsp_r_index_o   <= is_match ? in_r_index : r_index;
      rsp_blocked_o   <= blocked && !is_match;
    end
    if (accept || busy_q) begin
      rsp_id_o   <= id;
      rsp_mask_o <= mask;
    end
    if (busy_q) begin
      rsp_ok_o <= same;
    end else if (accept) begin
      unique case (req_op_i)
        OpInsert, OpFill: rsp_ok_o <= room;
        OpRead:           rsp_ok_o <= found;
        default:          rsp_ok_o <= 1'b0;
      endcase
    end
  end

  logic [Entries-1:0] valid_d;
  always_comb begin
    unique case (req_op_i)
      OpReset:  valid_d = '0;
      OpInsert: valid_d = valid | free_onehot;
      OpFree:   valid_d = valid & ~req_onehot;
      default:  valid_d = valid;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      for (int unsigned w = 0; w < Warps; w++)
        if (accept && warp == WarpW'(w)) valid_q[w*Entries +: Entries] <= valid_d;
      if (done) rsp_valid_o <= 1'b1;
      else if (rsp_ready_i) rsp_valid_o <= 1'b0;
    end
  end

`ifdef FORMAL
  // formal_entry_o: what is in the entry of formal_id_i, found without the logic above.
  if (Physical == Entries) begin : gen_formal_all
    assign formal_addr = EntryAddrW'(formal_warp_i) * EntryAddrW'(Physical) + EntryAddrW'(formal_id_i);
  end else begin : gen_formal_virtual
    always_comb begin
      formal_addr = '0;
      for (int unsigned s = 0; s < Physical; s++) begin
        if (gen_virtual.formal_used[s] && gen_virtual.formal_tags[s*IdW +: IdW] == formal_id_i)
          formal_addr = EntryAddrW'(formal_warp_i) * EntryAddrW'(Physical) + EntryAddrW'(s);
      end
    end
  end
  assign formal_valid_o     = valid_q[formal_warp_i*Entries +: Entries];
  assign formal_entry_o     = (Calls != 0) ? (2*PcW+IdW+Lanes+1)'(formal_entry)
                                           : {formal_entry[EntryW-1 -: Lanes+IdW], formal_entry[PcW +: PcW] != '1,
                                              formal_entry[0 +: 2*PcW]};
  assign formal_busy_o      = busy_q;
  assign formal_busy_warp_o = warp_q;
  assign formal_todo_o      = todo_q;
`endif

endmodule

`default_nettype wire
