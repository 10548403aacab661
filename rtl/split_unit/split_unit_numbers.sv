// What split_unit knows of a warp without a look at an entry: the queue of its splits, the numbers of splits that are in use, and a stack
// of the numbers of reconvergence points that are not. As it is, and as it is after a clock. A part of split_unit.sv.

`default_nettype none

module split_unit_numbers #(
  parameter int unsigned Lanes = 32,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1)
) (
  input  logic                 clear_i,       // first: there is nothing
  // Splits
  input  logic                 pop_i,         // the front split ends
  input  logic                 rotate_i,      // it goes to the back
  input  logic                 push_i,        // a new one comes to the back; not with a rotation
  input  logic [Lanes*IdW-1:0] queue_i,       // front first
  input  logic [CountW-1:0]    count_i,
  input  logic [Lanes-1:0]     used_i,
  output logic [IdW-1:0]       new_split_o,   // number of the new one, whether there is one or not
  output logic [Lanes*IdW-1:0] queue_o,
  output logic [CountW-1:0]    count_o,
  output logic [Lanes-1:0]     used_o,
  // Points
  input  logic                 take_i,        // a number comes into use
  input  logic                 give_i,        // number give_id_i is free, from the next clock on
  input  logic [IdW-1:0]       give_id_i,
  input  logic [Lanes*IdW-1:0] free_i,        // bottom first
  input  logic [CountW-1:0]    free_count_i,
  output logic [IdW-1:0]       new_point_o,   // that is taken, if one is
  output logic [Lanes*IdW-1:0] free_o,
  output logic [CountW-1:0]    free_count_o
);

  function automatic logic [Lanes*IdW-1:0] all_free();
    for (int unsigned i = 0; i < Lanes; i++) all_free[i*IdW +: IdW] = IdW'(Lanes - 1 - i);  // number 0 on top
  endfunction

  // ---- Splits
  logic                 leaves, comes;
  logic [IdW-1:0]       front, back;
  logic [CountW-1:0]    rest;
  logic [Lanes*IdW-1:0] moved;
  logic [Lanes-1:0]     kept;
  assign leaves = pop_i || rotate_i;
  assign comes  = push_i || rotate_i;
  assign front  = queue_i[IdW-1:0];
  assign rest   = clear_i ? '0 : count_i - CountW'(leaves);
  assign moved  = leaves ? queue_i >> IdW : queue_i;
  assign kept   = clear_i ? '0 : used_i & ~(Lanes'(pop_i) << front);
  assign back   = rotate_i ? front : new_split_o;
  always_comb begin
    new_split_o = '0;
    for (int unsigned i = Lanes; i > 0; i--)
      if (!kept[i-1]) new_split_o = IdW'(i - 1);
    for (int unsigned i = 0; i < Lanes; i++)
      queue_o[i*IdW +: IdW] = comes && rest == CountW'(i) ? back : moved[i*IdW +: IdW];
  end
  assign count_o = rest + CountW'(comes);
  assign used_o  = kept | (Lanes'(push_i) << new_split_o);

  // ---- Points
  logic [IdW-1:0]    top;
  logic [CountW-1:0] after;
  assign top         = IdW'(free_count_i - 1'b1);
  assign after       = free_count_i - CountW'(take_i);
  assign new_point_o = free_i[top*IdW +: IdW];
  always_comb begin
    free_o = free_i;
    for (int unsigned i = 0; i < Lanes; i++)
      if (give_i && after == CountW'(i)) free_o[i*IdW +: IdW] = give_id_i;
    if (clear_i) free_o = all_free();
  end
  assign free_count_o = clear_i ? CountW'(Lanes) : after + CountW'(give_i);

endmodule

`default_nettype wire
