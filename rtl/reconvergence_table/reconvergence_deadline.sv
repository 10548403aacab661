// The first time beyond a limit from now on: now + limit + 1. Part of reconvergence_table.
//
// The sum is of parts, both with and without a carry into them, so that no carry goes through all bits. Few bits have parts as
// well, for the proof.

`default_nettype none

module reconvergence_deadline #(
  parameter int unsigned TimeW = 32
) (
  input  logic [TimeW-1:0] now_i,
  input  logic [TimeW-1:0] limit_i,
  output logic [TimeW-1:0] deadline_o
);
  localparam int unsigned PartW = (TimeW < 16) ? 2 : 8;
  localparam int unsigned SumW  = (TimeW + PartW - 1) / PartW * PartW;
  logic [SumW-1:0] left, right, sum;
  logic [PartW:0]  without, with_one;
  logic            carry;
  assign left  = SumW'(now_i);
  assign right = SumW'(limit_i);
  always_comb begin
    sum      = '0;
    carry    = 1'b1;
    without  = '0;
    with_one = '0;
    for (int unsigned i = 0; i < SumW; i = i + PartW) begin
      without         = {1'b0, left[i +: PartW]} + {1'b0, right[i +: PartW]};
      with_one        = {1'b0, left[i +: PartW]} + {1'b0, right[i +: PartW]} + 1'b1;
      sum[i +: PartW] = carry ? with_one[PartW-1:0] : without[PartW-1:0];
      carry           = carry ? with_one[PartW] : without[PartW];
    end
  end
  assign deadline_o = TimeW'(sum);
endmodule

`default_nettype wire
