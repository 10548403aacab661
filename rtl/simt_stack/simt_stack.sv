// SIMT stack: per warp a stack of {PC, RPC, active mask}; the top runs (PDOM: [ElTantawy18] §3.1,
// [Fung15] §2.3.3). Twin of models/simt/simt_stack.h. README.md beside this file: theory of operation,
// ports, clocks.
//
// The top of every warp is in a separate row; the entries below are in a single-port memory, one entry per
// word, read synchronously. A request operates on the top in the clock in which it is accepted, with one
// memory access; the sequencer then pushes or pops one entry per clock.

`default_nettype none

module simt_stack #(
  parameter int unsigned Warps   = 48,
  parameter int unsigned Lanes   = 32,
  parameter int unsigned Depth   = 2 * Lanes - 1,  // entries of a warp, the top included: enough without calls
  parameter int unsigned Frames  = 8,              // nested calls, the kernel included
  parameter int unsigned PcW     = 32,             // all ones: no PC
  // The side of a divergent branch that runs first. 1: taken, 2: not taken, 3: the smaller one, or else the one not taken; 0: as
  // first_side_i says
  parameter int unsigned FirstSide = 0,
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned DepthW = $clog2(Depth + 1),
  localparam int unsigned FrameW = (Frames > 1) ? $clog2(Frames) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [1:0]        first_side_i,    // configuration, constant, if FirstSide is 0: as FirstSide

  // Request
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [3:0]        req_op_i,
  input  logic [WarpW-1:0]  req_warp_i,
  input  logic [Lanes-1:0]  req_lanes_i,     // lanes of the top that execute it; LAUNCH: those that exist
  input  logic [PcW-1:0]    req_target_i,    // where they go: BRANCH, CALL, SIDE
  input  logic [PcW-1:0]    req_next_i,      // target of the other lanes
  input  logic [PcW-1:0]    req_rpc_i,       // BRANCH, SPLIT
  input  logic [DepthW-1:0] req_position_i,  // READ, 0: the bottom
  input  logic [FrameW-1:0] req_frame_i,     // READ: call depth of that entry

  // Response: the top (READ: the entry at the position)
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [1:0]        rsp_error_o,     // 1: more than Depth entries, 2: more than Frames; nothing was done
  output logic [DepthW-1:0] rsp_depth_o,     // 0: the warp has ended, there is no top
  output logic [PcW-1:0]    rsp_pc_o,
  output logic [PcW-1:0]    rsp_rpc_o,
  output logic [Lanes-1:0]  rsp_mask_o,
  output logic [FrameW-1:0] rsp_frame_o,
  output logic              rsp_caller_o,    // READ: the entry above belongs to a function that this one
                                             // called
  output logic              rsp_barrier_o,   // the top waits at a barrier
  output logic              rsp_diverged_o,  // BRANCH: lanes went both ways
  output logic              rsp_reconverged_o  // an entry was popped at its RPC
);

  if (Lanes < 1 || Depth < 2 || Frames < 1 || FirstSide > 3) begin : gen_illegal
    $error("simt_stack: Lanes and Frames must be at least 1, Depth 2, FirstSide at most 3");
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
    OpSide    = 4'd9,
    OpRead    = 4'd10
  } op_e;

  typedef enum logic [1:0] {
    StIdle,
    StPush,  // the top goes below the side that runs first
    StPop,   // the entry that was read is the top, unless it has to be popped too
    StRead
  } state_e;

  localparam logic [PcW-1:0] NoPc = '1;
  localparam int unsigned    EntryW     = 1 + 2 * PcW + Lanes;
  localparam int unsigned    Below      = Depth - 1;
  localparam int unsigned    SlotW      = (Below > 1) ? $clog2(Below) : 1;
  localparam int unsigned    StackWords = Warps * Below;
  localparam int unsigned    StackAddrW = (StackWords > 1) ? $clog2(StackWords) : 1;
  localparam int unsigned    Callers    = (Frames > 1) ? Frames - 1 : 1;
  localparam int unsigned    CallerW    = (Callers > 1) ? $clog2(Callers) : 1;
  localparam int unsigned    FrameWords = Warps * Callers;
  localparam int unsigned    FrameAddrW = (FrameWords > 1) ? $clog2(FrameWords) : 1;

  // ---- Rows of the warps
  logic [PcW-1:0]    pc_mem      [Warps];  // of the top ...
  logic [PcW-1:0]    rpc_mem     [Warps];
  logic [Lanes-1:0]  mask_mem    [Warps];
  logic [FrameW-1:0] frame_mem   [Warps];  // ... its call depth
  logic [Lanes-1:0]  present_mem [Warps];  // lanes that have neither returned from the top's frame nor exited
  logic [Lanes-1:0]  live_mem    [Warps];  // lanes that have not exited
  logic [Warps*DepthW-1:0] depth_q;        // entries, the top included
  logic [Warps-1:0]        barrier_q;

  // ---- Below the top. Masks are those that the entries were pushed with: lanes that have left since are taken
  // out when an entry is read.
  typedef struct packed {
    logic             caller;  // the entry above is of a function that this one called
    logic [PcW-1:0]   pc;
    logic [PcW-1:0]   rpc;
    logic [Lanes-1:0] mask;
  } entry_t;
  entry_t            read_q;        // word read from the entries
  // Of lanes that had not returned from a frame when the one above it was called.
  logic [Lanes-1:0]  read_lanes_q;

  // ---- The request being served: from the pins, or kept
  state_e             state_q, state_d;
  logic [WarpW-1:0]   warp_q;
  logic [FrameW-1:0]  read_frame_q;   // READ
  logic [PcW-1:0]     first_pc_q;     // the side that StPush makes the top
  logic [Lanes-1:0]   first_mask_q;
  logic               diverged_q, reconverged_q;

  logic idle, accept;
  assign idle        = state_q == StIdle;
  assign req_ready_o = idle && (!rsp_valid_o || rsp_ready_i);
  assign accept      = req_valid_i && req_ready_o;

  logic [WarpW-1:0]  warp;
  logic [PcW-1:0]    pc, rpc;
  logic [Lanes-1:0]  mask, present, live;
  logic [FrameW-1:0] frame;
  logic [DepthW-1:0] depth;
  logic              barrier;
  assign warp    = idle ? req_warp_i : warp_q;
  assign pc      = pc_mem[warp];
  assign rpc     = rpc_mem[warp];
  assign mask    = mask_mem[warp];
  assign frame   = frame_mem[warp];
  assign present = present_mem[warp];
  assign live    = live_mem[warp];
  assign depth   = depth_q[warp*DepthW +: DepthW];
  assign barrier = barrier_q[warp];

  // ---- The lanes of the top that do what is asked, and the others
  logic [Lanes-1:0] hit, miss;
  logic             some_hit, some_miss;
  assign hit       = mask & req_lanes_i;
  assign miss      = mask & ~req_lanes_i;
  assign some_hit  = hit != '0;
  assign some_miss = miss != '0;

  // ---- Sides of a divergent branch
  logic             keep, push_first, push_second;
  logic [PcW-1:0]   first_pc, second_pc;
  logic [Lanes-1:0] first_mask, second_mask;
  simt_stack_sides #(.Lanes(Lanes), .PcW(PcW), .FirstSide(FirstSide)) u_sides (
    .first_side_i, .hit_i(hit), .miss_i(miss), .target_i(req_target_i), .next_i(req_next_i), .first_pc_o(first_pc),
    .first_mask_o(first_mask), .second_pc_o(second_pc), .second_mask_o(second_mask)
  );
  // The entry at which the sides meet again; not needed if the one below waits there already.
  assign keep        = rpc != req_rpc_i;
  assign push_first  = first_pc != req_rpc_i;
  assign push_second = second_pc != req_rpc_i;

  // ---- The clock in which a request is accepted: new top, increase in the number of entries, an entry to be
  // written
  logic [PcW-1:0]    do_pc, do_rpc;
  logic [Lanes-1:0]  do_mask, do_present, do_live;
  logic              do_barrier;
  logic              settles;       // the top may have lost all its lanes, or have reached its RPC
  logic              drops;         // the top goes, whatever it is
  logic              calls;
  logic              ends;          // the warp
  logic              second_write;  // StPush follows
  logic              write;
  entry_t            written;
  always_comb begin
    do_pc        = pc;
    do_rpc       = rpc;
    do_mask      = mask;
    do_present   = present;
    do_live      = live;
    do_barrier   = barrier;
    settles      = 1'b0;
    drops        = 1'b0;
    calls        = 1'b0;
    ends         = 1'b0;
    second_write = 1'b0;
    write        = 1'b0;
    written      = {1'b0, req_rpc_i, rpc, mask};
    unique case (req_op_i)
      OpLaunch: begin
        do_pc      = req_next_i;
        do_rpc     = NoPc;
        do_mask    = req_lanes_i;
        do_present = req_lanes_i;
        do_live    = req_lanes_i;
        do_barrier = 1'b0;
      end
      OpAdvance: begin
        do_pc   = req_next_i;
        settles = 1'b1;
      end
      OpBranch: begin
        if (!(some_hit && some_miss)) begin
          do_pc   = some_hit ? req_target_i : req_next_i;
          settles = 1'b1;
        end else if (push_first && push_second) begin
          // Written at once: the lowest entry.
          write        = 1'b1;
          second_write = keep;
          if (!keep) written = {1'b0, second_pc, req_rpc_i, second_mask};
          do_pc        = keep ? second_pc : first_pc;
          do_rpc       = req_rpc_i;
          do_mask      = keep ? second_mask : first_mask;
        end else if (push_first || push_second) begin
          write   = keep;
          do_pc   = push_first ? first_pc : second_pc;
          do_rpc  = req_rpc_i;
          do_mask = push_first ? first_mask : second_mask;
        end else begin
          do_pc = req_rpc_i;
          drops = !keep;
        end
      end
      OpCall: begin
        do_pc   = req_next_i;
        settles = !some_hit;
        if (some_hit) begin
          calls      = 1'b1;
          write      = 1'b1;
          written    = {1'b1, req_next_i, rpc, mask};
          do_pc      = req_target_i;
          do_rpc     = NoPc;
          do_mask    = hit;
          do_present = hit;
        end
      end
      OpReturn: begin
        do_pc      = req_next_i;
        do_mask    = miss;
        do_present = present & ~hit;
        settles    = 1'b1;
      end
      OpExit: begin
        do_pc      = req_next_i;
        do_mask    = miss;
        do_present = present & ~hit;
        do_live    = live & ~hit;
        settles    = 1'b1;
        ends       = do_live == '0;  // no need to search the entries: none has a lane left
      end
      OpArrive: begin
        do_pc      = req_next_i;
        do_barrier = 1'b1;
      end
      OpRelease: begin
        do_barrier = 1'b0;
        settles    = 1'b1;
      end
      OpSplit: begin
        write  = keep;
        do_rpc = req_rpc_i;
      end
      OpSide: begin
        if (some_miss) begin
          write   = req_target_i != rpc;
          written = {1'b0, req_target_i, rpc, hit};
          do_mask = miss;
        end else begin
          do_pc = req_target_i;
          drops = req_target_i == rpc;
        end
      end
      default: ;  // READ
    endcase
  end

  logic do_empty, do_arrived;
  assign do_empty   = do_mask == '0;
  assign do_arrived = do_pc == do_rpc && do_rpc != NoPc;

  // Entries after all pushes: two more than at present, or one.
  logic [1:0] error;
  always_comb begin
    error = 2'd0;
    if (second_write ? depth >= DepthW'(Depth - 1) : write && depth >= DepthW'(Depth)) error = 2'd1;
    else if (calls && frame == FrameW'(Frames - 1)) error = 2'd2;
  end

  // ---- StPop: the entry that was read, without the lanes that have left
  logic [FrameW-1:0] popped_frame;
  logic [Lanes-1:0]  popped_present, popped_mask;
  logic              popped_empty, popped_arrived;
  assign popped_frame   = frame - FrameW'(read_q.caller);
  assign popped_present = read_q.caller ? read_lanes_q & live : present;
  assign popped_mask    = read_q.mask & popped_present;
  assign popped_empty   = popped_mask == '0;
  assign popped_arrived = read_q.pc == read_q.rpc && read_q.rpc != NoPc;

  // ---- Next state of the row, and of the sequencer
  logic [PcW-1:0]    pc_d, rpc_d;
  logic [Lanes-1:0]  mask_d, present_d, live_d;
  logic [FrameW-1:0] frame_d;
  logic [DepthW-1:0] depth_d;
  logic              barrier_d, diverged_d, reconverged_d;
  logic              pop;
  always_comb begin
    state_d       = state_q;
    pc_d          = pc;
    rpc_d         = rpc;
    mask_d        = mask;
    present_d     = present;
    live_d        = live;
    frame_d       = frame;
    depth_d       = depth;
    barrier_d     = barrier;
    diverged_d    = diverged_q;
    reconverged_d = reconverged_q;
    pop           = 1'b0;
    unique case (state_q)
      StIdle: begin
        diverged_d    = 1'b0;
        reconverged_d = 1'b0;
        if (error == 2'd0) begin
          pc_d      = do_pc;
          rpc_d     = do_rpc;
          mask_d    = do_mask;
          present_d = do_present;
          live_d    = do_live;
          barrier_d = do_barrier;
          pop       = !ends && (drops || (settles && (do_empty || do_arrived)));
          diverged_d    = req_op_i == OpBranch && some_hit && some_miss;
          reconverged_d = settles && !do_empty && do_arrived;
          if (req_op_i == OpLaunch) begin
            depth_d = DepthW'(1);
            frame_d = '0;
          end else if (ends)  depth_d = '0;
          else if (pop)       depth_d = depth - 1'b1;
          else if (write)     depth_d = depth + 1'b1;
          if (calls) frame_d = frame + 1'b1;
          if (req_op_i == OpRead && req_position_i + 1'b1 < depth) state_d = StRead;
          else if (second_write) state_d = StPush;
          else if (pop)          state_d = StPop;
        end
      end
      StPush: begin
        pc_d    = first_pc_q;
        mask_d  = first_mask_q;
        depth_d = depth + 1'b1;
        state_d = StIdle;
      end
      StPop: begin
        pc_d      = read_q.pc;
        rpc_d     = read_q.rpc;
        mask_d    = popped_mask;
        present_d = popped_present;
        frame_d   = popped_frame;
        pop       = popped_empty || popped_arrived;
        if (!popped_empty && popped_arrived) reconverged_d = 1'b1;
        if (pop) depth_d = depth - 1'b1;
        else state_d = StIdle;
      end
      default: state_d = StIdle;  // StRead
    endcase
  end

  logic commit, done;
  assign commit = idle ? accept : 1'b1;
  assign done   = commit && state_d == StIdle;

  // ---- The memories: one access a clock. What may be popped next is read at any rate, so that whether it is
  // need not be known.
  logic                  stack_write, lanes_write;
  entry_t                stack_written;
  logic [SlotW-1:0]      stack_slot;
  logic [CallerW-1:0]    lanes_slot;
  logic [StackAddrW-1:0] stack_addr;
  logic [FrameAddrW-1:0] lanes_addr;
  assign stack_write   = idle ? write && error == 2'd0 : state_q == StPush;
  assign stack_written = idle ? written : {1'b0, pc, rpc, mask};
  assign lanes_write   = idle && calls && error == 2'd0;
  always_comb begin
    if (stack_write) stack_slot = SlotW'(depth - 1'b1);
    else if (idle && req_op_i == OpRead) stack_slot = SlotW'(req_position_i);
    else stack_slot = SlotW'(depth - DepthW'(2));
    if (lanes_write) lanes_slot = CallerW'(frame);
    else if (idle && req_op_i == OpRead) lanes_slot = CallerW'(req_frame_i);
    else lanes_slot = CallerW'(frame_d - 1'b1);
  end
  assign stack_addr = StackAddrW'(warp) * StackAddrW'(Below) + StackAddrW'(stack_slot);
  assign lanes_addr = FrameAddrW'(warp) * FrameAddrW'(Callers) + FrameAddrW'(lanes_slot);

  ram_1r1w #(.Words(StackWords), .Width(EntryW)) u_stack (
    .clk_i, .write_i(commit && stack_write), .write_addr_i(stack_addr), .write_data_i(stack_written),
    .read_i(commit && !stack_write), .read_addr_i(stack_addr), .read_data_o(read_q)
  );
  ram_1r1w #(.Words(FrameWords), .Width(Lanes)) u_lanes (
    .clk_i, .write_i(commit && lanes_write), .write_addr_i(lanes_addr), .write_data_i(present),
    .read_i(commit && !lanes_write), .read_addr_i(lanes_addr), .read_data_o(read_lanes_q)
  );

  // ---- Response
  logic answers_read;
  assign answers_read = state_q == StRead;

  always_ff @(posedge clk_i) begin
    if (commit) begin
      pc_mem[warp]      <= pc_d;
      rpc_mem[warp]     <= rpc_d;
      mask_mem[warp]    <= mask_d;
      frame_mem[warp]   <= frame_d;
      present_mem[warp] <= present_d;
      live_mem[warp]    <= live_d;
      diverged_q        <= diverged_d;
      reconverged_q     <= reconverged_d;
    end
    if (accept) begin
      warp_q       <= req_warp_i;
      read_frame_q <= req_frame_i;
      first_pc_q   <= first_pc;
      first_mask_q <= first_mask;
    end
    if (done) begin
      rsp_error_o       <= idle ? error : 2'd0;
      rsp_depth_o       <= depth_d;
      rsp_pc_o          <= answers_read ? read_q.pc : pc_d;
      rsp_rpc_o         <= answers_read ? read_q.rpc : rpc_d;
      rsp_mask_o        <= mask_d;
      rsp_frame_o       <= answers_read ? read_frame_q : frame_d;
      rsp_caller_o      <= answers_read && read_q.caller;
      rsp_barrier_o     <= barrier_d;
      rsp_diverged_o    <= diverged_d;
      rsp_reconverged_o <= reconverged_d;
      if (answers_read) rsp_mask_o <= read_q.mask & ((read_frame_q == frame) ? present : read_lanes_q & live);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      depth_q     <= '0;
      barrier_q   <= '0;
      state_q     <= StIdle;
      rsp_valid_o <= 1'b0;
    end else begin
      if (commit) begin
        depth_q[warp*DepthW +: DepthW] <= depth_d;
        barrier_q[warp]                <= barrier_d;
        state_q                        <= state_d;
      end
      if (done) rsp_valid_o <= 1'b1;
      else if (rsp_ready_i) rsp_valid_o <= 1'b0;
    end
  end

endmodule

`default_nettype wire
