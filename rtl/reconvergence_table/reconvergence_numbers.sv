// Numbers of reconvergence points: which are in use, and a stack of those that are free
// ([AWARE] §5.1), per warp. Part of reconvergence_table.
//
// The free stack of an empty table holds all numbers, the lowest on top. It need not be initialised: below a
// low-water mark the stack has its initial contents, and only numbers returned above the mark are stored.

`default_nettype none

module reconvergence_numbers #(
  parameter int unsigned Warps   = 48,
  parameter int unsigned Entries = 32,  // a power of two, at least 2
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned IdW    = $clog2(Entries)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [WarpW-1:0] warp_i,
  input  logic [IdW-1:0]   id_i,
  input  logic             clear_i,  // all numbers become free
  input  logic             take_i,   // the one on top comes into use; any_o
  input  logic             give_i,   // id_i becomes free

  output logic             any_o,    // there is a free number
  output logic [IdW-1:0]   top_o,    // that number
  output logic             in_use_o  // id_i is in use
`ifdef FORMAL
  , input  logic [WarpW-1:0] formal_warp_i
  , input  logic [IdW-1:0]   formal_id_i
  , output logic             formal_in_use_o  // of these
`endif
);

  localparam int unsigned CountW = $clog2(Entries + 1);
  localparam int unsigned AddrW  = $clog2(Warps * Entries);

  logic [IdW-1:0]           free_mem [Warps*Entries];
  logic [Warps*CountW-1:0]  count_q;  // number of free ones
  logic [Warps*CountW-1:0]  low_q;    // of these, how many have their initial position
  logic [Warps*Entries-1:0] in_use_q;

  logic [CountW-1:0] count, low, count_d, low_d;
  assign count = count_q[warp_i*CountW +: CountW];
  assign low   = low_q[warp_i*CountW +: CountW];

  logic [IdW-1:0] top;
  assign top      = IdW'(count - 1'b1);
  assign any_o    = count != '0;
  assign top_o    = (count <= low) ? IdW'(Entries - 1) - top : free_mem[AddrW'({warp_i, top})];
  assign in_use_o = in_use_q[AddrW'({warp_i, id_i})];

  always_comb begin
    count_d = count;
    low_d   = low;
    if (clear_i) begin
      count_d = CountW'(Entries);
      low_d   = CountW'(Entries);
    end else if (take_i) begin
      count_d = count - 1'b1;
      if (low > count_d) low_d = count_d;
    end else if (give_i) begin
      count_d = count + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (give_i) free_mem[AddrW'({warp_i, IdW'(count)})] <= id_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= {Warps{CountW'(Entries)}};
      low_q    <= {Warps{CountW'(Entries)}};
      in_use_q <= '0;
    end else begin
      count_q[warp_i*CountW +: CountW] <= count_d;
      low_q[warp_i*CountW +: CountW]   <= low_d;
      if (clear_i) in_use_q[warp_i*Entries +: Entries] <= '0;
      if (take_i)  in_use_q[AddrW'({warp_i, top_o})] <= 1'b1;
      if (give_i)  in_use_q[AddrW'({warp_i, id_i})] <= 1'b0;
    end
  end

`ifdef FORMAL
  // Each number of a warp is either in use, or exactly once in the stack.
  logic [CountW-1:0]  watched_count, watched_low;
  logic [Entries-1:0] stacked;
  logic [IdW-1:0]     kept;
  assign watched_count   = count_q[formal_warp_i*CountW +: CountW];
  assign watched_low     = low_q[formal_warp_i*CountW +: CountW];
  assign formal_in_use_o = in_use_q[AddrW'({formal_warp_i, formal_id_i})];
  always_comb begin
    if (rst_ni) assert (watched_low <= watched_count && watched_count <= CountW'(Entries));
    stacked = '0;
    kept    = '0;
    for (int p = 0; p < Entries; p++) begin
      kept = (CountW'(p) < watched_low) ? IdW'(Entries - 1 - p) : free_mem[AddrW'({formal_warp_i, IdW'(p)})];
      if (CountW'(p) < watched_count) begin
        if (rst_ni) assert (!stacked[kept]);
        stacked[kept] = 1'b1;
      end
    end
    if (rst_ni) assert (stacked == ~in_use_q[formal_warp_i*Entries +: Entries]);
  end
`endif

endmodule

`default_nettype wire
