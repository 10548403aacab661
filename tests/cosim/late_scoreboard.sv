// scoreboard with one register stage too many, which the comparison clock by clock must notice, and the GPU's cycles must show:
// behind what it says of heads, which are ready a clock later, or in front of the release.

`default_nettype none

module late_scoreboard #(
  parameter int unsigned Warps       = 32,
  parameter int unsigned LateReady   = 0,
  parameter int unsigned LateRelease = 0,
  localparam int unsigned Entries = 8, RegW = 16, Lanes = 32, ReadPorts = 6, WritePorts = 3, Sources = 2,
  localparam int unsigned WarpW = $clog2(Warps)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic [Warps-1:0]                   head_i,
  input  logic [Warps-1:0]                   drop_i,
  input  logic [Warps-1:0]                   clear_i,
  output logic                               look_grant_valid_o,
  output logic [WarpW-1:0]                   look_grant_o,
  input  logic                               look_valid_i,
  input  logic                               look_first_i,
  input  logic                               look_last_i,
  input  logic [Lanes-1:0]                   look_lanes_i,
  input  logic [ReadPorts-1:0]               look_used_i,
  input  logic [ReadPorts-1:0]               look_write_i,
  input  logic [ReadPorts*RegW-1:0]          look_reg_i,
  input  logic                               issue_valid_i,
  input  logic [WarpW-1:0]                   issue_i,
  input  logic                               next_valid_i,
  input  logic [Lanes-1:0]                   next_lanes_i,
  input  logic [ReadPorts-1:0]               next_used_i,
  input  logic [ReadPorts-1:0]               next_write_i,
  input  logic [ReadPorts*RegW-1:0]          next_reg_i,
  input  logic                               reserve_valid_i,
  input  logic [WarpW-1:0]                   reserve_warp_i,
  input  logic [Lanes-1:0]                   reserve_lanes_i,
  input  logic                               reserve_memory_i,
  input  logic [WritePorts-1:0]              reserve_used_i,
  input  logic [WritePorts*RegW-1:0]         reserve_reg_i,
  input  logic [Sources-1:0]                 release_valid_i,
  output logic [Sources-1:0]                 release_ready_o,
  input  logic [Sources*WarpW-1:0]           release_warp_i,
  input  logic [Sources*Lanes-1:0]           release_lanes_i,
  input  logic [Sources*WritePorts-1:0]      release_used_i,
  input  logic [Sources*WritePorts*RegW-1:0] release_reg_i,
  output logic [Warps-1:0]                   looked_o,
  output logic [Warps-1:0]                   ready_o,
  output logic [Warps-1:0]                   memory_o,
  output logic [Warps-1:0]                   alu_o,
  input  logic [WarpW-1:0]                   debug_warp_i,
  output logic [Entries-1:0]                 debug_valid_o,
  output logic [Entries-1:0]                 debug_memory_o,
  output logic [Entries*RegW-1:0]            debug_reg_o,
  output logic [Entries*Lanes-1:0]           debug_lanes_o
);

  // A source's write-back waits a clock in a register of its own.
  logic [Sources-1:0]                 valid_q, taken, inner_ready, room, first;
  logic [Sources*WarpW-1:0]           warp_q;
  logic [Sources*Lanes-1:0]           lanes_q;
  logic [Sources*WritePorts-1:0]      used_q;
  logic [Sources*WritePorts*RegW-1:0] reg_q;
  assign room  = release_valid_i & (~valid_q | inner_ready);
  assign first = room & (~room + 1'b1);
  assign taken = (LateRelease != 0) ? first : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= (valid_q & ~inner_ready) | taken;
  end
  for (genvar i = 0; i < Sources; i++) begin : gen_source
    always_ff @(posedge clk_i) begin
      if (taken[i]) begin
        warp_q[i*WarpW +: WarpW]                     <= release_warp_i[i*WarpW +: WarpW];
        lanes_q[i*Lanes +: Lanes]                    <= release_lanes_i[i*Lanes +: Lanes];
        used_q[i*WritePorts +: WritePorts]           <= release_used_i[i*WritePorts +: WritePorts];
        reg_q[i*WritePorts*RegW +: WritePorts*RegW]  <= release_reg_i[i*WritePorts*RegW +: WritePorts*RegW];
      end
    end
  end

  logic [Warps-1:0] looked, ready, memory, alu, looked_q, ready_q, memory_q, alu_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {looked_q, ready_q, memory_q, alu_q} <= '0;
    else {looked_q, ready_q, memory_q, alu_q} <= {looked, ready, memory, alu};
  end

  scoreboard #(.Warps(Warps), .RegW(RegW)) u_scoreboard (
    .clk_i, .rst_ni, .head_i, .drop_i, .clear_i, .look_grant_valid_o, .look_grant_o, .look_valid_i, .look_first_i, .look_last_i,
    .look_lanes_i, .look_used_i, .look_write_i, .look_reg_i, .issue_valid_i, .issue_i, .next_valid_i, .next_lanes_i,
    .next_used_i, .next_write_i, .next_reg_i, .reserve_valid_i, .reserve_warp_i, .reserve_lanes_i, .reserve_memory_i,
    .reserve_used_i, .reserve_reg_i,
    .release_valid_i((LateRelease != 0) ? valid_q : release_valid_i), .release_ready_o(inner_ready),
    .release_warp_i((LateRelease != 0) ? warp_q : release_warp_i),
    .release_lanes_i((LateRelease != 0) ? lanes_q : release_lanes_i),
    .release_used_i((LateRelease != 0) ? used_q : release_used_i),
    .release_reg_i((LateRelease != 0) ? reg_q : release_reg_i),
    .looked_o(looked), .ready_o(ready), .memory_o(memory), .alu_o(alu), .debug_warp_i, .debug_valid_o, .debug_memory_o,
    .debug_reg_o, .debug_lanes_o
  );
  assign release_ready_o = (LateRelease != 0) ? taken : inner_ready;
  // It falls in time: a clock later is only what becomes true.
  assign looked_o = (LateReady != 0) ? looked & looked_q : looked;
  assign ready_o  = (LateReady != 0) ? ready & ready_q & looked_q : ready;
  assign memory_o = (LateReady != 0) ? memory & memory_q : memory;
  assign alu_o    = (LateReady != 0) ? alu & alu_q : alu;

endmodule

`default_nettype wire
