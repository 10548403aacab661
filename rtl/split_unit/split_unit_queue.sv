// The queue of a warp's splits in split_unit, their numbers, and who waits at a barrier: what a step has done to them is done here in the
// clock behind it, and who is in front then is told. A part of split_unit.sv.

`default_nettype none

module split_unit_queue #(
  parameter int unsigned Lanes = 32,
  localparam int unsigned IdW    = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam int unsigned CountW = $clog2(Lanes + 1)
) (
  // What is to be done
  input  logic                 clear_i,         // first: there is nothing
  input  logic                 pop_i,           // the front split ends
  input  logic                 rotate_i,        // it goes to the back
  input  logic                 push_i,          // a new one comes to the back; not with a rotation
  input  logic                 blocks_i,        // split asks_i waits at a barrier from now on
  input  logic                 at_rpc_i,        // ... behind which it is at its RPC
  input  logic [IdW-1:0]       asks_i,
  input  logic                 released_i,      // split visited_i does no longer
  input  logic [IdW-1:0]       visited_i,
  // As it is
  input  logic [Lanes*IdW-1:0] queue_i,         // front first
  input  logic [CountW-1:0]    count_i,
  input  logic [Lanes-1:0]     used_i,
  input  logic [Lanes-1:0]     blocked_i,
  input  logic [Lanes-1:0]     arrives_i,
  // As it is then
  output logic [Lanes*IdW-1:0] queue_o,
  output logic [CountW-1:0]    count_o,
  output logic [Lanes-1:0]     used_o,
  output logic [Lanes-1:0]     blocked_o,
  output logic [Lanes-1:0]     arrives_o,
  output logic [IdW-1:0]       new_split_o,     // number of the new one, whether there is one or not
  // Who is in front then
  output logic                 empty_o,         // nobody
  output logic                 nobody_o,        // all wait, if there are any
  output logic                 front_new_o,     // the new one; or else
  output logic [IdW-1:0]       front_o,
  output logic                 front_blocked_o, // it waits
  output logic                 front_arrives_o  // it is at its RPC
);

  logic                 leaves, comes, alone;
  logic [IdW-1:0]       first, second, back;
  logic [CountW-1:0]    rest;
  logic [Lanes*IdW-1:0] moved;
  logic [Lanes-1:0]     kept, waits, first_bit, second_bit;
  assign leaves = pop_i || rotate_i;
  assign comes  = push_i || rotate_i;
  assign first  = queue_i[IdW-1:0];
  assign second = queue_i[2*IdW-1:IdW];
  assign first_bit  = Lanes'(1'b1) << first;
  assign second_bit = Lanes'(1'b1) << second;
  assign rest   = clear_i ? '0 : count_i - CountW'(leaves);
  assign moved  = leaves ? queue_i >> IdW : queue_i;
  assign kept   = clear_i ? '0 : used_i & ~(first_bit & {Lanes{pop_i}});
  assign back   = rotate_i ? first : new_split_o;
  always_comb begin
    new_split_o = '0;
    for (int unsigned i = Lanes; i > 0; i--)
      if (!kept[i-1]) new_split_o = IdW'(i - 1);
    for (int unsigned i = 0; i < Lanes; i++)
      queue_o[i*IdW +: IdW] = comes && rest == CountW'(i) ? back : moved[i*IdW +: IdW];
  end
  assign count_o   = rest + CountW'(comes);
  assign used_o    = kept | (Lanes'(push_i) << new_split_o);
  assign waits     = (blocked_i & ~(Lanes'(released_i) << visited_i)) | (Lanes'(blocks_i) << asks_i);
  assign blocked_o = clear_i ? '0 : waits & ~(Lanes'(push_i) << new_split_o);
  assign arrives_o = clear_i ? '0 : (arrives_i & ~(Lanes'(blocks_i) << asks_i) & ~(Lanes'(push_i) << new_split_o))
                                    | (Lanes'(blocks_i && at_rpc_i) << asks_i);

  // A split that goes to the back of a queue of one stays in front.
  logic next;
  assign alone       = clear_i || (leaves ? count_i == CountW'(1) : count_i == '0);
  assign next        = pop_i || (rotate_i && count_i != CountW'(1));
  assign empty_o     = alone && !comes;
  assign front_new_o = alone && push_i;
  assign front_o     = next ? second : first;
  assign front_blocked_o = !front_new_o && (next ? (waits & second_bit) != '0 : (waits & first_bit) != '0);
  assign front_arrives_o = !front_new_o && (next ? (arrives_i & second_bit) != '0 : (arrives_i & first_bit) != '0);
  assign nobody_o    = !push_i && (clear_i || (used_i & ~(first_bit & {Lanes{pop_i}}) & ~waits) == '0);

endmodule

`default_nettype wire
