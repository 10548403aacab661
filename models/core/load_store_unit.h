// Load/store unit: turns a memory instruction into shared-memory passes and line accesses, one of them per
// cycle in program order, serves loads from L1, sends the rest to L2, and writes registers back when all
// parts are served.
//
//   issue -> queue -> head: shared passes, then line accesses (L1 look-up, or read / write / atomic to L2),
//                           or constant addresses (constant cache)
//                  -> pending until every part is served -> write-back
//
// Values: store data and addresses are read at issue; a load's value is what L1 or L2 holds when the access
// is served.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "core/coalescer.h"
#include "core/config.h"
#include "core/constant_cache.h"
#include "core/l1_data_cache.h"
#include "core/memory_op.h"
#include "core/protocols.h"
#include "core/shared_memory.h"
#include "core/timing_wheel.h"
#include "host/allocation.h"
#include "sim/block_socket.h"
#include "sim/memory_payload.h"
#include "sim/stats.h"

namespace heddle::core {

struct LsuRequest {
  enum class Op : std::uint8_t {
    kIssue,  ///< `instruction` with lanes `mask` of `warp` (room was announced by `full` == false)
    kTick,   ///< one cycle
  };
  Op op = Op::kTick;
  Cycle cycle = 0;
  const isa::Instruction* instruction = nullptr;
  Pc pc{};
  WarpId warp_id{};
  WarpContext* warp = nullptr;
  const CtaContext* cta = nullptr;
  LaneMask mask;
  Cycle operands_late = 0;  ///< kIssue: cycles until its operands are collected

  bool full = false;          ///< answer: no memory instruction can issue
  Cycle next_due = kNoCycle;  ///< answer of kTick: when to call again, unless the port wakes the core earlier
  bool replay = false;        ///< answer of kTick: a further pass of a memory instruction took place ...
  WarpId replay_warp{};       ///< ... of this warp
  bool wants_port = false;    ///< answer of kTick: the head waits for room in the memory port
};
using LsuProtocol = ProtocolOf<LsuRequest>;

class LoadStoreUnit : public sc_core::sc_module {
 public:
  LoadStoreUnit(const sc_core::sc_module_name& name, const CoreConfig& config, sim::CoreId core,
                sim::MemoryPool& pool, const host::AllocationTable& allocations, sim::StatGroup& stats);

 private:
  void serve(LsuRequest& request);
  void take_response(PortResponse& response);
  void take_constant(ConstantValue& value);

 public:
  sim::BlockTarget<LsuProtocol, LoadStoreUnit, &LoadStoreUnit::serve> lsu_tsock{"lsu_tsock", this};
  sim::BlockTarget<PortResponseProtocol, LoadStoreUnit, &LoadStoreUnit::take_response> response_tsock{
      "response_tsock", this};
  sim::BlockTarget<ConstantValueProtocol, LoadStoreUnit, &LoadStoreUnit::take_constant> constant_value_tsock{
      "constant_value_tsock", this};
  sim::BlockInitiator<PortProtocol> port_isock{"port_isock"};
  sim::BlockInitiator<RegisterFileProtocol> register_isock{"register_isock"};
  sim::BlockInitiator<WritebackProtocol> writeback_isock{"writeback_isock"};
  sim::BlockInitiator<L1dProtocol> l1d_isock{"l1d_isock"};
  sim::BlockInitiator<ConstantProtocol> constant_isock{"constant_isock"};
  sim::BlockInitiator<SharedMemoryProtocol> shared_isock{"shared_isock"};

  /// A launch begins: L1 and constant cache are invalidated.
  void begin_launch(const LaunchContext* launch);
  /// A CTA starts in [offset, offset+bytes) of shared memory, which reads as zero.
  void clear_shared(std::uint32_t offset, std::uint32_t bytes);

  // For the watchdog (watchdog.h): writes are counted in two generations so that it can tell when all writes
  // issued before a point in time have been performed.
  void next_write_generation() { generation_ ^= 1; }
  [[nodiscard]] std::uint64_t old_writes_outstanding() const { return writes_outstanding_[generation_ ^ 1]; }

 private:
  enum class Stall : std::uint8_t { kNone, kMshr, kConstant, kPort };

  void issue(const LsuRequest& request);
  void tick(LsuRequest& request);
  void resolve_addresses(MemoryOp& op, const LsuRequest& request);
  void read_operands(MemoryOp& op, const WarpContext& warp);
  /// Addresses of an ld.const or ld.param: of each distinct one an access.
  void resolve_constant(MemoryOp& op, const LsuRequest& request);
  /// One cycle of the head instruction; true when the head left the queue.
  bool advance_head(Cycle cycle);
  Stall access_line(MemoryOp& op, const LineAccess& access, Cycle cycle);
  Stall read_constant(MemoryOp& op, Cycle cycle);
  void deliver_constant(MemoryOp& op, const LineAccess& access, const unsigned char* data);
  Stall load_line(MemoryOp& op, const LineAccess& access, Cycle cycle);
  void send(MemoryOp& op, const LineAccess& access, sim::MemoryOp kind, std::uint32_t tag, Cycle cycle);
  void deliver(MemoryOp& op, const LineAccess& access, const unsigned char* line);
  /// A part of the operation is served: its data may be used from `usable_at` on.
  [[nodiscard]] bool port_room();
  void part_done(MemoryOp& op, Cycle usable_at, Cycle now);
  /// Asks the register file for a write-back port; false: the operation was put off until it has one.
  bool may_write(MemoryOp& op);
  void write_back(MemoryOp& op);
  MemoryOp& allocate();
  void free(MemoryOp& op);

  CoreConfig config_;
  sim::CoreId core_;
  sim::MemoryPool& pool_;
  const host::AllocationTable& allocations_;
  const LaunchContext* launch_ = nullptr;

  std::vector<std::unique_ptr<MemoryOp>> ops_;
  std::vector<std::uint32_t> free_ops_;
  std::uint32_t in_use_ = 0;
  std::vector<WarpContext*> warp_of_op_;
  std::deque<MemoryOp*> queue_;
  TimingWheel<std::uint32_t> finishing_;  ///< operations whose data is complete, by write-back cycle
  Cycle shared_busy_until_ = 0;
  Stall stalled_ = Stall::kNone;
  Cycle last_tick_ = 0;
  std::vector<FillTarget> fill_targets_;
  std::uint8_t generation_ = 0;
  std::uint64_t writes_outstanding_[2] = {};

  std::uint64_t instructions_ = 0, line_accesses_ = 0, loads_ = 0, stores_ = 0, atomics_ = 0;
  std::uint64_t constant_accesses_ = 0;
  std::uint64_t mshr_stall_cycles_ = 0, constant_stall_cycles_ = 0, port_stall_cycles_ = 0;
  std::uint64_t load_latency_sum_ = 0, load_latency_count_ = 0;
};

}  // namespace heddle::core
