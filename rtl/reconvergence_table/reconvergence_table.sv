// The reconvergence table (RT): per warp entries {PC, RPC, R-Index of the parent, RecMask, PendingMask}, the
// points at which diverged lanes wait for others, with a timer each ([AWARE] §5.1, §5.4.3; with spilled
// entries [AWARE] §5.5.2). Twin of models/simt/reconvergence_table.h, whose operations these are. README.md
// beside this file: theory of operation, ports, clocks.
//
// One request at a time. All operations are answered one clock after they are accepted, except FIRED, which
// visits one running timer per clock.

`default_nettype none

module reconvergence_table #(
  parameter int unsigned Warps    = 48,
  parameter int unsigned Entries  = 32,  // numbers of a warp: a power of two, 2..32
  parameter int unsigned Physical = Entries,  // entries of a warp held here; if fewer than Entries, the others are
                                         // in memory
  parameter int unsigned PcW      = 32,
  parameter int unsigned Lanes    = 32,
  parameter int unsigned FrameW   = 8,
  parameter int unsigned TimeW    = 32,
  parameter int unsigned Calls    = 1,   // 0: no frames and kinds, so no calls in diverged code
  parameter int unsigned Timers   = 1,   // 0: lanes wait forever
  localparam int unsigned WarpW   = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW     = $clog2(Entries),
  localparam int unsigned RecordW = 2 * PcW + 2 * Lanes
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // Configuration
  input  logic               cfg_victim_most_recent_i,  // [AWARE:A7]
  input  logic [TimeW-1:0]   cfg_timeout_i,             // 0: no timers

  // Request
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [3:0]         req_op_i,
  input  logic [WarpW-1:0]   req_warp_i,          // all but FIRED
  input  logic [IdW-1:0]     req_id_i,            // all but RESET, INSERT, EVICT, FIRED
  input  logic [Lanes-1:0]   req_lanes_i,         // ARRIVE, LEAVE
  input  logic [TimeW-1:0]   req_time_i,          // current time; FIRED: time of the last check of timers
  input  logic [PcW-1:0]     req_pc_i,            // INSERT, WRITE: of the entry; ARRIVE: where the lanes are
  input  logic [FrameW-1:0]  req_frame_i,         // from here on, INSERT, WRITE: the entry
  input  logic [1:0]         req_kind_i,
  input  logic               req_rpc_valid_i,
  input  logic [PcW-1:0]     req_rpc_i,
  input  logic [IdW-1:0]     req_index_i,
  input  logic [FrameW-1:0]  req_rpc_frame_i,
  input  logic [1:0]         req_rpc_kind_i,
  input  logic [Lanes-1:0]   req_rec_i,
  input  logic [Lanes-1:0]   req_pend_i,
  input  logic [RecordW-1:0] req_record_i,        // FILL

  // Response
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic               rsp_ok_o,            // as the model's `ok`
  output logic               rsp_in_use_o,        // READ: the number is in use; INSERT: rsp_id_o is valid
  output logic [WarpW-1:0]   rsp_warp_o,          // FIRED
  output logic [IdW-1:0]     rsp_id_o,            // INSERT, EVICT, FIRED
  output logic [PcW-1:0]     rsp_pc_o,            // READ, ARRIVE, LEAVE, GO_ALONE, EVICT: the entry
  output logic [FrameW-1:0]  rsp_frame_o,
  output logic [1:0]         rsp_kind_o,
  output logic               rsp_rpc_valid_o,
  output logic [PcW-1:0]     rsp_rpc_o,
  output logic [IdW-1:0]     rsp_index_o,
  output logic [FrameW-1:0]  rsp_rpc_frame_o,
  output logic [1:0]         rsp_rpc_kind_o,
  output logic [Lanes-1:0]   rsp_rec_o,
  output logic [Lanes-1:0]   rsp_pend_o,
  output logic [RecordW-1:0] rsp_record_o,        // EVICT
  output logic               rsp_timer_runs_o,    // INSERT, ARRIVE, LEAVE, GO_ALONE: the entry's timer
  output logic [TimeW-1:0]   rsp_deadline_o       // when it expires
`ifdef FORMAL
  , output logic formal_in_use_o    // the requested number is in use
  , output logic formal_resident_o  // its contents are held here
  , output logic formal_any_o       // the contents of some number are held here
  , output logic [$clog2(Warps*Entries+1)-1:0] formal_visits_o
`endif
);

  if (Entries < 2 || Entries > 32 || (Entries & (Entries - 1)) != 0 || Physical < 1 || Physical > Entries || PcW < 4) begin : gen_illegal
    $error("reconvergence_table: Entries: a power of two, 2 to 32; Physical: 1 to Entries; PcW: 4 or more");
  end

  typedef enum logic [3:0] {
    OpReset    = 4'd0,
    OpInsert   = 4'd1,
    OpRead     = 4'd2,
    OpWrite    = 4'd3,
    OpArrive   = 4'd4,
    OpLeave    = 4'd5,
    OpGoAlone  = 4'd6,
    OpFree     = 4'd7,
    OpEvict    = 4'd8,
    OpFill     = 4'd9,
    OpFired    = 4'd10,
    OpHasFired = 4'd11
  } op_e;

  typedef struct packed {
    logic [Lanes-1:0] pend;
    logic [Lanes-1:0] rec;
    logic [IdW-1:0]   index;
    logic             rpc_valid;
    logic [PcW-1:0]   rpc;
    logic [PcW-1:0]   pc;  // all ones: not known yet
  } entry_t;
  typedef struct packed {
    logic [FrameW-1:0] frame;
    logic [1:0]        kind;
    logic [FrameW-1:0] rpc_frame;
    logic [1:0]        rpc_kind;
  } call_t;

  // A spill record's words: {R-Index bits 2..0, PC}, {no parent, R-Index bits 4..3, RPC}, RecMask, PendingMask.
  localparam int unsigned SpillPcW = PcW - 3;

`ifdef FORMAL
  // Any number of any warp
  (* anyconst *) logic [WarpW-1:0] watched_warp;
  (* anyconst *) logic [IdW-1:0]   watched_id;
  logic [((Physical > 1) ? $clog2(Physical) : 1)-1:0] watched_slot;
  logic watched_in_use, watched_resident, watched_running, watched_fired;
  logic [TimeW-1:0] watched_deadline;
`endif

  logic accept, start_search, searching, search_done, done;
  assign req_ready_o  = !searching && (!rsp_valid_o || rsp_ready_i);
  assign accept       = req_valid_i && req_ready_o;
  assign start_search = accept && req_op_i == OpFired;
  assign done         = (accept && !start_search) || search_done;

  // ---- Operations
  logic any_number;  // that is free
  logic room;        // for contents: a free entry
  logic op_reset, op_insert, op_free, op_evict, op_fill, op_update;
  assign op_reset  = accept && req_op_i == OpReset;
  assign op_insert = accept && req_op_i == OpInsert && any_number;
  assign op_free   = accept && req_op_i == OpFree;
  assign op_evict  = accept && req_op_i == OpEvict;
  assign op_fill   = accept && req_op_i == OpFill && room;
  assign op_update = accept && (req_op_i == OpArrive || req_op_i == OpLeave || req_op_i == OpGoAlone);

  // ---- Numbers
  logic           in_use;
  logic [IdW-1:0] top, id;
  reconvergence_numbers #(
    .Warps(Warps), .Entries(Entries)
  ) u_numbers (
    .clk_i, .rst_ni,
    .warp_i(req_warp_i), .id_i(req_id_i),
    .clear_i(op_reset), .take_i(op_insert), .give_i(op_free),
    .any_o(any_number), .top_o(top), .in_use_o(in_use)
`ifdef FORMAL
    , .formal_warp_i(watched_warp), .formal_id_i(watched_id), .formal_in_use_o(watched_in_use)
`endif
  );
  assign id = (req_op_i == OpInsert) ? top : req_id_i;

  // ---- Slots: a warp's slot in the memory of entries
  localparam int unsigned SlotW = (Physical > 1) ? $clog2(Physical) : 1;
  localparam int unsigned RowW  = (Warps * Physical > 1) ? $clog2(Warps * Physical) : 1;
  logic             hit;
  logic [IdW-1:0]   victim;
  logic [SlotW-1:0] slot, read_slot;  // to be written, and read: an INSERT, whose number is found in this clock, reads nothing
  logic [RowW-1:0]  row, read_row;
  if (Physical < Entries) begin : gen_virtual
    logic any_resident;
    assign read_slot = slot;
`ifdef FORMAL
    assign formal_any_o = any_resident;
`endif
    logic insert_here;
    assign insert_here = op_insert && room;
    reconvergence_slots #(
      .Warps(Warps), .Entries(Entries), .Slots(Physical)
    ) u_slots (
      .clk_i, .rst_ni,
      .warp_i(req_warp_i), .id_i(id),
      .clear_i(op_reset), .take_i(insert_here || op_fill), .drop_i(op_free),
      .touch_i(op_update || (accept && req_op_i == OpWrite)), .evict_i(op_evict && any_resident),
      .most_recent_i(cfg_victim_most_recent_i),
      .hit_o(hit), .room_o(room), .any_o(any_resident), .victim_o(victim), .slot_o(slot)
`ifdef FORMAL
      , .formal_warp_i(watched_warp), .formal_id_i(watched_id), .formal_hit_o(watched_resident),
      .formal_slot_o(watched_slot), .formal_written_i(accept && req_op_i >= OpWrite && req_op_i <= OpGoAlone)
`endif
    );
  end else begin : gen_all
    assign hit    = in_use;
    assign room   = 1'b1;
    assign victim = '0;
    assign slot   = SlotW'(id);
    assign read_slot = SlotW'(req_id_i);
    logic unused_victim;
    assign unused_victim = ^{cfg_victim_most_recent_i, op_evict};
`ifdef FORMAL
    assign formal_any_o     = 1'b1;
    assign watched_resident = watched_in_use;
    assign watched_slot     = SlotW'(watched_id);
`endif
  end
  assign row      = RowW'(32'(req_warp_i) * Physical + 32'(slot));
  assign read_row = RowW'(32'(req_warp_i) * Physical + 32'(read_slot));

  // ---- The entry, before and after
  entry_t entry, asked, filled, after;
  logic   write_entry;
  assign write_entry = (op_insert && room) || op_fill || (hit && (op_update || (accept && req_op_i == OpWrite)));

  assign asked.pc        = req_pc_i;
  assign asked.rpc       = req_rpc_i;
  assign asked.rpc_valid = req_rpc_valid_i;
  assign asked.index     = req_index_i;
  assign asked.rec       = req_rec_i;
  assign asked.pend      = req_pend_i;

  logic [5:0]       filled_index;  // its top bit: there is none
  logic [PcW-1:0]   filled_pc, filled_rpc;
  assign filled_pc    = req_record_i[0 +: PcW];
  assign filled_rpc   = req_record_i[PcW +: PcW];
  assign filled_index = {filled_rpc[PcW-1 -: 3], filled_pc[PcW-1 -: 3]};
  assign filled.pc        = {{3{&filled_pc[SpillPcW-1:0]}}, filled_pc[SpillPcW-1:0]};
  assign filled.rpc       = {{3{&filled_rpc[SpillPcW-1:0]}}, filled_rpc[SpillPcW-1:0]};
  assign filled.rpc_valid = !filled_index[5];
  assign filled.index     = IdW'(filled_index);
  logic unused_index;  // with fewer than 32 numbers
  assign unused_index = ^filled_index;
  assign filled.rec       = req_record_i[2*PcW +: Lanes];
  assign filled.pend      = req_record_i[2*PcW+Lanes +: Lanes];

  always_comb begin
    after = entry;
    unique case (req_op_i)
      OpInsert, OpWrite: after = asked;
      OpFill:            after = filled;
      OpArrive: begin
        after.pend = entry.pend & ~req_lanes_i;
        if (Calls != 0 && &entry.pc) after.pc = req_pc_i;
      end
      OpLeave: begin
        after.pend = entry.pend & ~req_lanes_i;
        after.rec  = entry.rec & ~req_lanes_i;
      end
      OpGoAlone:         after.rec = entry.pend;
      default: ;
    endcase
  end

  // Without calls, a parent's PC is known: its absence says that there is no parent.
  localparam int unsigned EntryW = 2 * PcW + IdW + 2 * Lanes + ((Calls != 0) ? 1 : 0);
  logic [EntryW-1:0] entry_mem [Warps*Physical];
  logic [EntryW-1:0] stored, stored_d;
  assign stored = entry_mem[read_row];
  always_ff @(posedge clk_i) begin
    if (write_entry) entry_mem[row] <= stored_d;
  end

  // Frames and kinds are held here for all numbers: a spill record has no bits for them.
  call_t call;
  if (Calls != 0) begin : gen_calls
    localparam int unsigned CallW = $clog2(Warps * Entries);
    logic [2*FrameW+3:0] call_mem [Warps*Entries];
    assign entry    = stored;
    assign stored_d = after;
    assign call     = call_mem[CallW'({req_warp_i, req_id_i})];
    always_ff @(posedge clk_i) begin
      if (op_insert || (accept && req_op_i == OpWrite))
        call_mem[CallW'({req_warp_i, id})] <= {req_frame_i, req_kind_i, req_rpc_frame_i, req_rpc_kind_i};
    end
  end else begin : gen_no_calls
    assign entry    = {stored[EntryW-1 -: 2*Lanes+IdW], !(&stored[PcW +: PcW]), stored[0 +: 2*PcW]};
    assign stored_d = {after.pend, after.rec, after.index, after.rpc, after.pc};
    assign call     = '0;
    logic unused_calls;
    assign unused_calls = ^{req_frame_i, req_kind_i, req_rpc_frame_i, req_rpc_kind_i, after.rpc_valid};
  end

  // ---- Timers
  logic             timer_runs, fired, found;
  logic [TimeW-1:0] deadline;
  logic [WarpW-1:0] found_warp;
  logic [IdW-1:0]   found_id;
  if (Timers != 0) begin : gen_timers
    // Lanes wait for others; the first time beyond the limit
    assign timer_runs = (after.rec & ~after.pend) != '0 && cfg_timeout_i != '0;
    reconvergence_deadline #(.TimeW(TimeW)) u_deadline (.now_i(req_time_i), .limit_i(cfg_timeout_i), .deadline_o(deadline));
    reconvergence_timers #(.Warps(Warps), .Entries(Entries), .TimeW(TimeW)) u_timers (
      .clk_i, .rst_ni,
      .warp_i(req_warp_i), .id_i(id),
      .clear_i(op_reset), .restart_i(op_insert || op_update || op_free), .run_i(timer_runs && !op_free),
      .deadline_i(rsp_deadline_o), .fired_o(fired),
      .search_i(start_search), .until_i(req_time_i), .busy_o(searching), .done_o(search_done),
      .found_o(found), .found_warp_o(found_warp), .found_id_o(found_id)
`ifdef FORMAL
      , .formal_warp_i(watched_warp), .formal_id_i(watched_id), .formal_running_o(watched_running),
      .formal_fired_o(watched_fired), .formal_deadline_o(watched_deadline), .formal_visits_o
`endif
    );
  end else begin : gen_no_timers
    assign timer_runs  = 1'b0;
    assign deadline    = '0;
    assign searching   = 1'b0;
    assign search_done = start_search;
    assign fired       = 1'b0;
    assign found       = 1'b0;
    assign found_warp  = '0;
    assign found_id    = '0;
    logic unused_timers;
    assign unused_timers = ^{cfg_timeout_i, req_time_i};
`ifdef FORMAL
    assign {watched_running, watched_fired, watched_deadline} = '0;
    assign formal_visits_o = '0;
`endif
  end

  // ---- Response
  entry_t shown;
  logic   ok;
  assign shown = (req_op_i == OpGoAlone) ? entry : after;
  always_comb begin
    unique case (req_op_i)
      OpInsert:   ok = any_number && room;
      OpRead:     ok = hit;
      OpFill:     ok = room;
      OpHasFired: ok = fired;
      default:    ok = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    // Of this clock, whether a search ends in it or goes on: the answer counts once it is valid.
    if (accept || searching) begin
      rsp_ok_o         <= searching || req_op_i == OpFired ? found : ok;
      rsp_in_use_o     <= (req_op_i == OpInsert) ? any_number : in_use;
      rsp_warp_o       <= found_warp;
      rsp_id_o         <= searching ? found_id : (req_op_i == OpEvict) ? victim : id;
      rsp_pc_o         <= shown.pc;
      rsp_rpc_o        <= shown.rpc;
      rsp_rpc_valid_o  <= shown.rpc_valid;
      rsp_index_o      <= shown.index;
      rsp_rec_o        <= shown.rec;
      rsp_pend_o       <= shown.pend;
      rsp_frame_o      <= call.frame;
      rsp_kind_o       <= call.kind;
      rsp_rpc_frame_o  <= call.rpc_frame;
      rsp_rpc_kind_o   <= call.rpc_kind;
      rsp_timer_runs_o <= timer_runs;
      rsp_deadline_o   <= deadline;
    end
  end
  logic [5:0] spilled_index;
  assign spilled_index = rsp_rpc_valid_o ? 6'(rsp_index_o) : 6'b100000;
  assign rsp_record_o  = {rsp_pend_o, rsp_rec_o, spilled_index[5:3], rsp_rpc_o[SpillPcW-1:0],
                          spilled_index[2:0], rsp_pc_o[SpillPcW-1:0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rsp_valid_o <= 1'b0;
    else if (done) rsp_valid_o <= 1'b1;
    else if (rsp_ready_i) rsp_valid_o <= 1'b0;
  end

`ifdef FORMAL
  // The watched number is arbitrary, so its properties hold for all. Its entry has its last written contents,
  // even after a spill: memory returns what was stored.
  localparam int unsigned NumberW = $clog2(Warps * Entries);
  logic                   is_watched, is_victim;
  logic [NumberW-1:0]     watched;
  entry_t                 shadow_q, shadow_d, before_q, watched_entry;
  logic [2*FrameW+3:0]    shadow_call_q;
  logic                   read_q, evicted_q;  // is the answer
  assign watched       = NumberW'({watched_warp, watched_id});
  assign is_watched    = req_warp_i == watched_warp && id == watched_id;
  assign is_victim     = req_warp_i == watched_warp && victim == watched_id;
  logic [EntryW-1:0]      watched_stored;
  assign watched_stored = entry_mem[RowW'(32'(watched_warp) * Physical + 32'(watched_slot))];
  if (Calls != 0) begin : gen_watched_calls
    assign watched_entry = watched_stored;
    always_comb begin
      if (rst_ni && watched_in_use) assert (gen_calls.call_mem[watched] == shadow_call_q);
    end
  end else begin : gen_watched_no_calls
    assign watched_entry = {watched_stored[EntryW-1 -: 2*Lanes+IdW], !(&watched_stored[PcW +: PcW]), watched_stored[0 +: 2*PcW]};
  end
  wire [5:0] shadow_index = shadow_q.rpc_valid ? 6'(shadow_q.index) : 6'b100000;
  // Its timer: restarted by INSERT and by what changes the entry, stopped otherwise, and when FIRED finds it.
  logic                   run_q, fired_q, restarts, found_watched;
  logic                   updated_q, inserted_q, alone_q, has_q;  // is the answer
  logic [TimeW-1:0]       deadline_q;
  assign restarts      = is_watched && (op_insert || op_update);
  assign found_watched = search_done && found && found_warp == watched_warp && found_id == watched_id;
  always_comb begin
    shadow_d = shadow_q;
    if (is_watched && (op_insert || (accept && req_op_i == OpWrite))) shadow_d = asked;
    if (is_watched && op_update) begin
      if (req_op_i != OpGoAlone) shadow_d.pend = shadow_q.pend & ~req_lanes_i;
      if (req_op_i == OpLeave)   shadow_d.rec  = shadow_q.rec & ~req_lanes_i;
      if (req_op_i == OpGoAlone) shadow_d.rec  = shadow_q.pend;
      if (req_op_i == OpArrive && Calls != 0 && &shadow_q.pc) shadow_d.pc = req_pc_i;
    end
  end
  always_ff @(posedge clk_i) begin
    shadow_q <= shadow_d;
    if (is_watched && (op_insert || (accept && req_op_i == OpWrite)))
      shadow_call_q <= (Calls != 0) ? {req_frame_i, req_kind_i, req_rpc_frame_i, req_rpc_kind_i} : '0;
    if (restarts) begin
      run_q      <= (shadow_d.rec & ~shadow_d.pend) != '0 && cfg_timeout_i != '0 && Timers != 0;
      deadline_q <= (Timers != 0) ? req_time_i + cfg_timeout_i + 1'b1 : '0;
      before_q   <= shadow_q;
    end
    if (!rst_ni || found_watched || (op_free && is_watched) || (op_reset && req_warp_i == watched_warp)) run_q <= 1'b0;
    if (found_watched) fired_q <= 1'b1;
    else if (restarts) fired_q <= 1'b0;
    if (accept) begin
      read_q     <= is_watched && req_op_i == OpRead;
      evicted_q  <= op_evict && is_victim;
      updated_q  <= is_watched && op_update;
      inserted_q <= is_watched && op_insert;
      alone_q    <= req_op_i == OpGoAlone;
      has_q      <= is_watched && req_op_i == OpHasFired;
    end
  end
  reconvergence_answers #(.WarpW(WarpW), .IdW(IdW)) u_answers (.*);
  assign formal_in_use_o   = in_use;
  assign formal_resident_o = hit;
  always_comb begin
    assume (watched_warp < Warps);
    if (is_watched && op_fill)
      assume (req_record_i == {shadow_q.pend, shadow_q.rec, shadow_index[5:3], shadow_q.rpc[SpillPcW-1:0],
                               shadow_index[2:0], shadow_q.pc[SpillPcW-1:0]});
    if (rst_ni) begin
      assert (!(searching && rsp_valid_o));
      if (searching) assert ({read_q, evicted_q, updated_q, inserted_q, has_q} == '0);
      assert (!watched_resident || watched_in_use);
      assert (!watched_running || watched_in_use);
      assert (watched_running == run_q);
      if (watched_running) assert (watched_deadline == deadline_q);
      if (watched_in_use) assert (watched_fired == fired_q);
      if (rsp_valid_o && has_q) assert (rsp_ok_o == fired_q);
      if (rsp_valid_o && (updated_q || inserted_q)) assert (rsp_timer_runs_o == run_q && rsp_deadline_o == deadline_q);
      if (rsp_valid_o && updated_q)
        assert ({rsp_pend_o, rsp_rec_o, rsp_index_o, rsp_rpc_valid_o, rsp_rpc_o, rsp_pc_o} ==
                (alone_q ? before_q : shadow_q));
      if (watched_in_use) begin
        assert ((shadow_q.pend & ~shadow_q.rec) == '0);
        // It fits a spill record: a PC has three bits fewer, or is all ones; without a parent the index is 0.
        assert (&shadow_q.pc || (shadow_q.pc[PcW-1 -: 3] == '0 && !(&shadow_q.pc[PcW-4:0])));
        assert (&shadow_q.rpc || (shadow_q.rpc[PcW-1 -: 3] == '0 && !(&shadow_q.rpc[PcW-4:0])));
        assert (shadow_q.rpc_valid || shadow_q.index == '0);
        if (Calls == 0) assert (shadow_q.rpc_valid == !(&shadow_q.rpc));
      end
      if (watched_resident) assert (watched_entry == shadow_q);
      if (rsp_valid_o && read_q && rsp_ok_o) begin
        assert (rsp_in_use_o);
        assert ({rsp_pend_o, rsp_rec_o, rsp_index_o, rsp_rpc_valid_o, rsp_rpc_o, rsp_pc_o} == shadow_q);
        assert ({rsp_frame_o, rsp_kind_o, rsp_rpc_frame_o, rsp_rpc_kind_o} == shadow_call_q);
      end
      if (rsp_valid_o && evicted_q) begin
        assert (!watched_resident);
        assert (rsp_id_o == watched_id);
        assert (rsp_record_o == {shadow_q.pend, shadow_q.rec, shadow_index[5:3], shadow_q.rpc[SpillPcW-1:0],
                                 shadow_index[2:0], shadow_q.pc[SpillPcW-1:0]});
      end
    end
  end
`endif

endmodule

`default_nettype wire
