// A small reconvergence table with a user that keeps to the contract of README.md, and what the frame of all
// twins promises (rtl/README.md). The table's own invariants are beside what they are about, in its modules.

`default_nettype none

// Every generate branch: contents in memory, or all of them here; calls and timers, or not.
module reconvergence_table_formal (
  input logic               clk_i,
  input logic               cfg_victim_most_recent_i,
  input logic [2:0]   cfg_timeout_i,
  input logic               req_valid_i,
  input logic [3:0]         req_op_i,
  input logic [0:0]         req_warp_i,
  input logic [1:0]         req_id_i,
  input logic [1:0]   req_lanes_i,
  input logic [2:0]   req_time_i,
  input logic [4:0]     req_pc_i,
  input logic [0:0]  req_frame_i,
  input logic [1:0]         req_kind_i,
  input logic               req_rpc_valid_i,
  input logic [4:0]     req_rpc_i,
  input logic [1:0]         req_index_i,
  input logic [0:0]  req_rpc_frame_i,
  input logic [1:0]         req_rpc_kind_i,
  input logic [1:0]   req_rec_i,
  input logic [1:0]   req_pend_i,
  input logic [13:0] req_record_i,
  input logic               rsp_ready_i
);
  (* anyconst *) logic [1:0] only;  // which of them is asked: the inputs of one do not bind the others
  reconvergence_table_properties #(.Physical(2)) u_virtual (.req_valid_i(req_valid_i && only == 2'd0), .*);
  reconvergence_table_properties #(.Physical(2), .Calls(0), .Timers(0)) u_virtual_plain (
    .req_valid_i(req_valid_i && only == 2'd1), .*
  );
  reconvergence_table_properties #(.Physical(4), .Calls(0), .Timers(0)) u_all_plain (
    .req_valid_i(req_valid_i && only == 2'd2), .*
  );
endmodule

module reconvergence_table_properties #(
  localparam int unsigned Warps    = 2,
  localparam int unsigned Entries  = 4,
  parameter  int unsigned Physical = 2,
  parameter  int unsigned Calls    = 1,
  parameter  int unsigned Timers   = 1,
  localparam int unsigned PcW      = 5,
  localparam int unsigned Lanes    = 2,
  localparam int unsigned FrameW   = 1,
  localparam int unsigned TimeW    = 3,
  localparam int unsigned RecordW  = 2 * PcW + 2 * Lanes,
  localparam int unsigned VisitsW  = $clog2(Warps * Entries + 1)
) (
  input logic               clk_i,
  input logic               cfg_victim_most_recent_i,
  input logic [TimeW-1:0]   cfg_timeout_i,
  input logic               req_valid_i,
  input logic [3:0]         req_op_i,
  input logic [0:0]         req_warp_i,
  input logic [1:0]         req_id_i,
  input logic [Lanes-1:0]   req_lanes_i,
  input logic [TimeW-1:0]   req_time_i,
  input logic [PcW-1:0]     req_pc_i,
  input logic [FrameW-1:0]  req_frame_i,
  input logic [1:0]         req_kind_i,
  input logic               req_rpc_valid_i,
  input logic [PcW-1:0]     req_rpc_i,
  input logic [1:0]         req_index_i,
  input logic [FrameW-1:0]  req_rpc_frame_i,
  input logic [1:0]         req_rpc_kind_i,
  input logic [Lanes-1:0]   req_rec_i,
  input logic [Lanes-1:0]   req_pend_i,
  input logic [RecordW-1:0] req_record_i,
  input logic               rsp_ready_i
);
`include "reconvergence_table_codes.svh"

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic req_ready_o, rsp_valid_o;
  logic rsp_ok_o, rsp_in_use_o, rsp_rpc_valid_o, rsp_timer_runs_o;
  logic [0:0] rsp_warp_o;
  logic [1:0] rsp_id_o, rsp_index_o, rsp_kind_o, rsp_rpc_kind_o;
  logic [PcW-1:0] rsp_pc_o, rsp_rpc_o;
  logic [FrameW-1:0] rsp_frame_o, rsp_rpc_frame_o;
  logic [Lanes-1:0] rsp_rec_o, rsp_pend_o;
  logic [RecordW-1:0] rsp_record_o;
  logic [TimeW-1:0] rsp_deadline_o;
  logic formal_in_use_o, formal_resident_o, formal_any_o;
  logic [VisitsW-1:0] formal_visits_o;
  reconvergence_table #(
    .Warps(Warps), .Entries(Entries), .Physical(Physical), .PcW(PcW), .Lanes(Lanes), .FrameW(FrameW),
    .TimeW(TimeW), .Calls(Calls), .Timers(Timers)
  ) u_table (.*);

  // ---- The user
  // Without calls a point has a PC, and a parent where its RPC is not none. With all contents here none leave or come.
  always_comb begin
    if (req_valid_i && Calls == 0) assume (req_rpc_valid_i == !(&req_rpc_i));
    if (req_valid_i && Physical == Entries) assume (req_op_i != OpEvict && req_op_i != OpFill);
  end
  // A PC fits a spill record, or is all ones: none.
  function automatic logic fits(input logic [PcW-1:0] pc);
    fits = &pc || (pc[PcW-1 -: 3] == '0 && !(&pc[PcW-4:0]));
  endfunction
  always_comb begin
    if (req_valid_i) begin
      assume (req_op_i <= OpHasFired);  // the last
      assume (fits(req_pc_i) && fits(req_rpc_i));
      assume (req_rpc_valid_i || req_index_i == '0);
      assume ((req_pend_i & ~req_rec_i) == '0);
      unique case (req_op_i)  // begin: yosys takes `Name: assume` for a label
        OpWrite, OpArrive, OpLeave, OpGoAlone: begin assume (formal_in_use_o && formal_resident_o); end
        OpFree, OpHasFired:                    begin assume (formal_in_use_o); end
        OpFill:                                begin assume (formal_in_use_o && !formal_resident_o); end
        OpEvict:                               begin assume (formal_any_o); end
        default: ;
      endcase
    end
  end

  // ---- No request is lost, none is answered that was not made; an answer stays until it is taken.
  logic               waiting_q = 1'b0;  // for an answer
  logic               kept_q = 1'b0;     // an answer was there and not taken
  logic [VisitsW-1:0] waited_q;
  logic [RecordW+TimeW+9:0] answer, answer_q;
  assign answer = {rsp_record_o, rsp_id_o, rsp_index_o, rsp_kind_o, rsp_ok_o, rsp_in_use_o, rsp_warp_o,
                   rsp_timer_runs_o, rsp_deadline_o};
  always_ff @(posedge clk_i) begin
    waiting_q <= (waiting_q && !(rsp_valid_o && rsp_ready_i)) || (rst_ni && req_valid_i && req_ready_o);
    waited_q  <= (waiting_q && !rsp_valid_o) ? waited_q + 1'b1 : '0;
    kept_q    <= rst_ni && rsp_valid_o && !rsp_ready_i;
    answer_q  <= answer;
  end
  always_comb begin
    if (rst_ni) begin
      assert (!rsp_valid_o || waiting_q);
      assert (!waiting_q || rsp_valid_o || !req_ready_o);
      assert (!waiting_q || rsp_valid_o || waited_q == formal_visits_o);
      assert (!waiting_q || rsp_valid_o || waited_q < Warps * Entries);
      assert (waiting_q || req_ready_o);
      if (kept_q) assert (rsp_valid_o && answer == answer_q);
    end
  end

  // ---- All of this happens: an answer waits; no number is left; a number without room for its contents; a number
  // that was freed is taken again; contents leave and come back; FIRED finds the second timer that it visits, and
  // HAS_FIRED then says so.
  logic [3:0] op_q;
  logic       freed_q = 1'b0, evicted_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      op_q      <= req_op_i;
      freed_q   <= rst_ni && (freed_q || req_op_i == OpFree);
      evicted_q <= rst_ni && (evicted_q || req_op_i == OpEvict);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && rsp_valid_o) begin
      cover (kept_q);
      cover (op_q == OpInsert && !rsp_in_use_o);
      cover (op_q == OpInsert && freed_q && rsp_id_o == 2'd3);
    end
  end
  if (Physical != Entries) begin : gen_virtual
    always_ff @(posedge clk_i) begin
      if (rst_ni && rsp_valid_o) begin
        cover (op_q == OpInsert && rsp_in_use_o && !rsp_ok_o);
        cover (op_q == OpFill && rsp_ok_o && evicted_q);
        cover (op_q == OpFill && !rsp_ok_o);
      end
    end
  end
  if (Timers != 0) begin : gen_timed
    always_ff @(posedge clk_i) begin
      if (rst_ni && rsp_valid_o) begin
        cover (op_q == OpFired && rsp_ok_o && $past(waited_q) == VisitsW'(1));
        cover (op_q == OpHasFired && rsp_ok_o);
      end
    end
  end

endmodule

`default_nettype wire
