// Which entries of its warp's set a reservation takes: registers that have one keep it (Masks), others take the lowest free ones, in
// the order of the ports, the n-th of them the n-th free entry. A part of scoreboard.sv.

`default_nettype none

module scoreboard_room #(
  parameter int unsigned Entries    = 8,
  parameter int unsigned RegW       = 8,
  parameter int unsigned Masks      = 0,
  parameter int unsigned WritePorts = 3
) (
  input  logic [Entries-1:0]         valid_i,  // of the set
  input  logic [Entries*RegW-1:0]    row_i,    // its registers
  input  logic [WritePorts-1:0]      used_i,
  input  logic [WritePorts*RegW-1:0] reg_i,
  output logic [Entries-1:0]         allocated_o,  // entries that are taken,
  output logic [Entries*RegW-1:0]    by_o,         // ... by these registers
  output logic [Entries-1:0]         kept_o        // entries of the other registers
);

  // Of each entry, whether n free ones at least are below it: of its neighbour, of two, of four, ...
  logic [(WritePorts+1)*Entries-1:0] least, next;
  always_comb begin
    least                     = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      least[e]           = 1'b1;
      least[Entries + e] = e != 0 && !valid_i[e-1];
    end
    for (int unsigned d = 1; d < Entries; d = 2 * d) begin
      next = least;
      for (int unsigned n = 1; n <= WritePorts; n++)
        for (int unsigned k = 0; k < n; k++)
          next[n*Entries +: Entries] = next[n*Entries +: Entries] | (least[k*Entries +: Entries] & (least[(n-k)*Entries +: Entries] << d));
      least = next;
    end
  end

  // The n-th register without an entry, if there is one.
  logic [WritePorts:0]        at;
  logic [WritePorts-1:0]      there;
  logic [WritePorts*RegW-1:0] nth;
  always_comb begin
    kept_o = '0;
    at     = (WritePorts + 1)'(1);
    there  = '0;
    nth    = '0;
    for (int unsigned p = 0; p < WritePorts; p++) begin
      logic [Entries-1:0] found;
      for (int unsigned e = 0; e < Entries; e++)
        found[e] = Masks != 0 && valid_i[e] && row_i[e*RegW +: RegW] == reg_i[p*RegW +: RegW];
      if (used_i[p]) begin
        kept_o = kept_o | found;
        if (found == '0) begin
          there = there | at[WritePorts-1:0];
          for (int unsigned n = 0; n < WritePorts; n++)
            if (at[n]) nth[n*RegW +: RegW] = reg_i[p*RegW +: RegW];
          at = at << 1;
        end
      end
    end
  end

  always_comb begin
    allocated_o = '0;
    by_o        = '0;
    for (int unsigned n = 0; n < WritePorts; n++)
      for (int unsigned e = 0; e < Entries; e++)
        if (least[n*Entries+e] && !least[(n+1)*Entries+e]) begin
          allocated_o[e]        = !valid_i[e] && there[n];
          by_o[e*RegW +: RegW] = by_o[e*RegW +: RegW] | nth[n*RegW +: RegW];
        end
  end

  logic unused;
  assign unused = ^{at[WritePorts], row_i};
endmodule

`default_nettype wire
