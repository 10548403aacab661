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
  input  logic [Entries-1:0] ended_i,     // entries that a release has freed in the clock before
  input  logic [Entries-1:0] stays_i,     // entries that one leaves for other lanes in this clock
  input  logic               reserve_i,   // registers become pending

  // Look-up, as a head that fetch has brought, and as the one behind an instruction that issues
  input  logic               look_i,
  input  logic               first_i,
  input  logic               last_i,
  input  logic [CountW-1:0]  look_writes_i,
  input  logic               issue_i,
  input  logic               next_i,
  input  logic [CountW-1:0]  next_writes_i,
  input  logic               drop_i,      // from the next clock on it is another one, or none

  // What the look-ups of the clock before have found
  input  logic [Entries-1:0] look_waits_i,
  input  logic [Entries-1:0] look_has_i,
  input  logic               look_again_i,  // to be looked up again: a release has left lanes of what it waits for
  input  logic [Entries-1:0] next_waits_i,
  input  logic [Entries-1:0] next_has_i,
  input  logic               next_again_i,

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

  // What it waits for, and which of its destinations have an entry: of its parts, and of the look-up in the clock before.
  logic [Entries-1:0] waits_q, waits, has;
  logic [CountW-1:0]  writes_q;
  logic               look_q, next_q;
  logic               looked_q, looked, looked_d, again;  // lanes that it waits for are left by a release: it may wait for them no longer
  assign waits  = (waits_q & ~ended_i) | ({Entries{look_q}} & look_waits_i) | ({Entries{next_q}} & next_waits_i);
  assign looked = looked_q && !(look_q && look_again_i) && !(next_q && next_again_i);
  assign again  = (stays_i & waits) != '0;
  always_comb begin
    // Without Masks another group of the warp may have reserved what the head needs.
    looked_d = looked && !(Masks == 0 && reserve_i) && !again && !issue_i;
    if (look_i) looked_d = last_i && !reserve_i && (first_i || !again);
    if (next_i) looked_d = 1'b1;
    if (drop_i) looked_d = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    look_q  <= look_i && !next_i;
    next_q  <= next_i;
    waits_q <= next_i || (look_i && first_i) ? '0 : waits;
    if (next_i) writes_q <= next_writes_i;
    else if (look_i) writes_q <= look_writes_i + (first_i ? '0 : writes_q);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) looked_q <= 1'b0;
    else looked_q <= looked_d;
  end

  if (Masks != 0) begin : gen_has
    logic [Entries-1:0] has_q;
    assign has = (has_q & ~ended_i) | ({Entries{look_q}} & look_has_i) | ({Entries{next_q}} & next_has_i);
    always_ff @(posedge clk_i) has_q <= next_i || (look_i && first_i) ? '0 : has;
  end else begin : gen_no_has
    assign has = '0;
    logic unused;
    assign unused = ^{look_has_i, next_has_i};
  end

  // Room: as many free entries as destinations without one.
  logic [CountW:0] taken;
  always_comb begin
    taken = {1'b0, writes_q};
    for (int unsigned e = 0; e < Entries; e++) taken = taken + (CountW + 1)'(valid_i[e]) - (CountW + 1)'(has[e]);
  end
  assign looked_o = looked;
  assign ready_o  = looked && waits == '0 && taken <= (CountW + 1)'(Entries);
  assign memory_o = looked && (waits & memory_i) != '0;
  assign alu_o    = looked && (waits & ~memory_i) != '0;
`ifdef FORMAL
  assign formal_waits_o  = waits;
  assign formal_has_o    = has;
  assign formal_writes_o = writes_q;
`endif

endmodule

`default_nettype wire
