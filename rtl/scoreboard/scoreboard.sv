// Scoreboard of one scheduler's warps: per warp a small set of registers with a pending write, with Masks also the lanes for
// which each of them is pending ([ElTantawy18] §2.1, [MultiPath] §7.2.2); and per issue group the dependence bits of the
// instruction at the head of its I-buffer, one for each entry of its warp. Twin of models/core/issue/scoreboard_unit.h.
// README.md beside this file: theory of operation, contract, ports.
//
// Clocked once per core cycle. A head is looked up once; write-backs clear its bits. All ports count from the next clock on.

`default_nettype none

module scoreboard #(
  parameter int unsigned Warps      = 24,
  parameter int unsigned Groups     = 1,   // issue groups of a warp
  parameter int unsigned Entries    = 8,   // pending registers of a warp
  parameter int unsigned RegW       = 8,   // bits of a register's number
  parameter int unsigned Lanes      = 32,
  parameter int unsigned Masks      = 0,   // 0: a register is pending for its warp; 1: for lanes
  parameter int unsigned ReadPorts  = 6,   // registers that a look-up compares
  parameter int unsigned WritePorts = 3,   // registers that a reservation or a release names
  parameter int unsigned Sources    = 2,   // of write-backs
  parameter int unsigned Debug      = 1,   // 0: no read-out of a set
  localparam int unsigned Slots     = Warps * Groups,
  localparam int unsigned WarpW     = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned SlotW     = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int unsigned CountW    = $clog2(Entries + 1)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  // I-buffers, a bit per issue group (warp * Groups + number)
  input  logic [Slots-1:0]                   head_i,   // there is an instruction at the head
  input  logic [Slots-1:0]                   drop_i,   // from the next clock on it is another one, or none
  input  logic [Warps-1:0]                   clear_i,  // the warp is a new one: nothing is pending, no head has been looked up

  // Look-up of a head that comes from fetch: one of those that have not been looked up, in turn
  output logic                               look_grant_valid_o,
  output logic [SlotW-1:0]                   look_grant_o,
  input  logic                               look_valid_i,      // of the group granted; registers, each once
  input  logic                               look_first_i,      // an instruction with more registers takes several clocks
  input  logic                               look_last_i,
  input  logic [Lanes-1:0]                   look_lanes_i,
  input  logic [ReadPorts-1:0]               look_used_i,
  input  logic [ReadPorts-1:0]               look_write_i,      // the instruction writes it
  input  logic [ReadPorts*RegW-1:0]          look_reg_i,

  // Issue: the head of the group is gone, and the one behind it is looked up as what the reservation leaves
  input  logic                               issue_valid_i,
  input  logic [SlotW-1:0]                   issue_i,
  input  logic                               next_valid_i,
  input  logic [Lanes-1:0]                   next_lanes_i,
  input  logic [ReadPorts-1:0]               next_used_i,
  input  logic [ReadPorts-1:0]               next_write_i,
  input  logic [ReadPorts*RegW-1:0]          next_reg_i,

  // Reservation: registers become pending
  input  logic                               reserve_valid_i,
  input  logic [WarpW-1:0]                   reserve_warp_i,
  input  logic [Lanes-1:0]                   reserve_lanes_i,
  input  logic                               reserve_memory_i,  // by a memory instruction
  input  logic [WritePorts-1:0]              reserve_used_i,
  input  logic [WritePorts*RegW-1:0]         reserve_reg_i,

  // Release: of the sources that have written registers, one is taken in a clock, in turn
  input  logic [Sources-1:0]                 release_valid_i,
  output logic [Sources-1:0]                 release_ready_o,
  input  logic [Sources*WarpW-1:0]           release_warp_i,
  input  logic [Sources*Lanes-1:0]           release_lanes_i,
  input  logic [Sources*WritePorts-1:0]      release_used_i,
  input  logic [Sources*WritePorts*RegW-1:0] release_reg_i,

  // Heads: looked up, may issue, wait for a register that a memory instruction / another one writes
  output logic [Slots-1:0]                   looked_o,
  output logic [Slots-1:0]                   ready_o,
  output logic [Slots-1:0]                   memory_o,
  output logic [Slots-1:0]                   alu_o,

  // Debug: the set of a warp; 0 without
  input  logic [WarpW-1:0]                   debug_warp_i,
  output logic [Entries-1:0]                 debug_valid_o,
  output logic [Entries-1:0]                 debug_memory_o,
  output logic [Entries*RegW-1:0]            debug_reg_o,
  output logic [Entries*Lanes-1:0]           debug_lanes_o
`ifdef FORMAL
  ,
  output logic [Warps*Entries-1:0]           formal_valid_o,
  output logic [Warps*Entries-1:0]           formal_memory_o,
  output logic [Warps*Entries*RegW-1:0]      formal_reg_o,
  output logic [Warps*Entries*Lanes-1:0]     formal_lanes_o,
  output logic [Slots*Entries-1:0]           formal_waits_o,
  output logic [Slots*Entries-1:0]           formal_has_o,
  output logic [Slots*CountW-1:0]            formal_writes_o,
  output logic [Slots-1:0]                   formal_behind_o,
  output logic [Sources-1:0]                 formal_turn_o
`endif
);

  if (Warps < 1 || Groups < 1 || (Groups & (Groups - 1)) != 0 || Entries < 1 || Masks > 1 || ReadPorts < 1 || WritePorts < 1 || Sources < 1) begin : gen_illegal
    $error("scoreboard: Warps, Groups, Entries, ports and Sources must be at least 1, Groups a power of two, Masks 0 or 1");
  end

  // Clocks from a request to what it changes.
  typedef enum logic [0:0] {
    LatencyLook    = 1'd1
  } latency_e;

  // Of each slot, whether one below it is in the set: of its neighbour, of two, of four, ...
  function automatic logic [Slots-1:0] above(input logic [Slots-1:0] set);
    above = set << 1;
    for (int unsigned d = 1; d < Slots; d = 2 * d) above = above | (above << d);
  endfunction
  function automatic logic [Sources-1:0] lowest_source(input logic [Sources-1:0] set);
    lowest_source = set & (~set + 1'b1);
  endfunction

  // ---- State. A warp's set is one row, since all its entries are searched at once.
  logic [Entries*RegW-1:0] reg_q    [Warps];
  logic [Entries-1:0]      memory_q [Warps];
  logic [Warps*Entries-1:0] valid_q, valid;    // registers: sets are cleared at once; without what the release before has ended:
  logic [Entries-1:0]      ends_q;
  logic [Warps-1:0]        ends_of_q;          // of this warp
  logic [Slots-1:0]        looked;             // the head has been looked up (scoreboard_head.sv)
  logic [Slots-1:0]        behind_q;           // look-up: groups whose turn comes first
  logic [Sources-1:0]      turn_q;             // release: sources whose turn comes first

  // ---- Look-up: the first group in turn whose head has not been looked up
  logic [Slots-1:0] wanting, first, above_first, granted;
  assign wanting            = head_i & ~looked;
  assign first              = wanting & behind_q;
  assign above_first        = first != '0 ? above(first) : above(wanting);
  assign granted            = (first != '0 ? first : wanting) & ~above_first;
  assign look_grant_valid_o = wanting != '0;
  always_comb begin
    look_grant_o = '0;
    for (int unsigned s = 0; s < Slots; s++)
      if (granted[s]) look_grant_o = look_grant_o | SlotW'(s);
  end
  logic look;
  assign look = look_valid_i && look_grant_valid_o;

  // Rows are read and written by a bit for each warp: of those that are in turn before their number is known.
  logic [WarpW-1:0] issue_warp;
  logic [Warps-1:0] look_of, issue_of, reserve_of, release_of;
  assign issue_warp = WarpW'(32'(issue_i) / Groups);
  always_comb begin
    release_of = '0;
    for (int unsigned w = 0; w < Warps; w++) begin
      look_of[w]    = granted[w*Groups +: Groups] != '0;
      issue_of[w]   = issue_warp == WarpW'(w);
      reserve_of[w] = reserve_valid_i && reserve_warp_i == WarpW'(w);
      for (int unsigned i = 0; i < Sources; i++)
        if (taken[i] && release_warp_i[i*WarpW +: WarpW] == WarpW'(w)) release_of[w] = 1'b1;
    end
  end

  // ---- Release: the first source in turn
  logic [Sources-1:0]         taken;
  logic                       release_any;
  logic [Lanes-1:0]           release_lanes;
  logic [WritePorts-1:0]      release_used;
  logic [WritePorts*RegW-1:0] release_reg;
  assign taken           = lowest_source((release_valid_i & turn_q) != '0 ? release_valid_i & turn_q : release_valid_i);
  assign release_ready_o = taken;
  assign release_any     = release_valid_i != '0;
  always_comb begin
    release_lanes = '0;
    release_used  = '0;
    release_reg   = '0;
    for (int unsigned i = 0; i < Sources; i++)
      if (taken[i]) begin
        release_lanes = release_lanes | release_lanes_i[i*Lanes +: Lanes];
        release_used  = release_used | release_used_i[i*WritePorts +: WritePorts];
        release_reg   = release_reg | release_reg_i[i*WritePorts*RegW +: WritePorts*RegW];
      end
  end

  // ---- Reservation: which entries of its warp's set it takes (scoreboard_room.sv)
  logic [Entries*RegW-1:0] row_reg;
  logic [Entries-1:0]      row_valid;
  logic [Entries-1:0]      allocated, kept;  // entries taken, entries that were there
  logic [Entries*RegW-1:0] taken_by;         // registers of the entries that are taken
  logic [WritePorts-1:0]   reserve_used;
  always_comb begin
    row_reg   = '0;
    row_valid = '0;
    for (int unsigned w = 0; w < Warps; w++) begin
      if (Masks != 0) row_reg = row_reg | ({Entries*RegW{reserve_of[w]}} & reg_q[w]);
      row_valid = row_valid | ({Entries{reserve_of[w]}} & valid_q[w*Entries +: Entries]);
    end
    row_valid    = row_valid & ~({Entries{(reserve_of & ends_of_q) != '0}} & ends_q);
    reserve_used = reserve_valid_i ? reserve_used_i : '0;
  end
  scoreboard_room #(.Entries(Entries), .RegW(RegW), .Masks(Masks), .WritePorts(WritePorts)) u_room (
    .valid_i(row_valid), .row_i(row_reg), .used_i(reserve_used), .reg_i(reserve_reg_i), .allocated_o(allocated), .by_o(taken_by),
    .kept_o(kept)
  );

  // ---- Release: entries that end, and those that stay for other lanes
  logic [Entries-1:0] released, ends, stays;
  logic               same;  // a reservation and a release of one warp
  assign same = (reserve_of & release_of) != '0;
  logic [Entries*RegW-1:0] old_reg;
  logic [Entries-1:0]      old_valid;
  always_comb begin
    old_reg   = '0;
    old_valid = '0;
    for (int unsigned w = 0; w < Warps; w++) begin
      old_reg   = old_reg | ({Entries*RegW{release_of[w]}} & reg_q[w]);
      old_valid = old_valid | ({Entries{release_of[w]}} & valid_q[w*Entries +: Entries]);
    end
    old_valid = old_valid & ~({Entries{(release_of & ends_of_q) != '0}} & ends_q);
  end
  always_comb begin
    released = '0;
    for (int unsigned p = 0; p < WritePorts; p++)
      for (int unsigned e = 0; e < Entries; e++)
        if (release_any && release_used[p] && old_valid[e] &&
            old_reg[e*RegW +: RegW] == release_reg[p*RegW +: RegW])
          released[e] = 1'b1;
  end
  logic [Entries-1:0] left;  // other lanes wait for it
  assign ends  = released & ~left;
  assign stays = released & left;
  // What ends is taken out of the set and of the heads' bits in the next clock, as they are read.
  always_ff @(posedge clk_i) begin
    ends_q    <= ends;
    ends_of_q <= release_of;
  end

  // ---- Lanes
  logic [2*Entries*Lanes-1:0] port_pending;  // of the warps of the look-ups below; all ones without Masks
  logic [Entries*Lanes-1:0]   debug_lanes;
  if (Masks != 0) begin : gen_masks
    logic [Entries*Lanes-1:0] lanes_q [Warps];
    logic [Entries*Lanes-1:0] old_lanes, new_lanes, old_d, new_d;
    logic [WarpW-1:0]         release_warp;
    always_comb begin
      release_warp = '0;
      for (int unsigned w = 0; w < Warps; w++) if (release_of[w]) release_warp = release_warp | WarpW'(w);
    end
    assign old_lanes = lanes_q[release_warp];
    assign new_lanes = lanes_q[reserve_warp_i];
    always_comb begin
      old_d = old_lanes;
      new_d = new_lanes;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (released[e]) old_d[e*Lanes +: Lanes] = old_d[e*Lanes +: Lanes] & ~release_lanes;
        if (same && released[e]) new_d[e*Lanes +: Lanes] = new_d[e*Lanes +: Lanes] & ~release_lanes;
        if (allocated[e]) new_d[e*Lanes +: Lanes] = reserve_lanes_i;
        else if (kept[e]) new_d[e*Lanes +: Lanes] = new_d[e*Lanes +: Lanes] | reserve_lanes_i;
        left[e] = ((same ? new_d[e*Lanes +: Lanes] : old_d[e*Lanes +: Lanes]) != '0);
      end
    end
    always_ff @(posedge clk_i) begin
      if (release_any && !same) lanes_q[release_warp] <= old_d;
      if (reserve_valid_i) lanes_q[reserve_warp_i] <= new_d;
    end
    assign port_pending = {lanes_q[issue_warp], lanes_q[WarpW'(32'(look_grant_o) / Groups)]};
    assign debug_lanes  = lanes_q[debug_warp_i];
`ifdef FORMAL
    for (genvar w = 0; w < Warps; w++) begin : gen_formal_lanes
      assign formal_lanes_o[w*Entries*Lanes +: Entries*Lanes] = lanes_q[w];
    end
`endif
  end else begin : gen_warps
    assign left         = '0;
    assign port_pending = '1;
    assign debug_lanes  = '1;
`ifdef FORMAL
    assign formal_lanes_o = '1;
`endif
    logic unused;
    assign unused = ^{release_lanes, same};
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Entries; e++) begin
      if (allocated[e]) reg_q[reserve_warp_i][e*RegW +: RegW] <= taken_by[e*RegW +: RegW];
      if (allocated[e] || (kept[e] && reserve_memory_i)) memory_q[reserve_warp_i][e] <= reserve_memory_i;
    end
  end
  for (genvar w = 0; w < Warps; w++) begin : gen_valid
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q[w*Entries +: Entries] <= '0;
      else if (clear_i[w]) valid_q[w*Entries +: Entries] <= '0;
      else valid_q[w*Entries +: Entries] <= valid[w*Entries +: Entries] | ({Entries{reserve_of[w]}} & allocated);
    end
    assign valid[w*Entries +: Entries] = valid_q[w*Entries +: Entries] & ~({Entries{ends_of_q[w]}} & ends_q);
  end

  // ---- What a head waits for: of two look-ups, that of a head from fetch (0) and that of the one behind an instruction that
  // issues (1), which sees the reservation of its own clock. In its clock a look-up reads the row, and keeps it as release and
  // reservation leave it; in the next one it is compared, and counts as what the head waits for (scoreboard_head.sv).
  logic                      next;
  logic [2*Lanes-1:0]        port_lanes;
  logic [2*ReadPorts-1:0]    port_used, port_write;
  logic [2*ReadPorts*RegW-1:0] port_reg;
  assign next       = issue_valid_i && next_valid_i;
  assign port_lanes = {next_lanes_i, look_lanes_i};
  assign port_used  = {next_used_i, look_used_i};
  assign port_write = {next_write_i, look_write_i};
  assign port_reg   = {next_reg_i, look_reg_i};
  logic [2*CountW-1:0]  port_writes;           // its destinations
  logic [2*Entries-1:0] port_waits, port_has;  // of the clock before: entries that it waits for; that its destinations have (Masks)
  logic [1:0]           port_again;            // a release has left lanes of what it waits for

  for (genvar i = 0; i < 2; i++) begin : gen_port
    logic [Warps-1:0]          of;
    logic [Entries*RegW-1:0]   regs, regs_q;
    logic [Entries-1:0]        there, there_q, overlap_q, stays_q, waits, has;
    logic [ReadPorts-1:0]      used_q, write_q;
    logic [ReadPorts*RegW-1:0] look_reg_q;
    logic [CountW-1:0]         writes;
    logic                      gone, gone_q, comes;  // a release, a reservation of its warp
    assign of    = i == 0 ? look_of : issue_of;
    assign gone  = (of & release_of) != '0;
    assign comes = i == 1 && (of & reserve_of) != '0;
    always_comb begin
      regs   = '0;
      there  = '0;
      writes = '0;
      for (int unsigned w = 0; w < Warps; w++) begin
        regs  = regs | ({Entries*RegW{of[w]}} & reg_q[w]);
        there = there | ({Entries{of[w]}} & valid_q[w*Entries +: Entries]);
      end
      there = there & ~({Entries{(of & ends_of_q) != '0}} & ends_q);
      for (int unsigned p = 0; p < ReadPorts; p++)
        if (port_used[i*ReadPorts+p] && port_write[i*ReadPorts+p]) writes = writes + 1'b1;
    end
    always_ff @(posedge clk_i) begin
      for (int unsigned e = 0; e < Entries; e++)
        regs_q[e*RegW +: RegW] <= comes && allocated[e] ? taken_by[e*RegW +: RegW] : regs[e*RegW +: RegW];
      there_q    <= there | ({Entries{comes}} & allocated);
      gone_q     <= gone;
      used_q     <= port_used[i*ReadPorts +: ReadPorts];
      write_q    <= port_write[i*ReadPorts +: ReadPorts];
      look_reg_q <= port_reg[i*ReadPorts*RegW +: ReadPorts*RegW];
    end
    if (Masks != 0) begin : gen_overlap
      logic [Entries-1:0] overlap;
      always_comb begin
        for (int unsigned e = 0; e < Entries; e++)
          overlap[e] = (there[e] && (port_pending[(i*Entries+e)*Lanes +: Lanes] & port_lanes[i*Lanes +: Lanes]) != '0) ||
                       (comes && (allocated[e] || kept[e]) && (reserve_lanes_i & port_lanes[i*Lanes +: Lanes]) != '0);
      end
      always_ff @(posedge clk_i) begin
        overlap_q <= overlap;
        stays_q   <= {Entries{gone}} & stays;
      end
    end else begin : gen_all
      assign overlap_q = '1;
      assign stays_q   = '0;
      logic unused_lanes;
      assign unused_lanes = ^{port_pending, port_lanes};
    end
    always_comb begin
      waits = '0;
      has   = '0;
      for (int unsigned p = 0; p < ReadPorts; p++)
        for (int unsigned e = 0; e < Entries; e++)
          if (used_q[p] && there_q[e] && !(gone_q && ends_q[e]) && regs_q[e*RegW +: RegW] == look_reg_q[p*RegW +: RegW]) begin
            if (overlap_q[e]) waits[e] = 1'b1;
            if (write_q[p]) has[e] = 1'b1;
          end
    end
    assign port_writes[i*CountW +: CountW]  = writes;
    assign port_waits[i*Entries +: Entries] = waits;
    assign port_has[i*Entries +: Entries]   = has;
    assign port_again[i]                    = (stays_q & waits) != '0;
  end

  // ---- Heads
  logic [Entries-1:0] look_waits, look_has, next_waits, next_has;
  logic [CountW-1:0]  look_writes, next_writes;
  assign {next_waits, look_waits}   = port_waits;
  assign {next_has, look_has}       = port_has;
  assign {next_writes, look_writes} = port_writes;
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    localparam int unsigned Warp = s / Groups;
    // Nets of their own: yosys wants to know the width of what is connected before it knows the module.
    logic               here, reserve, look_it, issue_it, next_it, drop_it;  // of its warp; of this slot
    logic [Entries-1:0] its_valid, its_memory, its_ended, its_stays;
    assign here       = release_of[Warp];
    assign its_valid  = valid[Warp*Entries +: Entries];
    assign its_memory = memory_q[Warp];
    assign its_ended  = {Entries{ends_of_q[Warp]}} & ends_q;
    assign its_stays  = {Entries{here}} & stays;
    assign reserve    = reserve_of[Warp];
    assign look_it    = look && granted[s];
    assign issue_it   = issue_valid_i && issue_i == SlotW'(s);
    assign next_it    = next && issue_i == SlotW'(s);
    assign drop_it    = drop_i[s] || clear_i[Warp];
    scoreboard_head #(.Entries(Entries), .Masks(Masks)) u_head (
      .clk_i, .rst_ni, .valid_i(its_valid), .memory_i(its_memory), .ended_i(its_ended), .stays_i(its_stays),
      .reserve_i(reserve), .look_i(look_it), .first_i(look_first_i), .last_i(look_last_i), .look_writes_i(look_writes),
      .issue_i(issue_it), .next_i(next_it), .next_writes_i(next_writes), .drop_i(drop_it), .look_waits_i(look_waits),
      .look_has_i(look_has), .look_again_i(port_again[0]), .next_waits_i(next_waits), .next_has_i(next_has),
      .next_again_i(port_again[1]), .looked_o(looked[s]), .ready_o(ready_o[s]),
      .memory_o(memory_o[s]), .alu_o(alu_o[s])
`ifdef FORMAL
      , .formal_waits_o(formal_waits_o[s*Entries +: Entries]), .formal_has_o(formal_has_o[s*Entries +: Entries]),
      .formal_writes_o(formal_writes_o[s*CountW +: CountW])
`endif
    );
  end
  assign looked_o = looked;
  if (Masks == 0) begin : gen_no_masks
    logic unused;
    assign unused = ^{look_lanes_i, next_lanes_i, reserve_lanes_i};
  end

  // ---- Turns. An instruction that takes several clocks keeps its turn.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q <= '1;
      turn_q   <= '1;
    end else begin
      if (look)
        for (int unsigned s = 0; s < Slots; s++)
          behind_q[s] <= above_first[s] || (!look_last_i && granted[s]);
      if (release_any)
        for (int unsigned i = 0; i < Sources; i++) turn_q[i] <= (taken & ((Sources'(1) << i) - 1'b1)) != '0;
    end
  end

  if (Debug != 0) begin : gen_debug
    assign debug_valid_o  = valid[debug_warp_i*Entries +: Entries];
    assign debug_memory_o = memory_q[debug_warp_i];
    assign debug_reg_o    = reg_q[debug_warp_i];
    assign debug_lanes_o  = debug_lanes;
  end else begin : gen_no_debug
    assign debug_valid_o  = '0;
    assign debug_memory_o = '0;
    assign debug_reg_o    = '0;
    assign debug_lanes_o  = '0;
    logic unused_debug;
    assign unused_debug = ^{debug_warp_i, debug_lanes};
  end
`ifdef FORMAL
  for (genvar w = 0; w < Warps; w++) begin : gen_formal
    assign formal_memory_o[w*Entries +: Entries]              = memory_q[w];
    assign formal_reg_o[w*Entries*RegW +: Entries*RegW]       = reg_q[w];
  end
  assign formal_valid_o  = valid;
  assign formal_behind_o = behind_q;
  assign formal_turn_o   = turn_q;
`endif

endmodule

`default_nettype wire
