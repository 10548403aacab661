// Who of several requesters is served: the first behind the one that was served last.

`default_nettype none

module turn_arbiter #(
  parameter int unsigned Requesters = 3,
  parameter int unsigned Width      = 32   // of a request
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [Requesters-1:0]       valid_i,
  input  logic [Requesters*Width-1:0] request_i,
  input  logic                        room_i,     // one can be served
  output logic [Requesters-1:0]       ready_o,    // who is
  output logic                        accept_o,   // one is
  output logic [Width-1:0]            request_o   // of whose turn it is
);

  // The lowest of a set: all bits at once, none behind another.
  function automatic logic [Requesters-1:0] lowest(input logic [Requesters-1:0] set);
    for (int unsigned r = 0; r < Requesters; r++) lowest[r] = set[r] && (set & ~({Requesters{1'b1}} << r)) == '0;
  endfunction

  logic [Requesters-1:0] behind_q, grant;
  assign grant    = (valid_i & behind_q) != '0 ? lowest(valid_i & behind_q) : lowest(valid_i);
  assign ready_o  = grant & {Requesters{room_i}};
  assign accept_o = valid_i != '0 && room_i;
  always_comb begin
    request_o = '0;
    for (int unsigned r = 0; r < Requesters; r++)
      request_o = request_o | (request_i[r*Width +: Width] & {Width{grant[r]}});
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else if (accept_o) behind_q <= ~(grant | (grant - 1'b1));
  end

endmodule

`default_nettype wire
