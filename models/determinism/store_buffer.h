// The store buffers of a core's wavefronts ([GPUDet] §4.3): between the core and its load/store unit. A store to global
// memory goes to its wavefront's log, a load finds there what the wavefront has stored in this quantum, and at the quantum's
// end the log goes to the commit engine. The logs are in device memory, behind L1 (warp_log/log_traffic.h).
//
//   core --lsu_tsock--> store buffer --lsu_isock--> load/store unit <-- log traffic (a client)
//   quantum unit --control_tsock--> store buffer --commit_isock--> commit engine, --serial_isock--> direct writer
//
// It has the wavefronts' logs, and what of the core's operations is held until their parts are done. Its parts: the accesses to
// the logs (log_accesses.h), loads that look for their bytes (forwarded_load.h), logs on their way out (log_committer.h), and
// what must hold (log_watch.h).
//
// Files: store_buffer.cpp requests, completions, a cycle; store_operations.cpp stores and loads.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "base/slot_pool.h"
#include "base/stats.h"
#include "core/core_extension.h"
#include "core/memory/address_resolver.h"
#include "core/memory/held_operation.h"
#include "core/memory/lsu_interposer.h"
#include "core/observe/register_hash.h"
#include "determinism/commit_protocol.h"
#include "determinism/determinism_config.h"
#include "determinism/forwarded_load.h"
#include "determinism/log_accesses.h"
#include "determinism/log_committer.h"
#include "determinism/log_watch.h"
#include "determinism/preconditions.h"
#include "determinism/store_buffer_protocol.h"
#include "sim/block_socket.h"
#include "warp_log/bloom_filter.h"
#include "warp_log/log_layout.h"

namespace heddle::determinism {

class StoreBuffer : public core::LsuInterposer {
 public:
  /// `depths`, `preconditions`: of the GPU.
  StoreBuffer(const sc_core::sc_module_name& name, const DeterminismConfig& config, const DepthFormat& depths,
              Preconditions& preconditions, const core::CoreExtensionSite& site);

 private:
  void control(StoreBufferRequest& request);
  void take_ack(CommitAck& ack);
  void take_serial_ack(CommitAck& ack);

 public:
  sim::BlockTarget<StoreBufferProtocol, StoreBuffer, &StoreBuffer::control> control_tsock{"control_tsock",
                                                                                          this};
  sim::BlockInitiator<StoreBufferEventProtocol> event_isock{"event_isock"};
  sim::BlockInitiator<CommitProtocol> commit_isock{"commit_isock"};
  sim::BlockTarget<CommitAckProtocol, StoreBuffer, &StoreBuffer::take_ack> ack_tsock{"ack_tsock", this};
  sim::BlockInitiator<CommitProtocol> serial_isock{"serial_isock"};
  sim::BlockTarget<CommitAckProtocol, StoreBuffer, &StoreBuffer::take_serial_ack> serial_ack_tsock{
      "serial_ack_tsock", this};

  void add_clients(core::LoadStoreUnit& unit) override;
  /// Where the logs of the GPU are in device memory; before the first launch.
  void set_log_base(std::uint64_t base);
  /// Of the whole GPU, for set_log_base().
  [[nodiscard]] static std::uint64_t log_bytes(const DeterminismConfig& config, std::uint64_t wavefronts) {
    return warp_log::LogLayout::bytes_of_log(config.log.capacity, kMetaBytes) * wavefronts;
  }

 private:
  using Cycle = core::Cycle;
  using LaneMask = core::LaneMask;
  using WarpId = core::WarpId;

  struct Wave {
    explicit Wave(std::uint32_t bloom_bits) : bloom(bloom_bits) {}
    void clear() {
      entries = 0;
      bloom.clear();
    }
    warp_log::BloomFilter bloom;
    std::uint32_t entries = 0;
    bool has_partial = false;
    std::uint32_t outstanding = 0;  ///< operations of the core that are not done
    core::Hash digest;              ///< of all that was appended in the quantum, if that is watched
  };
  /// An operation whose answer is, in part at least, this unit's.
  struct Held {
    explicit Held(const core::LsuRequest& request) : operation(request) {}
    core::HeldOperation operation;
    std::uint32_t pieces = 0;  ///< appends, searches, and parts that the load/store unit has
    ForwardedLoad load;
    LaneMask to_pass;  ///< lanes of the load that wait for room in the load/store unit
  };

  // core::LsuInterposer
  void serve(core::LsuRequest& request) override;
  void inspect(core::LsuRequest& request) override;
  void complete(core::LsuCompletion& done) override;
  void wake(core::LsuWake& wake) override;

  void begin_launch(core::LsuRequest& request);
  void issue(core::LsuRequest& request);
  void tick(core::LsuRequest& request);
  [[nodiscard]] bool full() const { return held_.size() >= most_held_; }
  [[nodiscard]] Wave& wave(WarpId warp) { return waves_[warp.value()]; }
  /// It is to be ticked: what is done in the system's turn begins in the core's next cycle.
  void wake_core();
  void operation_done(WarpId warp);
  void tell(StoreBufferEvent::Kind kind, WarpId warp = {});

  // store_operations.cpp
  void store(core::LsuRequest& request);
  void load(core::LsuRequest& request);
  /// The operation's addresses, in op_.
  void resolve(const core::LsuRequest& request);
  void append(WarpId warp, std::uint32_t owner, const core::LineAccess& access,
              const core::LsuRequest& request);
  [[noreturn]] void refuse_partial(const core::LsuRequest& request) const;
  std::uint32_t hold(const core::LsuRequest& request);
  /// Some lanes of a held operation go to the load/store unit now.
  void pass(core::LsuRequest& request, std::uint32_t owner, LaneMask lanes);
  bool offer_pass(std::uint32_t owner, Cycle cycle);
  /// Whose meta a search gets in one access.
  [[nodiscard]] std::uint32_t entries_of_an_access() const {
    return config_.log.search_cost == SearchCost::kMetaLines ? LogReplay::kWindow : 1;
  }
  void search(std::uint32_t owner);
  void search_ends(std::uint32_t owner);
  void take_search(const LogAccess& access, std::span<const std::uint32_t> words);
  void piece_done(std::uint32_t owner);
  void finish(std::uint32_t owner);
  /// An access to the logs is done.
  void answered(const LogAccess& access, std::span<const std::uint32_t> words);

  void begin_commit(std::uint32_t quantum);
  void begin_serial(WarpId warp);
  /// All that one of these has begun is acknowledged.
  void committed();
  void end_commit();
  void clear(std::uint32_t wave_slot);

  const DeterminismConfig config_;
  const DepthFormat depths_;
  const core::CoreExtensionSite site_;
  warp_log::LogLayout layout_;
  std::vector<core::AddressRange> own_;  ///< what L1 keeps
  LogWatch log_watch_;
  LogAccesses accesses_;
  LogCommitter committer_;
  core::AddressResolver resolver_;
  core::MemoryInstruction op_;  ///< the one that is looked at
  const core::LaunchContext* launch_ = nullptr;
  std::uint64_t log_base_ = 0, log_end_ = 0;

  bool watch_ = false;  ///< digests are wanted
  std::vector<Wave> waves_;
  base::SlotPool<std::unique_ptr<Held>> held_;
  std::size_t most_held_;
  std::deque<std::uint32_t> to_pass_;  ///< held loads whose rest waits for room
  bool lsu_full_ = false;
  bool again_ = false;  ///< there is something to do in the next cycle

  std::optional<WarpId> serial_;  ///< whose log is committed serially

  std::uint8_t generation_ = 0;
  std::array<std::uint64_t, 2> appended_in_{};  ///< entries in logs by the watchdog's generation

  std::uint64_t stores_ = 0, appends_ = 0, partial_appends_ = 0, most_entries_ = 0, loads_ = 0,
                bloom_look_ups_ = 0;
  ForwardedLoad::Counters forwarding_;
};

}  // namespace heddle::determinism
