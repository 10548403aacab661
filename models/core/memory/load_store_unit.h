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
//
// Files: load_store_unit.cpp a cycle; lsu_issue.cpp addresses and operands; lsu_lines.cpp line accesses and
// what comes back from L2; lsu_constant.cpp constants.
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/memory/access_check.h"
#include "core/memory/completion_wheel.h"
#include "core/memory/constant_cache.h"
#include "core/memory/l1_data_cache.h"
#include "core/memory/memory_instruction.h"
#include "core/memory/shared_memory.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/port_protocol.h"
#include "core/protocols/protocol_of.h"
#include "core/protocols/register_file_protocol.h"
#include "host/allocation.h"
#include "sim/block_socket.h"
#include "sim/memory_log.h"
#include "sim/memory_payload.h"

namespace heddle::core {

/// A load or atomic whose registers have not all got their values.
struct PendingLoad {
  const isa::Instruction* instruction = nullptr;
  LaneMask lanes;
};

struct LsuRequest {
  enum class Op : std::uint8_t {
    kIssue,  ///< `instruction` with lanes `mask` of `warp` (room was announced by `full` == false)
    kOffer,  ///< kIssue if there is room: see `accepted`
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
  bool table = false;       ///< it moves a control-flow table's entry, which L1 keeps like local memory

  // Answer
  bool accepted = false;           ///< kOffer
  bool full = false;               ///< no memory instruction can issue
  std::uint32_t transactions = 0;  ///< kIssue: line accesses of the instruction
  std::uint32_t extra_passes =
      0;                    ///< kIssue: its passes after the first: lines, bank passes, constant addresses
  Cycle next_due = kNever;  ///< kTick: when to call again, unless the port wakes the core earlier
  bool wants_port = false;  ///< kTick: something waits for room in the memory port
  bool replay = false;      ///< kTick: a pass after the first of an instruction of `replay_warp` takes place
                            ///< in this cycle and takes an issue slot (core.lsu.replay_issue)
  WarpId replay_warp{};

  // transport_dbg only: filled for `warp_id` if not null. Nothing changes.
  std::vector<PendingLoad>* pending = nullptr;
};
using LsuProtocol = ProtocolOf<LsuRequest>;

class LoadStoreUnit : public sc_core::sc_module {
 public:
  LoadStoreUnit(const sc_core::sc_module_name& name, const CoreConfig& config, base::CoreId core,
                sim::MemoryPool& pool, const host::AllocationTable& allocations, base::StatGroup& stats,
                sim::MemoryLog* log = nullptr);

 private:
  void serve(LsuRequest& request);
  void inspect(LsuRequest& request) const;
  void take_response(PortResponse& response);
  void take_constant(ConstantValue& value);

 public:
  sim::BlockTarget<LsuProtocol, LoadStoreUnit, &LoadStoreUnit::serve, &LoadStoreUnit::inspect> lsu_tsock{
      "lsu_tsock", this};
  sim::BlockTarget<LsuProtocol, LoadStoreUnit, &LoadStoreUnit::serve> table_tsock{"table_tsock", this};
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
  // issued before a point in time have been performed. A store that L1 keeps is performed when L1 has it:
  // only its own warp can read it, and sees it from then on wherever the line is.
  void next_write_generation() { generation_ ^= 1; }
  [[nodiscard]] std::uint64_t old_writes_outstanding() const { return writes_outstanding_[generation_ ^ 1]; }

  /// A global load that does not look into L1.
  [[nodiscard]] bool bypasses_l1(const isa::Instruction& instruction) const;
  /// For what reads memory without taking time: the byte at an address if L1 gave up its line and L2 has not
  /// acknowledged it yet (whoever's miss displaced it); false otherwise.
  [[nodiscard]] bool on_its_way(std::uint64_t address, std::byte& to) const;

 private:
  /// Why an instruction needs a pass after its first.
  enum class PassCause : std::uint8_t { kBankConflict, kUncoalesced, kConstant };
  static constexpr unsigned kPassCauses = 3;
  enum class Stall : std::uint8_t { kNone, kMshr, kConstant, kPort };
  static constexpr unsigned kStalls = 4;
  /// A dirty line that L1 gave up, on its way to L2 in the name of a warp: until it is there the warp counts
  /// it among its outstanding operations, so that no launch ends before.
  struct WriteBack {
    sim::MemoryTransaction* transaction = nullptr;  ///< nullptr: acknowledged
    WarpContext* warp = nullptr;
    WarpId warp_id{};
    std::uint32_t slot = 0;
  };

  void tick(LsuRequest& request);
  /// One cycle of the head instruction; true when the head left the queue.
  bool advance_head(LsuRequest& request);
  void replay(LsuRequest& request, WarpId warp) const;
  /// A part of the operation is served: its data may be used from `usable_at` on.
  void part_done(MemoryInstruction& op, Cycle usable_at, Cycle now);
  /// Asks the register file for a write-back port; false: the operation was put off until it has one.
  bool may_write(MemoryInstruction& op, Cycle cycle);
  void finish(MemoryInstruction& op, Cycle cycle);
  MemoryInstruction& allocate();
  void free(MemoryInstruction& op);

  // lsu_issue.cpp
  void issue(LsuRequest& request);
  void resolve_addresses(MemoryInstruction& op, const AccessSite& site);
  /// Generic addresses: moves the window offsets of shared and local lanes to op.address and says which are
  /// which.
  void split_generic(MemoryInstruction& op, AddressPattern& pattern, LaneMask& device, LaneMask& local);
  /// Makes a pattern of all lanes scattered.
  static void scatter(MemoryInstruction& op, AddressPattern& pattern);
  void resolve_shared(MemoryInstruction& op, const AccessSite& site, const AddressPattern& pattern,
                      LaneMask lanes);
  void resolve_device(MemoryInstruction& op, const AccessSite& site, const AddressPattern& pattern,
                      LaneMask lanes);
  void resolve_local(MemoryInstruction& op, const AccessSite& site, AddressPattern pattern, LaneMask lanes);
  void resolve_constant(MemoryInstruction& op, const AccessSite& site);
  void read_operands(MemoryInstruction& op);
  [[nodiscard]] const std::byte* row_of(const MemoryInstruction& op, const isa::Operand& operand) const;

  // lsu_lines.cpp
  Stall access_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  Stall load_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  Stall store_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  Stall keep_store(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  Stall atomic_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  sim::MemoryTransaction& transaction(const MemoryInstruction& op, const LineAccess& access,
                                      sim::MemoryOp kind, std::uint32_t tag, Cycle cycle);
  void send(sim::MemoryTransaction& transaction);
  /// Past L1.
  void send_read(const MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  /// L1's sectors in those of the payload.
  [[nodiscard]] sim::SectorMask wanted_sectors(sim::SectorMask sectors) const;
  [[nodiscard]] bool port_room();
  [[nodiscard]] sim::SectorMask sectors_of(const MemoryInstruction& op, const LineAccess& access) const;
  /// Registers get what an access finds in `line`; `sectors`: only lanes in these.
  void deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line);
  void deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line,
               sim::SectorMask sectors);
  /// What lanes find at an address goes to the watchdog's log.
  [[gnu::noinline]] void log_delivered(const MemoryInstruction& op, const LineAccess& access,
                                       const unsigned char* line) const;
  void write_back_line(const DirtyLine& dirty, WarpContext* warp, WarpId warp_id, Cycle cycle);
  void send_write_back();
  void take_fill(const PortResponse& response, std::uint32_t mshr);

  // lsu_constant.cpp
  Stall read_constant(MemoryInstruction& op, Cycle cycle);

  CoreConfig config_;
  base::CoreId core_;
  sim::MemoryPool& pool_;
  const host::AllocationTable& allocations_;
  sim::MemoryLog* log_;  ///< nullptr: there is no watchdog
  const LaunchContext* launch_ = nullptr;
  std::uint32_t sector_bytes_;

  std::vector<std::unique_ptr<MemoryInstruction>> ops_;
  std::vector<std::uint32_t> free_ops_;
  base::GrowingRing<MemoryInstruction*> queue_;
  std::vector<std::uint32_t> sub_core_of_warp_;
  CompletionWheel finishing_;  ///< operations whose data is complete, by write-back cycle
  Cycle shared_busy_until_ = 0;
  WarpId shared_warp_{};  ///< whose access holds the banks
  Stall stalled_ = Stall::kNone;
  Cycle last_tick_ = 0;
  base::GrowingRing<WriteBack> write_backs_;   ///< not yet sent
  std::vector<WriteBack> write_backs_on_way_;  ///< by slot: sent or not, not yet acknowledged
  std::vector<std::uint32_t> free_write_backs_;
  std::uint8_t generation_ = 0;
  std::uint64_t writes_outstanding_[2] = {};

  std::uint64_t instructions_ = 0, line_accesses_ = 0, loads_ = 0, stores_ = 0, atomics_ = 0;
  std::uint64_t constant_accesses_ = 0;
  std::array<std::uint64_t, kPassCauses> replays_{};
  std::array<std::uint64_t, kStalls> stall_cycles_{};
  std::uint64_t load_latency_sum_ = 0, load_latency_count_ = 0;
};

}  // namespace heddle::core
