// warp_scheduler with one register stage too many, which the comparison clock by clock must notice, and the GPU's cycles
// must show: in front of the grant, or behind the commit.

`default_nettype none

module late_warp_scheduler #(
  parameter int unsigned Warps      = 64,
  parameter int unsigned Gto        = 1,
  parameter int unsigned LateGrant  = 0,
  parameter int unsigned LateCommit = 0,
  localparam int unsigned WarpW     = $clog2(Warps)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Warps-1:0]       assign_i,
  input  logic [Warps-1:0]       leave_i,
  input  logic                   rotate_i,
  input  logic                   stalled_i,
  input  logic [Warps-1:0]       candidates_i,
  output logic                   grant_valid_o,
  output logic [WarpW-1:0]       grant_o,
  input  logic                   issued_valid_i,
  input  logic [WarpW-1:0]       issued_i,
  output logic [Warps-1:0]       debug_last_o,
  output logic                   debug_greedy_o,
  output logic [Warps-1:0]       debug_there_o,
  output logic [Warps*Warps-1:0] debug_older_o
);

  logic             grant_valid, grant_valid_q, issued_valid_q;
  logic [WarpW-1:0] grant, grant_q, issued_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grant_valid_q  <= 1'b0;
      grant_q        <= '0;
      issued_valid_q <= 1'b0;
      issued_q       <= '0;
    end else begin
      grant_valid_q  <= grant_valid;
      grant_q        <= grant;
      issued_valid_q <= issued_valid_i;
      issued_q       <= issued_i;
    end
  end

  warp_scheduler #(.Warps(Warps), .Gto(Gto)) u_warp_scheduler (
    .clk_i, .rst_ni, .assign_i, .leave_i, .rotate_i, .stalled_i, .candidates_i,
    .grant_valid_o(grant_valid), .grant_o(grant),
    .issued_valid_i((LateCommit != 0) ? issued_valid_q : issued_valid_i),
    .issued_i((LateCommit != 0) ? issued_q : issued_i),
    .debug_last_o, .debug_greedy_o, .debug_there_o, .debug_older_o
  );

  assign grant_valid_o = (LateGrant != 0) ? grant_valid_q : grant_valid;
  assign grant_o       = (LateGrant != 0) ? grant_q : grant;

endmodule

`default_nettype wire
