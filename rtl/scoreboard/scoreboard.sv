// Scoreboard: per warp a small set of registers with a pending write; with Masks the lanes for which each of
// them is pending ([ElTantawy18] §2.1, [MultiPath] §7.2.2). Twin of models/core/issue/scoreboard.h, whose
// operations these are. README.md beside this file: theory of operation, ports, clocks.
//
// One request at a time, answered one clock after it is accepted. An instruction with more registers than
// ports takes several requests.

`default_nettype none

module scoreboard #(
  parameter int unsigned Warps      = 48,
  parameter int unsigned Entries    = 8,   // pending registers of a warp
  parameter int unsigned RegW       = 8,   // bits of a register's number
  parameter int unsigned Lanes      = 32,
  parameter int unsigned Masks      = 1,   // 0: a register is pending for its warp; 1: for lanes
  parameter int unsigned ReadPorts  = 6,
  parameter int unsigned WritePorts = 3,
  localparam int unsigned WarpW     = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned EntryW    = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int unsigned CountW    = $clog2(Entries + 1)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Request
  input  logic                       req_valid_i,
  output logic                       req_ready_o,
  input  logic [2:0]                 req_op_i,
  input  logic [WarpW-1:0]           req_warp_i,
  input  logic [Lanes-1:0]           req_lanes_i,      // CHECK, RESERVE, RELEASE
  // CHECK: registers to look up, each once; which of them the instruction writes
  input  logic [ReadPorts-1:0]       req_look_valid_i,
  input  logic [ReadPorts-1:0]       req_look_write_i,
  input  logic [ReadPorts*RegW-1:0]  req_look_reg_i,
  input  logic                       req_continue_i,   // CHECK: of the same instruction as the CHECK before
  // RESERVE, RELEASE: the registers it writes, each once
  input  logic [WritePorts-1:0]      req_dst_valid_i,
  input  logic [WritePorts*RegW-1:0] req_dst_reg_i,
  input  logic                       req_memory_i,     // RESERVE: by a memory instruction
  input  logic [EntryW-1:0]          req_slot_i,       // READ

  // Response
  output logic                       rsp_valid_o,
  input  logic                       rsp_ready_i,
  output logic [1:0]                 rsp_hazard_o,     // CHECK
  output logic [CountW-1:0]          rsp_count_o,      // registers pending for the warp before the request
  output logic                       rsp_entry_valid_o, // READ: the slot, if it is taken
  output logic                       rsp_entry_memory_o,
  output logic [RegW-1:0]            rsp_entry_reg_o,
  output logic [Lanes-1:0]           rsp_entry_lanes_o
`ifdef FORMAL
  ,
  input  logic [WarpW-1:0]           formal_warp_i,  // whose set is shown:
  output logic [Entries-1:0]         formal_valid_o,
  output logic [Entries-1:0]         formal_memory_o,
  output logic [Entries*RegW-1:0]    formal_reg_o,
  output logic [Entries*Lanes-1:0]   formal_lanes_o,
  output logic [CountW+2:0]          formal_seen_o   // of the requests before, of the same instruction
`endif
);

  if (Warps < 1 || Entries < 1 || Masks > 1 || ReadPorts < 1 || WritePorts < 1) begin : gen_illegal
    $error("scoreboard: Entries and ports must be at least 1, Masks 0 or 1");
  end

  typedef enum logic [2:0] {
    OpCheck   = 3'd0,
    OpReserve = 3'd1,
    OpRelease = 3'd2,
    OpClear   = 3'd3,
    OpRead    = 3'd4
  } op_e;

  typedef enum logic [1:0] {
    HazardNone   = 2'd0,
    HazardAlu    = 2'd1,
    HazardMemory = 2'd2,
    HazardFull   = 2'd3
  } hazard_e;

  // An instruction has no more destinations than there are entries.
  localparam int unsigned SumW = CountW + 1;

  // ---- Context memories: a warp's set is one row, so that all its entries are searched at once.
  logic [Entries*RegW-1:0]  reg_mem    [Warps];
  logic [Entries-1:0]       memory_mem [Warps];
  // The valid bits of slots are registers: a warp's set is cleared at once, and all of them at reset.
  logic [Warps*Entries-1:0] valid_q;

  logic accept;
  assign req_ready_o = !rsp_valid_o || rsp_ready_i;
  assign accept      = req_valid_i && req_ready_o;

  logic reserve;
  assign reserve = req_op_i == OpReserve;

  logic [Entries*RegW-1:0] regs;
  logic [Entries-1:0]      memory, valid;
  assign regs   = reg_mem[req_warp_i];
  assign memory = memory_mem[req_warp_i];
  assign valid  = valid_q[req_warp_i*Entries +: Entries];

  // ---- Lanes. `overlap`: slots that are pending for a lane of the request; `left`: those that are pending
  // for other lanes too.
  logic [Entries-1:0] overlap, left;
  logic [Entries-1:0] dst_found;  // slots of the request's destinations,
  logic [Entries-1:0] allocated;  // and those that RESERVE takes for new ones
  logic [Lanes-1:0]   read_lanes;
  if (Masks != 0) begin : gen_masks
    logic [Entries*Lanes-1:0] lanes_mem [Warps];
    logic [Entries*Lanes-1:0] lanes, lanes_d;
    assign lanes = lanes_mem[req_warp_i];
    always_comb begin
      lanes_d = lanes;
      for (int unsigned e = 0; e < Entries; e++) begin
        overlap[e] = (lanes[e*Lanes +: Lanes] & req_lanes_i) != '0;
        left[e]    = (lanes[e*Lanes +: Lanes] & ~req_lanes_i) != '0;
        if (allocated[e])
          lanes_d[e*Lanes +: Lanes] = req_lanes_i;
        else if (dst_found[e])
          lanes_d[e*Lanes +: Lanes] = reserve ? (lanes[e*Lanes +: Lanes] | req_lanes_i)
                                              : (lanes[e*Lanes +: Lanes] & ~req_lanes_i);
      end
    end
    always_ff @(posedge clk_i) begin
      if (accept && (reserve || req_op_i == OpRelease)) lanes_mem[req_warp_i] <= lanes_d;
    end
    assign read_lanes = lanes[req_slot_i*Lanes +: Lanes];
`ifdef FORMAL
    assign formal_lanes_o = lanes_mem[formal_warp_i];
`endif
  end else begin : gen_warps
    assign overlap    = {Entries{req_lanes_i != '0}};
    assign left       = '0;
    assign read_lanes = '1;
`ifdef FORMAL
    assign formal_lanes_o = '1;
`endif
  end

  // ---- CHECK
  logic             hit_memory, hit_alu;      // among the registers of this request
  logic [SumW-1:0]  new_entries;              // destinations without an entry, of this request
  logic             hit_memory_q, hit_alu_q;  // of the requests before, of the same instruction
  logic [SumW-1:0]  new_entries_q;
  always_comb begin
    hit_memory  = req_continue_i && hit_memory_q;
    hit_alu     = req_continue_i && hit_alu_q;
    new_entries = req_continue_i ? new_entries_q : '0;
    for (int unsigned p = 0; p < ReadPorts; p++) begin
      logic [Entries-1:0] found;
      for (int unsigned e = 0; e < Entries; e++)
        found[e] = valid[e] && regs[e*RegW +: RegW] == req_look_reg_i[p*RegW +: RegW];
      if (req_look_valid_i[p]) begin
        if ((found & overlap & memory) != '0) hit_memory = 1'b1;
        if ((found & overlap & ~memory) != '0) hit_alu = 1'b1;
        // Without masks a pending destination is a hazard in any case.
        if (req_look_write_i[p] && (Masks == 0 || found == '0)) new_entries = new_entries + 1'b1;
      end
    end
  end

  logic [CountW-1:0] count;
  always_comb begin
    count = '0;
    for (int unsigned e = 0; e < Entries; e++) count = count + CountW'(valid[e]);
  end

  hazard_e hazard;
  always_comb begin
    if (hit_memory) hazard = HazardMemory;
    else if (hit_alu) hazard = HazardAlu;
    else if (SumW'(count) + new_entries > SumW'(Entries)) hazard = HazardFull;
    else hazard = HazardNone;
  end

  // ---- RESERVE, RELEASE: the destinations' slots. New ones take the lowest free slots, in order of ports.
  logic [Entries*RegW-1:0] regs_d;
  logic [Entries-1:0]      memory_d, valid_d;
  always_comb begin
    regs_d    = regs;
    dst_found = '0;
    allocated = '0;
    for (int unsigned w = 0; w < WritePorts; w++) begin
      logic [Entries-1:0] found, free;
      for (int unsigned e = 0; e < Entries; e++)
        found[e] = valid[e] && regs[e*RegW +: RegW] == req_dst_reg_i[w*RegW +: RegW];
      free = ~(valid | allocated);
      free = free & (~free + 1'b1);
      if (req_dst_valid_i[w]) begin
        dst_found = dst_found | found;
        // Without masks a register is never reserved while it is pending, so no search is needed.
        if (reserve && (Masks == 0 || found == '0)) begin
          allocated = allocated | free;
          for (int unsigned e = 0; e < Entries; e++)
            if (free[e]) regs_d[e*RegW +: RegW] = req_dst_reg_i[w*RegW +: RegW];
        end
      end
    end
  end

  always_comb begin
    memory_d = memory;
    valid_d  = valid;
    unique case (req_op_i)
      OpReserve: begin
        valid_d  = valid | allocated;
        memory_d = (memory & ~allocated) | ({Entries{req_memory_i}} & (allocated | dst_found));
      end
      OpRelease: valid_d = valid & ~(dst_found & ~left);
      OpClear:   valid_d = '0;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (accept && reserve) begin
      reg_mem[req_warp_i]    <= regs_d;
      memory_mem[req_warp_i] <= memory_d;
    end
    if (accept) begin
      hit_memory_q       <= hit_memory;
      hit_alu_q          <= hit_alu;
      new_entries_q      <= new_entries;
      rsp_hazard_o       <= (req_op_i == OpCheck) ? hazard : HazardNone;
      rsp_count_o        <= count;
      rsp_entry_valid_o  <= valid[req_slot_i] && req_op_i == OpRead;
      rsp_entry_memory_o <= memory[req_slot_i];
      rsp_entry_reg_o    <= regs[req_slot_i*RegW +: RegW];
      rsp_entry_lanes_o  <= read_lanes;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      if (accept) begin
        valid_q[req_warp_i*Entries +: Entries] <= valid_d;
        rsp_valid_o                            <= 1'b1;
      end else if (rsp_ready_i) begin
        rsp_valid_o <= 1'b0;
      end
    end
  end

`ifdef FORMAL
  assign formal_valid_o  = valid_q[formal_warp_i*Entries +: Entries];
  assign formal_memory_o = memory_mem[formal_warp_i];
  assign formal_reg_o    = reg_mem[formal_warp_i];
  assign formal_seen_o   = {hit_memory_q, hit_alu_q, new_entries_q};
`endif

endmodule

`default_nettype wire
