// SIMT stack: per warp a stack of {PC, RPC, active mask}; the top runs (PDOM: [ElTantawy18] §3.1,
// [Fung15] §2.3.3), with the arbiter in front of its one pipeline. Twin of models/simt/stack_unit.h, which has the same pins.
// README.md beside this file: theory of operation, contract, ports.
//
// Stage 1: of the requesters one is served, in turn; its request is registered, and the row of its warp is read. Stage 2: the request
// works on the row, and writes an entry below it; then a sequencer pushes or pops one entry per clock.

`default_nettype none

module simt_stack #(
  parameter int unsigned Warps      = 48,
  parameter int unsigned Lanes      = 32,
  parameter int unsigned Depth      = 2 * Lanes - 1,  // entries of a warp, the top included: enough without calls
  parameter int unsigned Frames     = 8,              // nested calls, the kernel included
  parameter int unsigned PcW        = 32,             // all ones: no PC
  parameter int unsigned Requesters = 3,              // the schedulers of the core, and who launches warps and releases barriers
  // The side of a divergent branch that runs first. 1: taken, 2: not taken, 3: the smaller one, or else the one not taken; 0: as
  // first_side_i says
  parameter int unsigned FirstSide  = 0,
  parameter int unsigned Debug      = 1,              // 0: the ports debug_* are 0 and cost nothing
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned DepthW = $clog2(Depth + 1),
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic [1:0]                  first_side_i,    // configuration, constant, if FirstSide is 0: as FirstSide

  // Requests. A requester holds its own until it is ready; none is of a warp whose answer is outstanding.
  input  logic [Requesters-1:0]       req_valid_i,
  output logic [Requesters-1:0]       req_ready_o,     // who is served: at most one
  input  logic [Requesters*4-1:0]     req_op_i,
  input  logic [Requesters*WarpW-1:0] req_warp_i,
  input  logic [Requesters*Lanes-1:0] req_lanes_i,     // lanes of the top that execute it; LAUNCH: those that exist
  input  logic [Requesters*PcW-1:0]   req_target_i,    // where they go: BRANCH, CALL, SIDE
  input  logic [Requesters*PcW-1:0]   req_next_i,      // target of the other lanes
  input  logic [Requesters*PcW-1:0]   req_rpc_i,       // BRANCH, SPLIT

  // The answer, which is not held: the top
  output logic                        answer_valid_o,
  output logic [WarpW-1:0]            answer_warp_o,
  output logic [1:0]                  answer_error_o,  // 1: more than Depth entries, 2: more than Frames; nothing was done
  output logic [DepthW-1:0]           answer_depth_o,  // 0: the warp has ended, there is no top
  output logic [PcW-1:0]              answer_pc_o,
  output logic [PcW-1:0]              answer_rpc_o,
  output logic [Lanes-1:0]            answer_mask_o,
  output logic [FrameW-1:0]           answer_frame_o,  // calls that it is deep in
  output logic                        answer_barrier_o,     // it waits at a barrier
  output logic                        answer_diverged_o,    // BRANCH: lanes went both ways
  output logic                        answer_reconverged_o, // an entry was popped at its RPC

  // Read-out of an entry of a warp that has no request under way: what only traces and comparisons want
  input  logic [WarpW-1:0]            debug_warp_i,
  input  logic [DepthW-1:0]           debug_position_i,  // 0: the bottom
  input  logic [FrameW-1:0]           debug_frame_i,     // call depth of that entry
  output logic [DepthW-1:0]           debug_depth_o,     // entries; 0: the warp has no stack, and the others mean nothing
  output logic                        debug_barrier_o,
  output logic [PcW-1:0]              debug_pc_o,
  output logic [PcW-1:0]              debug_rpc_o,
  output logic [Lanes-1:0]            debug_mask_o,
  output logic                        debug_caller_o     // the entry above belongs to a function that this one called
);

  if (Warps < 1 || Lanes < 1 || Depth < 2 || Frames < 1 || Requesters < 1 || FirstSide > 3 || Debug > 1) begin : gen_illegal
    $error("simt_stack: Warps, Lanes, Frames and Requesters must be at least 1, Depth 2, FirstSide at most 3, Debug 0 or 1");
  end

  typedef enum logic [3:0] {
    OpLaunch  = 4'd0,
    OpAdvance = 4'd1,
    OpBranch  = 4'd2,
    OpCall    = 4'd3,
    OpReturn  = 4'd4,
    OpExit    = 4'd5,
    OpArrive  = 4'd6,   // at a barrier
    OpRelease = 4'd7,
    OpSplit   = 4'd8,   // the top is about to be divided by SIDEs
    OpSide    = 4'd9
  } op_e;

  // Clocks from the one in which a request is served to that of its answer, if no entry is pushed or popped behind its first one.
  typedef enum logic [1:0] {
    LatencyAnswer = 2'd2
  } latency_e;

  localparam logic [PcW-1:0] NoPc = {PcW{1'b1}};
  localparam int unsigned    EntryW     = 1 + 2 * PcW + Lanes;
  localparam int unsigned    Below      = Depth - 1;
  localparam int unsigned    SlotW      = (Below > 1) ? $clog2(Below) : 1;
  localparam int unsigned    StackWords = Warps * Below;
  localparam int unsigned    StackAddrW = (StackWords > 1) ? $clog2(StackWords) : 1;
  localparam int unsigned    Callers    = (Frames > 1) ? Frames - 1 : 1;
  localparam int unsigned    CallerW    = (Callers > 1) ? $clog2(Callers) : 1;
  localparam int unsigned    FrameWords = Warps * Callers;
  localparam int unsigned    FrameAddrW = (FrameWords > 1) ? $clog2(FrameWords) : 1;

  // A warp's row: its top, and what is known of all its entries.
  typedef struct packed {
    logic [PcW-1:0]    pc;
    logic [PcW-1:0]    rpc;
    logic [Lanes-1:0]  mask;
    logic [FrameW-1:0] frame;    // calls that the top is deep in
    logic [Lanes-1:0]  present;  // lanes that have neither returned from the top's frame nor exited
    logic [Lanes-1:0]  live;     // lanes that have not exited
    logic [DepthW-1:0] depth;    // entries, the top included
    logic              barrier;
  } row_t;
  localparam int unsigned TopW = 2 * PcW + Lanes;  // that runs; the rest is known of all entries
  localparam int unsigned RowW = TopW + 2 * Lanes + FrameW + DepthW + 1;

  // Below the top. Masks are those that the entries were pushed with: lanes that have left since are taken
  // out when an entry is read.
  typedef struct packed {
    logic             caller;  // the entry above is of a function that this one called
    logic [PcW-1:0]   pc;
    logic [PcW-1:0]   rpc;
    logic [Lanes-1:0] mask;
  } entry_t;

  // ---- Stage 1: whose turn it is
  localparam int unsigned RequestW = 4 + WarpW + Lanes + 3 * PcW;
  logic [Requesters*RequestW-1:0] asked;
  logic                           room, accept;
  logic [3:0]                     op;
  logic [WarpW-1:0]               warp;
  logic [Lanes-1:0]               lanes;
  logic [PcW-1:0]                 target, next, meet;
  for (genvar r = 0; r < Requesters; r++) begin : gen_asked
    assign asked[r*RequestW +: RequestW] = {req_op_i[r*4 +: 4], req_warp_i[r*WarpW +: WarpW], req_lanes_i[r*Lanes +: Lanes],
                                            req_target_i[r*PcW +: PcW], req_next_i[r*PcW +: PcW], req_rpc_i[r*PcW +: PcW]};
  end
  turn_arbiter #(.Requesters(Requesters), .Width(RequestW)) u_arbiter (
    .clk_i, .rst_ni, .valid_i(req_valid_i), .request_i(asked), .room_i(room), .ready_o(req_ready_o), .accept_o(accept),
    .request_o({op, warp, lanes, target, next, meet})
  );

  // ---- Between the stages
  logic             busy_q;      // stage 2 has a request ...
  logic             push_q, push_d;  // ... and the top goes below the side that runs first,
  logic             pop_q, pop_d;    // or the entry that was read is the top, unless it has to be popped too; or neither, in its first clock
  logic [3:0]       op_q;
  logic [WarpW-1:0] warp_q;
  logic [Lanes-1:0] lanes_q;
  logic [PcW-1:0]   target_q, next_q, meet_q;
  logic             target_meets_q, next_meets_q;  // is the meeting point
  row_t             row;         // ... of the warp with this row: in its first clock;
  row_t             row_q;       // behind it
  entry_t           read_q;        // word read from the entries
  logic [Lanes-1:0] read_lanes_q;  // of lanes that had not returned from a frame when the one above it was called
  logic [PcW-1:0]   first_pc_q;    // the side that a second push makes the top
  logic [Lanes-1:0] first_mask_q;
  logic             diverged_q, reconverged_q;

  // ---- Stage 2. The lanes of the top that do what is asked, and the others
  logic [Lanes-1:0] hit, miss;
  logic             some_hit, some_miss, diverges;
  assign hit       = row.mask & lanes_q;
  assign miss      = row.mask & ~lanes_q;
  assign some_hit  = hit != '0;
  assign some_miss = miss != '0;
  assign diverges  = some_hit && some_miss;

  // ---- Sides of a divergent branch
  logic             keep, push_first, push_second, taken_first;
  logic [PcW-1:0]   first_pc, second_pc;
  logic [Lanes-1:0] first_mask, second_mask;
  simt_stack_sides #(.Lanes(Lanes), .PcW(PcW), .FirstSide(FirstSide)) u_sides (
    .first_side_i, .hit_i(hit), .miss_i(miss), .target_i(target_q), .next_i(next_q), .taken_first_o(taken_first),
    .first_pc_o(first_pc), .first_mask_o(first_mask), .second_pc_o(second_pc), .second_mask_o(second_mask)
  );
  // The entry at which the sides meet again; not needed if the one below waits there already.
  assign keep        = row.rpc != meet_q;
  assign push_first  = taken_first ? !target_meets_q : !next_meets_q;
  assign push_second = taken_first ? !next_meets_q : !target_meets_q;

  // ---- What is at the top's RPC
  logic rpc_there, next_arrives, target_arrives, pc_arrives;
  assign rpc_there      = row.rpc != NoPc;
  assign next_arrives   = next_q == row.rpc && rpc_there;
  assign target_arrives = target_q == row.rpc && rpc_there;
  assign pc_arrives     = row.pc == row.rpc && rpc_there;

  // ---- The first clock of a request: new top, increase in the number of entries, an entry to be written
  row_t   done;          // the row but for its depth and frame
  logic   arrives;       // the top has reached its RPC, and is popped
  logic   leaves;        // lanes go, so that the top may be empty
  logic   drops;         // the top goes, whatever it is
  logic   calls;
  logic   ends;          // the warp
  logic   second_write;  // a second push follows
  logic   write;
  entry_t written;
  always_comb begin
    done         = row;
    {arrives, leaves, drops, calls, ends, second_write, write} = '0;
    written      = {1'b0, meet_q, row.rpc, row.mask};
    unique case (op_q)
      OpLaunch: begin
        done.pc      = next_q;
        done.rpc     = NoPc;
        done.mask    = lanes_q;
        done.present = lanes_q;
        done.live    = lanes_q;
        done.barrier = 1'b0;
      end
      OpAdvance: begin
        done.pc = next_q;
        arrives = next_arrives;
      end
      OpBranch: begin
        if (!diverges) begin
          done.pc = some_hit ? target_q : next_q;
          arrives = some_hit ? target_arrives : next_arrives;
        end else if (push_first && push_second) begin
          // Written at once: the lowest entry.
          write        = 1'b1;
          second_write = keep;
          if (!keep) written = {1'b0, second_pc, meet_q, second_mask};
          done.pc      = keep ? second_pc : first_pc;
          done.rpc     = meet_q;
          done.mask    = keep ? second_mask : first_mask;
        end else if (push_first || push_second) begin
          write     = keep;
          done.pc   = push_first ? first_pc : second_pc;
          done.rpc  = meet_q;
          done.mask = push_first ? first_mask : second_mask;
        end else begin
          done.pc = meet_q;
          drops   = !keep;
        end
      end
      OpCall: begin
        done.pc = next_q;
        arrives = !some_hit && next_arrives;
        if (some_hit) begin
          calls        = 1'b1;
          write        = 1'b1;
          written      = {1'b1, next_q, row.rpc, row.mask};
          done.pc      = target_q;
          done.rpc     = NoPc;
          done.mask    = hit;
          done.present = hit;
        end
      end
      OpReturn, OpExit: begin
        done.pc      = next_q;
        done.mask    = miss;
        done.present = row.present & ~hit;
        if (op_q == OpExit) begin
          done.live = row.live & ~hit;
          ends      = done.live == '0;  // no need to search the entries: none has a lane left
        end
        leaves  = 1'b1;
        arrives = next_arrives;
      end
      OpArrive: begin
        done.pc      = next_q;
        done.barrier = 1'b1;
      end
      OpRelease: begin
        done.barrier = 1'b0;
        arrives      = pc_arrives;
      end
      OpSplit: begin
        write    = keep;
        done.rpc = meet_q;
      end
      default: begin  // SIDE
        if (some_miss) begin
          write     = target_q != row.rpc;
          written   = {1'b0, target_q, row.rpc, hit};
          done.mask = miss;
        end else begin
          done.pc = target_q;
          drops   = target_q == row.rpc;
        end
      end
    endcase
  end

  // Entries after all pushes: two more than at present, or one.
  logic no_room, no_frame;
  assign no_room  = second_write ? row.depth >= DepthW'(Depth - 1) : write && row.depth >= DepthW'(Depth);
  assign no_frame = calls && row.frame == FrameW'(Frames - 1);

  // ---- A pop: the entry that was read, without the lanes that have left
  logic [Lanes-1:0] popped_present, popped_mask;
  logic             popped_empty, popped_arrived;
  assign popped_present = read_q.caller ? read_lanes_q & row_q.live : row_q.present;
  assign popped_mask    = read_q.mask & popped_present;
  assign popped_empty   = popped_mask == '0;
  assign popped_arrived = read_q.pc == read_q.rpc && read_q.rpc != NoPc;

  // ---- Next state of the row, and of the sequencer
  row_t       row_d;
  logic [1:0] error;
  logic       diverged_d, reconverged_d, pop, first;
  assign first = !push_q && !pop_q;
  always_comb begin
    push_d        = 1'b0;
    pop_d         = 1'b0;
    row_d         = row_q;
    error         = 2'd0;
    diverged_d    = diverged_q;
    reconverged_d = reconverged_q;
    pop           = 1'b0;
    if (first) begin
      diverged_d    = 1'b0;
      reconverged_d = 1'b0;
      row_d         = row;
      if (no_room) error = 2'd1;
      else if (no_frame) error = 2'd2;
      else begin
        row_d         = done;
        pop           = !ends && (drops || (leaves && !some_miss) || arrives);
        diverged_d    = op_q == OpBranch && diverges;
        reconverged_d = arrives && !(leaves && !some_miss);
        if (op_q == OpLaunch) begin
          row_d.depth = DepthW'(1);
          row_d.frame = '0;
        end else if (ends)  row_d.depth = '0;
        else if (pop)       row_d.depth = row.depth - 1'b1;
        else if (write)     row_d.depth = row.depth + 1'b1;
        if (calls) row_d.frame = row.frame + 1'b1;
        push_d = second_write;
        pop_d  = pop;
      end
    end else if (push_q) begin
      row_d.pc    = first_pc_q;
      row_d.mask  = first_mask_q;
      row_d.depth = row_q.depth + 1'b1;
    end else begin
      row_d.pc      = read_q.pc;
      row_d.rpc     = read_q.rpc;
      row_d.mask    = popped_mask;
      row_d.present = popped_present;
      row_d.frame   = row_q.frame - FrameW'(read_q.caller);
      pop           = popped_empty || popped_arrived;
      if (!popped_empty && popped_arrived) reconverged_d = 1'b1;
      pop_d         = pop;
      if (pop) row_d.depth = row_q.depth - 1'b1;
    end
  end

  logic complete;
  assign complete = busy_q && !push_d && !pop_d;
  assign room     = !busy_q || complete;

  // ---- The memories. What may be popped next is read at any rate, so that whether it is need not be known; it is below what is written,
  // and not below the bottom, where another warp's may be on its way. LAUNCH reads nothing: the depth of its warp may be undefined.
  logic                  stack_write, lanes_write;
  entry_t                stack_written;
  logic [DepthW-1:0]     depth;
  logic [FrameW-1:0]     frame;
  logic [StackAddrW-1:0] stack_base, push_addr, pop_addr;
  logic [FrameAddrW-1:0] lanes_base, call_addr, return_addr;
  assign stack_write   = first ? write && error == 2'd0 : push_q;
  assign stack_written = first ? written : {1'b0, row_q.pc, row_q.rpc, row_q.mask};
  assign lanes_write   = first && calls && error == 2'd0;
  assign depth         = first ? row.depth : row_q.depth;
  assign frame         = first ? row.frame : row_d.frame;
  assign stack_base    = StackAddrW'(warp_q) * StackAddrW'(Below);
  assign lanes_base    = FrameAddrW'(warp_q) * FrameAddrW'(Callers);
  assign push_addr     = stack_base + StackAddrW'(SlotW'(depth - DepthW'(1)));
  assign pop_addr      = stack_base + StackAddrW'(SlotW'(pop_q ? row_q.depth - DepthW'(2) : row.depth - DepthW'(2)));
  assign call_addr     = lanes_base + FrameAddrW'(CallerW'(frame));
  assign return_addr   = lanes_base + FrameAddrW'(CallerW'(frame - 1'b1));

  row_t                  debug_row;
  logic [StackAddrW-1:0] debug_stack_addr;
  logic [FrameAddrW-1:0] debug_lanes_addr;
  entry_t                debug_entry;
  logic [Lanes-1:0]      debug_lanes;
  ram_1r1w #(.Words(Warps), .Width(TopW), .Debug(Debug)) u_top (
    .clk_i, .write_i(busy_q), .write_addr_i(warp_q), .write_data_i(row_d[RowW-1 -: TopW]),
    .read_i(accept), .read_addr_i(warp), .read_data_o(row[RowW-1 -: TopW]),
    .debug_addr_i(debug_warp_i), .debug_data_o(debug_row[RowW-1 -: TopW])
  );
  ram_1r1w #(.Words(Warps), .Width(RowW - TopW), .Debug(Debug)) u_rest (
    .clk_i, .write_i(busy_q), .write_addr_i(warp_q), .write_data_i(row_d[RowW-TopW-1:0]),
    .read_i(accept), .read_addr_i(warp), .read_data_o(row[RowW-TopW-1:0]),
    .debug_addr_i(debug_warp_i), .debug_data_o(debug_row[RowW-TopW-1:0])
  );
  ram_1r1w_late #(.Words(StackWords), .Width(EntryW), .Debug(Debug)) u_stack (
    .clk_i, .write_i(busy_q && stack_write), .write_addr_i(push_addr), .write_data_i(stack_written),
    .read_i(busy_q && !push_q && op_q != OpLaunch && depth > DepthW'(1)), .read_addr_i(pop_addr), .read_data_o(read_q),
    .debug_addr_i(debug_stack_addr), .debug_data_o(debug_entry)
  );
  ram_1r1w #(.Words(FrameWords), .Width(Lanes), .Debug(Debug)) u_lanes (
    .clk_i, .write_i(busy_q && lanes_write), .write_addr_i(call_addr), .write_data_i(row.present),
    .read_i(busy_q), .read_addr_i(return_addr), .read_data_o(read_lanes_q),
    .debug_addr_i(debug_lanes_addr), .debug_data_o(debug_lanes)
  );

  // ---- Registers
  logic answer_valid_q;
  always_ff @(posedge clk_i) begin
    if (accept) begin
      op_q           <= op;
      warp_q         <= warp;
      lanes_q        <= lanes;
      target_q       <= target;
      next_q         <= next;
      meet_q         <= meet;
      target_meets_q <= target == meet;
      next_meets_q   <= next == meet;
    end
    if (busy_q) begin
      row_q         <= row_d;
      diverged_q    <= diverged_d;
      reconverged_q <= reconverged_d;
      first_pc_q    <= first_pc;
      first_mask_q  <= first_mask;
      answer_warp_o  <= warp_q;
      answer_error_o <= error;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q         <= 1'b0;
      push_q         <= 1'b0;
      pop_q          <= 1'b0;
      answer_valid_q <= 1'b0;
    end else begin
      if (room) busy_q <= accept;
      if (busy_q) {push_q, pop_q} <= {push_d, pop_d};
      answer_valid_q <= complete;
    end
  end
  // The row as it was written last
  assign answer_valid_o = answer_valid_q;
  assign {answer_pc_o, answer_rpc_o, answer_mask_o, answer_frame_o} = {row_q.pc, row_q.rpc, row_q.mask, row_q.frame};
  assign {answer_depth_o, answer_barrier_o, answer_diverged_o, answer_reconverged_o} = {row_q.depth, row_q.barrier, diverged_q, reconverged_q};

  // ---- Read-out
  if (Debug != 0) begin : gen_debug
    // Whether a warp has a stack, of which nothing depends: after reset it has none.
    logic [Warps-1:0] there_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) there_q <= '0;
      else if (busy_q) there_q[warp_q] <= row_d.depth != '0;
    end
    logic top;
    assign top              = debug_position_i + 1'b1 >= debug_row.depth;
    assign debug_stack_addr = StackAddrW'(debug_warp_i) * StackAddrW'(Below) + StackAddrW'(SlotW'(debug_position_i));
    assign debug_lanes_addr = FrameAddrW'(debug_warp_i) * FrameAddrW'(Callers) + FrameAddrW'(CallerW'(debug_frame_i));
    assign debug_depth_o    = there_q[debug_warp_i] ? debug_row.depth : '0;
    assign debug_barrier_o  = debug_row.barrier;
    assign debug_pc_o       = top ? debug_row.pc : debug_entry.pc;
    assign debug_rpc_o      = top ? debug_row.rpc : debug_entry.rpc;
    assign debug_mask_o     = top ? debug_row.mask
                                  : debug_entry.mask & (debug_frame_i == debug_row.frame ? debug_row.present
                                                                                       : debug_lanes & debug_row.live);
    assign debug_caller_o   = !top && debug_entry.caller;
  end else begin : gen_no_debug
    assign {debug_depth_o, debug_barrier_o, debug_pc_o, debug_rpc_o, debug_mask_o, debug_caller_o} = '0;
    assign {debug_stack_addr, debug_lanes_addr} = '0;
    logic unused_debug;
    assign unused_debug = ^{debug_warp_i, debug_position_i, debug_frame_i, debug_row, debug_entry, debug_lanes};
  end

`ifdef VERILATOR
  // The contract of who asks: one request of a warp at a time.
  always_ff @(posedge clk_i) assert (!(accept && busy_q && warp == warp_q));
`endif

endmodule

`default_nettype wire
