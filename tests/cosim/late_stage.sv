// A register between two handshakes, or none.

`default_nettype none

module late_stage #(
  parameter int unsigned Late  = 0,
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic             valid_q;
  logic [Width-1:0] data_q;
  always_ff @(posedge clk_i) if (ready_o && valid_i) data_q <= data_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i || (valid_q && !ready_i);
  end
  assign ready_o = (Late != 0) ? !valid_q || ready_i : ready_i;
  assign valid_o = (Late != 0) ? valid_q : valid_i;
  assign data_o  = (Late != 0) ? data_q : data_i;

endmodule

`default_nettype wire
