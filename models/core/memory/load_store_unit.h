// Load/store unit: turns a memory instruction into shared-memory passes and line accesses, one of them per
// cycle in program order, serves loads from L1, sends the rest to L2, and writes registers back when all
// parts are served.
//
//   clients -> queue -> head: shared passes, then line accesses (L1 look-up, or read / write / atomic to L2),
//                             or constant addresses (constant cache)
//                    -> pending until every part is served -> write-back -> completion to the client
//
// Values: store data and addresses are read when the unit takes an operation; a load's value is what L1 or L2
// holds when the access is served.
//
// Its parts: AddressResolver addresses and operands; PendingRequestTable operations in flight; LineAccessStage lines, to L1
// and L2 and back; ConstantAccessStage constants; TextureStage texels; LoadDataPath from lines to rows. The unit has the queue, the bank passes,
// the order of writes and the clients. Files: load_store_unit.cpp a cycle; lsu_inspect.cpp questions. README.md: clients and
// interposers.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/memory/access_statistics.h"
#include "core/memory/address_resolver.h"
#include "core/memory/constant_access_stage.h"
#include "core/memory/constant_cache.h"
#include "core/memory/l1_data_cache.h"
#include "core/memory/line_access_stage.h"
#include "core/memory/load_data_path.h"
#include "core/memory/local_queues.h"
#include "core/memory/lsu_stall.h"
#include "core/memory/memory_instruction.h"
#include "core/memory/pending_request_table.h"
#include "core/memory/shared_memory.h"
#include "core/memory/texture_stage.h"
#include "core/memory/write_order.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/port_protocol.h"
#include "core/protocols/protocol_of.h"
#include "core/protocols/register_file_protocol.h"
#include "host/allocation.h"
#include "sim/block_socket.h"
#include "sim/memory_log.h"
#include "sim/memory_payload.h"

namespace heddle::core {

/// What a client beside the core binds: requests in, completions out.
struct LsuClientPort;

class LoadStoreUnit : public sc_core::sc_module {
 public:
  LoadStoreUnit(const sc_core::sc_module_name& name, const CoreConfig& config, base::CoreId core,
                sim::MemoryPool& pool, const host::AllocationTable& allocations, base::StatGroup& stats,
                sim::MemoryLog* log = nullptr);

 private:
  void serve(LsuRequest& request);
  void inspect(LsuRequest& request);
  void take_response(PortResponse& response);
  void take_constant(ConstantValue& value) { constants_.take(value); }

 public:
  using RequestTarget =
      sim::BlockTarget<LsuProtocol, LoadStoreUnit, &LoadStoreUnit::serve, &LoadStoreUnit::inspect>;

  // The core, or what is interposed.
  RequestTarget lsu_tsock{"lsu_tsock", this};
  sim::BlockInitiator<LsuCompletionProtocol> completion_isock{"completion_isock"};
  sim::BlockInitiator<LsuWakeProtocol> wake_isock{"wake_isock"};
  // Further clients, one port each. Requests carry the port's id.
  LsuClientPort& add_client(const std::string& name);

  sim::BlockTarget<PortResponseProtocol, LoadStoreUnit, &LoadStoreUnit::take_response> response_tsock{
      "response_tsock", this};
  sim::BlockTarget<ConstantValueProtocol, LoadStoreUnit, &LoadStoreUnit::take_constant> constant_value_tsock{
      "constant_value_tsock", this};
  MemoryAccessPort port_isock{"port_isock"};
  RegisterFilePort register_isock{"register_isock"};
  L1dPort l1d_isock{"l1d_isock"};
  ConstantPort constant_isock{"constant_isock"};
  SharedMemoryPort shared_isock{"shared_isock"};

 private:
  /// Why an instruction needs a pass after its first.
  enum class PassCause : std::uint8_t { kBankConflict, kUncoalesced, kConstant };
  static constexpr unsigned kPassCauses = 3;

  void declare(base::StatGroup& stats);
  void begin_launch(const LaunchContext* launch, std::uint32_t l1d_kib);
  void start_cta(const CtaContext& cta);
  void invalidate_global(const LsuRequest& request);
  void acquire(Cycle cycle);
  void take(LsuRequest& request);
  void tick(LsuRequest& request);
  /// One cycle of the head instruction; true when the head left the queue. Only tick() calls it.
  [[gnu::always_inline]] inline bool advance_head(LsuRequest& request);
  /// In the next cycle the head will only find that it waits for an MSHR, whatever else happens but a response.
  [[nodiscard]] bool foresees_stall(Cycle cycle);
  /// The lines of its next pass, if several are one (MemoryInstruction::line_passes), as far as they need not wait.
  [[gnu::noinline]] void serve_pass(LsuRequest& request, MemoryInstruction& op);
  /// A pass after the first of an operation of the client: instructions of the core are issued again.
  void replay(LsuRequest& request, LsuClient client, WarpId warp) const;
  /// Asks the register file for a write-back port; false: the operation was put off until it has one.
  bool may_write(MemoryInstruction& op, Cycle cycle);
  void finish(MemoryInstruction& op, Cycle cycle);
  /// What an asynchronous copy has read goes to shared memory, when the banks are free. It finishes behind that.
  void write_copy(MemoryInstruction& op, Cycle cycle);
  void complete(LsuCompletion& done) {
    if (done.client == LsuClient::kCore) [[likely]]
      completion_isock.call(done);
    else
      complete_client(done);
  }
  void complete_client(LsuCompletion& done);
  /// A texture or surface access; its accesses and parts.
  [[gnu::noinline]] void take_texture(MemoryInstruction& op, const AccessContext& context,
                                      LsuRequest& request);
  /// The next line of the texture unit's reads.
  [[gnu::noinline]] void serve_texels(Cycle cycle);
  /// Cycles from the first of so many passes of the operation to the end of the last.
  void set_shared_passes(MemoryInstruction& op) const;
  [[nodiscard]] Cycle pass_time(const MemoryInstruction& op, Cycle passes) const {
    if (config_.lsu.pass_cycles == 1) [[likely]]
      return passes;
    const Cycle at_once = std::max<Cycle>(1, op.bytes / sizeof(std::uint32_t));
    return passes <= at_once ? passes : at_once + (passes - at_once) * config_.lsu.pass_cycles;
  }
  /// Its passes take a cycle each of shared memory; those of other sub-cores fit between.
  [[nodiscard]] bool passes_overlap(const MemoryInstruction& op) const {
    return config_.lsu.passes_overlap && op.shared_lanes.any() && op.client == LsuClient::kCore &&
           op.instruction->op != isa::Opcode::kAtomic;
  }
  /// From the sub-cores' queues to the shared one, as far as it has room.
  void hand_on(Cycle cycle);
  /// Whom no memory instruction can come from; `answer`: an LsuRequest or an LsuWake.
  template <class Answer>
  void announce_full(Answer& answer) const {
    answer.full = queue_.size() >= config_.lsu.queue_entries;
    if (local_queues_.on()) [[unlikely]]
      answer.full = false, answer.full_sub_cores = local_queues_.full();
  }

  CoreConfig config_;
  const LaunchContext* launch_ = nullptr;
  AddressResolver resolver_;
  PendingRequestTable requests_;
  LoadDataPath load_path_;
  std::optional<AccessStatistics> access_statistics_;  ///< core.lsu.access_statistics
  LineAccessStage lines_;
  ConstantAccessStage constants_;
  TextureStage textures_;
  LocalQueues local_queues_;

  std::vector<std::unique_ptr<LsuClientPort>> clients_;  ///< beside the core, by id - 1
  base::GrowingRing<MemoryInstruction*> queue_;
  std::vector<std::uint32_t> sub_core_of_warp_;
  Cycle next_pass_ = 0;  ///< first cycle in which L1 can be accessed again
  Cycle shared_busy_until_ = 0;
  WarpId shared_warp_{};                        ///< whose access holds the banks until then
  LsuClient shared_client_ = LsuClient::kCore;  ///< the same
  bool shared_replays_ = true;                  ///< the same: passes after the first are issued again
  LsuStall stalled_ = LsuStall::kNone;
  Cycle last_tick_ = 0;
  WriteOrder writes_;
  WriteOrder::Mark watched_ = 0;   ///< that of the watchdog
  std::vector<AddressRange> own_;  ///< of the launch: what only this core reads and writes
  Cycle clears_at_ = kNever;       ///< L1 clears its valid bits in this cycle, and the unit makes no pass

  std::uint64_t acquires_ = 0;
  std::uint64_t instructions_ = 0, line_accesses_ = 0;
  std::array<std::uint64_t, kPassCauses> replays_{};
  std::array<std::uint64_t, kLsuStalls> stall_cycles_{};
  struct {
    std::uint64_t sum = 0, count = 0;
  } load_latency_;
};

struct LsuClientPort {
  LsuClientPort(const std::string& name, LsuClient client, LoadStoreUnit* unit)
      : id(client), lsu_tsock((name + "_tsock").c_str(), unit), completion_isock((name + "_isock").c_str()) {}
  LsuClient id;
  LoadStoreUnit::RequestTarget lsu_tsock;
  sim::BlockInitiator<LsuCompletionProtocol> completion_isock;
};

}  // namespace heddle::core
