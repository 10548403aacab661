// The numbers of reconvergence points that are not in use in split_unit, a stack: as it is, and as it is after a clock. A part of split_unit.sv.

`default_nettype none

module split_unit_numbers #(
  parameter int unsigned Lanes = 32,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1)
) (
  input  logic                 clear_i,       // first: all are free
  // A number comes into use
  input  logic                 make_i,        // and none is given;
  input  logic                 insert_i,      // and one may be
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

  // What is done is known late.
  logic [CountW-1:0] less;
  logic [IdW-1:0]    top;
  logic [Lanes-1:0]  written;
  assign less        = free_count_i - 1'b1;
  assign top         = IdW'(less);
  assign new_point_o = free_i[top*IdW +: IdW];
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      written[i] = give_i && (insert_i ? less == CountW'(i) : free_count_i == CountW'(i));
      free_o[i*IdW +: IdW] = written[i] ? give_id_i : free_i[i*IdW +: IdW];
    end
    if (clear_i) free_o = all_free();
  end
  assign free_count_o = clear_i ? CountW'(Lanes) : make_i ? less : insert_i == give_i ? free_count_i : insert_i ? less : free_count_i + 1'b1;

endmodule

`default_nettype wire
