// What the answers say at the pins of a number that is followed, any one, beside what the table has then: which number an INSERT has taken, and whether
// there was one; whether contents are here behind INSERT, READ and FILL; and whose timer FIRED has found.

`default_nettype none

module reconvergence_answers #(
  parameter int unsigned WarpW = 1,
  parameter int unsigned IdW   = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             accept,
  input logic             search_done,
  input logic             op_insert,         // a number is taken,
  input logic             is_watched,        // which is the one that is followed, as is that of another request
  input logic             found_watched,     // FIRED has found its timer
  input logic             watched_in_use,
  input logic             watched_resident,
  input logic [WarpW-1:0] watched_warp,
  input logic [IdW-1:0]   watched_id,
  input logic [3:0]       req_op_i,
  input logic [WarpW-1:0] req_warp_i,
  input logic             rsp_valid_o,
  input logic             rsp_ok_o,
  input logic             rsp_in_use_o,
  input logic [WarpW-1:0] rsp_warp_o,
  input logic [IdW-1:0]   rsp_id_o
);
`include "reconvergence_table_codes.svh"

  logic read_q, inserts_q, taken_q, filled_q, fires_q, found_q;  // is the answer
  logic was_free_q, was_here_q;
  always_ff @(posedge clk_i) begin
    if (accept || search_done) begin
      read_q     <= accept && req_op_i == OpRead && is_watched;
      inserts_q  <= accept && req_op_i == OpInsert && req_warp_i == watched_warp;
      taken_q    <= op_insert && is_watched;
      filled_q   <= accept && req_op_i == OpFill && is_watched;
      fires_q    <= search_done;
      found_q    <= found_watched;
      was_free_q <= !watched_in_use;
      was_here_q <= watched_resident;
    end
  end
  always_comb begin
    if (rst_ni && rsp_valid_o) begin
      if (read_q) assert (rsp_in_use_o == !was_free_q && rsp_ok_o == was_here_q);
      if (inserts_q) assert (taken_q == (rsp_in_use_o && rsp_id_o == watched_id));
      if (inserts_q && was_free_q) assert (rsp_in_use_o);
      if (inserts_q && !rsp_in_use_o) assert (!rsp_ok_o);
      if (taken_q || filled_q) assert (rsp_ok_o == watched_resident);
      if (fires_q) assert (found_q == (rsp_ok_o && rsp_warp_o == watched_warp && rsp_id_o == watched_id));
    end
  end

endmodule

`default_nettype wire
