// The head of one I-buffer, of one issue group: which entries of its warp's set it waits for, and whether it may issue. A part of
// scoreboard.sv.

`default_nettype none

module scoreboard_head #(
  parameter int unsigned Entries = 8,
  parameter int unsigned Masks   = 0,
  localparam int unsigned CountW = $clog2(Entries + 1)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // Of its warp
  input  logic [Entries-1:0] valid_i,     // entries that are taken
  input  logic [Entries-1:0] memory_i,    // by a memory instruction
  input  logic [Entries-1:0] ends_i,      // entries that a release frees in this clock
  input  logic [Entries-1:0] stays_i,     // entries that it leaves for other lanes
  input  logic               reserve_i,   // registers become pending

  // Look-up, as a head that fetch has brought, and as the one behind an instruction that issues
  input  logic               look_i,
  input  logic               first_i,
  input  logic               last_i,
  input  logic [Entries-1:0] look_waits_i,
  input  logic [Entries-1:0] look_has_i,
  input  logic [CountW-1:0]  look_writes_i,
  input  logic               issue_i,
  input  logic               next_i,
  input  logic [Entries-1:0] next_waits_i,
  input  logic [Entries-1:0] next_has_i,
  input  logic [CountW-1:0]  next_writes_i,
  input  logic               drop_i,      // from the next clock on it is another one, or none

  output logic               looked_o,
  output logic               ready_o,
  output logic               memory_o,
  output logic               alu_o
`ifdef FORMAL
  ,
  output logic [Entries-1:0] formal_waits_o,
  output logic [Entries-1:0] formal_has_o,
  output logic [CountW-1:0]  formal_writes_o
`endif
);
  /* verilator no_inline_module */  // there are many of them

  logic [Entries-1:0] waits_q, waits_d, has, has_d;
  logic [CountW-1:0]  writes_q;
  logic               looked_q, looked_d, again;  // lanes that it waits for are left by a release: it may wait for them no longer
  always_comb begin
    again    = (stays_i & waits_q) != '0;
    waits_d  = waits_q & ~ends_i;
    has_d    = has & ~ends_i;
    // Without Masks another group of the warp may have reserved what the head needs.
    looked_d = looked_q && !(Masks == 0 && reserve_i) && !again && !issue_i;
    if (look_i) begin
      again    = (stays_i & look_waits_i) != '0 || (!first_i && again);
      waits_d  = look_waits_i | (first_i ? '0 : waits_d);
      has_d    = look_has_i | (first_i ? '0 : has_d);
      looked_d = last_i && !reserve_i && !again;
    end
    if (next_i) begin
      waits_d  = next_waits_i;
      has_d    = next_has_i;
      looked_d = (stays_i & next_waits_i) == '0;
    end
    if (drop_i) looked_d = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    waits_q <= waits_d;
    if (next_i) writes_q <= next_writes_i;
    else if (look_i) writes_q <= look_writes_i + (first_i ? '0 : writes_q);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) looked_q <= 1'b0;
    else looked_q <= looked_d;
  end

  if (Masks != 0) begin : gen_has
    logic [Entries-1:0] has_q;
    always_ff @(posedge clk_i) has_q <= has_d;
    assign has = has_q;
  end else begin : gen_no_has
    assign has = '0;
    logic unused;
    assign unused = ^has_d;
  end

  // Room: as many free entries as destinations without one.
  logic [CountW:0] taken;
  always_comb begin
    taken = {1'b0, writes_q};
    for (int unsigned e = 0; e < Entries; e++) taken = taken + (CountW + 1)'(valid_i[e]) - (CountW + 1)'(has[e]);
  end
  assign looked_o = looked_q;
  assign ready_o  = looked_q && waits_q == '0 && taken <= (CountW + 1)'(Entries);
  assign memory_o = looked_q && (waits_q & memory_i) != '0;
  assign alu_o    = looked_q && (waits_q & ~memory_i) != '0;
`ifdef FORMAL
  assign formal_waits_o  = waits_q;
  assign formal_has_o    = has;
  assign formal_writes_o = writes_q;
`endif

endmodule

`default_nettype wire
