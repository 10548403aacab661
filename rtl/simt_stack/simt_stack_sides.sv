// Which side of a divergent branch runs first. A part of simt_stack.sv, the only one that FirstSide changes.

`default_nettype none

module simt_stack_sides #(
  parameter int unsigned Lanes     = 32,
  parameter int unsigned PcW       = 32,
  parameter int unsigned FirstSide = 0   // 1: taken, 2: not taken, 3: the smaller one, or else the one not taken; 0: as first_side_i says
) (
  input  logic [1:0]       first_side_i,
  input  logic [Lanes-1:0] hit_i,          // lanes that go to target_i
  input  logic [Lanes-1:0] miss_i,         // lanes that go to next_i
  input  logic [PcW-1:0]   target_i,
  input  logic [PcW-1:0]   next_i,
  output logic             taken_first_o,
  output logic [PcW-1:0]   first_pc_o,
  output logic [Lanes-1:0] first_mask_o,
  output logic [PcW-1:0]   second_pc_o,
  output logic [Lanes-1:0] second_mask_o
);

  localparam int unsigned CountW = $clog2(Lanes + 1);
  function automatic logic [CountW-1:0] count(input logic [Lanes-1:0] lanes);
    count = '0;
    for (int unsigned l = 0; l < Lanes; l++) count = count + CountW'(lanes[l]);
  endfunction

  logic taken_first;
  if (FirstSide == 0) begin : gen_configured
    assign taken_first = (first_side_i == 2'd3) ? count(hit_i) < count(miss_i) : first_side_i == 2'd1;
  end else begin : gen_constant
    if (FirstSide == 3) begin : gen_smaller
      assign taken_first = count(hit_i) < count(miss_i);
    end else begin : gen_side
      assign taken_first = FirstSide == 1;
    end
    logic unused;
    assign unused = ^first_side_i;
  end

  assign taken_first_o = taken_first;
  assign first_pc_o    = taken_first ? target_i : next_i;
  assign first_mask_o  = taken_first ? hit_i : miss_i;
  assign second_pc_o   = taken_first ? next_i : target_i;
  assign second_mask_o = taken_first ? miss_i : hit_i;

endmodule

`default_nettype wire
