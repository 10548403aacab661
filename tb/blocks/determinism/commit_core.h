// A stand-in for a core's store buffer: sends logs to a commit engine and, when all cores' logs are committed, reads what
// memory holds. Random stalls, and ordinary traffic beside it.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "blocks/determinism/commit_fold.h"
#include "core/memory/memory_port.h"
#include "determinism/commit_engine.h"

namespace heddle::tb {

/// A commit of all cores, and what memory must be afterwards.
struct Commit {
  std::vector<std::vector<LogEntry>> logs;  ///< by wavefront of the GPU
  Memory expected;
};

/// How far the cores are. Cores read it; its sequencer changes it when all of them wait.
struct Commits {
  std::vector<Commit> all;
  std::size_t current = 0;
  bool reading = false;             ///< committed; the cores look at memory
  bool halted = false;              ///< for a reset of depths
  std::vector<std::size_t> resets;  ///< after these commits

  [[nodiscard]] bool done() const { return current == all.size(); }
  void next() {
    reading = !reading;
    if (reading) return;
    halted = std::find(resets.begin(), resets.end(), current) != resets.end();
    ++current;
  }
};

struct CommitCoreConfig {
  std::uint64_t seed = 1;
  std::uint32_t core = 0;
  std::uint32_t waves = 4;
  std::vector<std::uint64_t> chunks;  ///< that are read after each commit
  std::uint64_t own = 0;              ///< address of lines that only this core accesses, at any time
  unsigned own_lines = 8;
  unsigned stall_percent = 20;  ///< of cycles in which the core does nothing
  unsigned own_percent = 10;    ///< of cycles in which it accesses a line of its own
};

class CommitCore : public sc_core::sc_module {
  void take_ack(determinism::CommitAck& ack) {
    due_ = std::min(due_, ack.due);
    if (ack.kind == determinism::CommitAck::Kind::kDepthsReset) reset_done_ = true;
    if (ack.kind != determinism::CommitAck::Kind::kEntry) return;
    if (outstanding_[ack.wave_slot]-- == 0) error("an acknowledgement too many");
  }
  void take_own(core::PortResponse& response);

 public:
  CommitCore(const sc_core::sc_module_name& name, const CommitCoreConfig& config, Commits& commits,
             determinism::CommitEngineKind kind, const determinism::ZBufferConfig& z_buffer,
             const determinism::LockCommitConfig& lock, const memory::AddressMap& map,
             sim::ClockDomain& clock)
      : sc_module(name),
        config_(config),
        commits_(commits),
        random_(config.seed),
        clock_(clock, sim::on_tick<&CommitCore::tick>(this)),
        port_("port", {.request_queue_packets = 2, .response_queue_packets = 2}, clock_, stats_),
        engine_(determinism::make_commit_engine("engine", kind, z_buffer, lock,
                                                {port_, pool_, map, config.waves, stats_.child("commit")})),
        client_(port_.add_client("traffic")),
        next_(config.waves),
        outstanding_(config.waves) {
    commit_isock_.bind(engine_->commit_tsock);
    engine_->ack_isock.bind(ack_tsock_);
    control_isock_.bind(port_.control_tsock);
    own_isock_.bind(port_.request_tsock[static_cast<unsigned>(client_)]);
    port_.response_isock[static_cast<unsigned>(client_)].bind(own_tsock_);
    for (unsigned i = 0; i < core::kPortClients; ++i) {
      port_.response_isock[i].bind(
          unused_answers_.emplace_back(sc_core::sc_gen_unique_name("unused_tsock"), this));
      unused_.emplace_back(sc_core::sc_gen_unique_name("unused_isock")).bind(port_.request_tsock[i]);
    }
  }
  void start_of_simulation() override { clock_.wake(); }

  [[nodiscard]] sim::MemoryInitiatorSocket& memory_isock() { return port_.memory_isock; }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] bool idle() const { return own_outstanding_ == 0 && pool_.in_use() == 0; }
  [[nodiscard]] const base::StatGroup& stats() const { return stats_; }
  /// Over the cycles of all commits.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
  void reset_depths() {
    determinism::CommitRequest request;
    request.op = determinism::CommitRequest::Op::kResetDepths;
    request.cycle = clock_.domain().cycle();
    reset_done_ = false;
    commit_isock_.call(request);
    due_ = std::min(due_, request.due);
    clock_.wake();
  }
  [[nodiscard]] bool reset_done() const { return reset_done_; }
  [[nodiscard]] bool waits() const {
    return waits_ && at_ == commits_.current && reads_back_ == commits_.reading;
  }

 private:
  void error(const std::string& what) {
    if (errors_.size() < 10) errors_.push_back(std::string(name()) + ": " + what);
  }
  void tick();
  void work(base::Cycle now);
  bool commit(base::Cycle now);
  void send_entry(std::uint32_t wave, const LogEntry& entry, base::Cycle now);
  bool read_back();
  void access_own();
  bool room() {
    core::PortRequest request;
    request.client = client_;
    own_isock_.call(request);
    return request.room;
  }
  void put(sim::MemoryTransaction& transaction) {
    core::PortRequest request;
    request.op = core::PortRequest::Op::kSend;
    request.client = client_;
    request.transaction = &transaction;
    ++own_outstanding_;
    own_isock_.call(request);
  }
  const std::vector<LogEntry>& log(std::uint32_t wave) const {
    return commits_.all[commits_.current].logs[config_.core * config_.waves + wave];
  }

  CommitCoreConfig config_;
  Commits& commits_;
  std::mt19937_64 random_;
  base::StatGroup stats_{"core"};
  sim::ClockMember clock_;
  sim::MemoryPool pool_;
  core::MemoryPort port_;
  std::unique_ptr<determinism::CommitEngine> engine_;
  core::PortClient client_;
  sim::BlockInitiator<determinism::CommitProtocol> commit_isock_{"commit_isock"};
  sim::BlockTarget<determinism::CommitAckProtocol, CommitCore, &CommitCore::take_ack> ack_tsock_{"ack_tsock",
                                                                                                 this};
  sim::BlockInitiator<core::PortProtocol> control_isock_{"control_isock"};
  sim::BlockInitiator<core::PortProtocol> own_isock_{"own_isock"};
  sim::BlockTarget<core::PortResponseProtocol, CommitCore, &CommitCore::take_own> own_tsock_{"own_tsock",
                                                                                             this};
  std::deque<sim::BlockInitiator<core::PortProtocol>> unused_;  ///< clients that every port has
  std::deque<sim::BlockTarget<core::PortResponseProtocol, CommitCore, &CommitCore::take_own>> unused_answers_;

  bool waits_ = false;  ///< for the other cores
  std::size_t at_ = 0;  ///< the commit that it works on or has finished
  bool reads_back_ = false;
  base::Cycle due_ = base::kNever;
  std::vector<std::size_t> next_;      ///< entry to be sent, by wavefront
  std::vector<unsigned> outstanding_;  ///< by wavefront
  std::uint32_t turn_ = 0;
  std::size_t to_read_ = 0;
  unsigned reads_ = 0;
  unsigned own_outstanding_ = 0;
  std::map<std::uint64_t, std::uint32_t> own_values_;  ///< first word of own lines
  std::map<const sim::MemoryTransaction*, std::uint32_t> expected_own_;
  bool reset_done_ = false;
  std::uint64_t fingerprint_ = 0;
  std::vector<std::string> errors_;
};

inline void CommitCore::tick() {
  const base::Cycle now = clock_.cycle();
  if (random_() % 100 >= config_.stall_percent) {
    core::PortRequest request;
    request.op = core::PortRequest::Op::kDeliver;
    request.cycle = now;
    control_isock_.call(request);
    if (due_ <= now) {
      determinism::CommitRequest tick;
      tick.cycle = now;
      commit_isock_.call(tick);
      due_ = tick.due;
    }
    if (!commits_.done() && !commits_.halted) work(now);
    if (!commits_.done() && random_() % 100 < config_.own_percent) access_own();
    request.op = core::PortRequest::Op::kTick;
    control_isock_.call(request);
  }
  if (commits_.done() && idle() && port_.quiet())
    clock_.park();
  else
    clock_.again();
}

inline void CommitCore::work(base::Cycle now) {
  if (waits_) {
    if (commits_.current == at_ && commits_.reading == reads_back_) return;
    at_ = commits_.current;
    reads_back_ = commits_.reading;
    waits_ = false;
    to_read_ = 0;
    std::fill(next_.begin(), next_.end(), 0);
    if (commits_.done()) return;
  }
  waits_ = reads_back_ ? read_back() : commit(now);
}

/// True: all is acknowledged.
inline bool CommitCore::commit(base::Cycle now) {
  bool done = true;
  for (std::uint32_t i = 0; i < config_.waves; ++i) {
    const std::uint32_t wave = (turn_ + i) % config_.waves;
    if (next_[wave] != log(wave).size()) {
      send_entry(wave, log(wave)[next_[wave]], now);
      turn_ = wave + 1;
      return false;
    }
    done &= outstanding_[wave] == 0;
  }
  if (!done) return false;
  fingerprint_ = fingerprint_ * 31 + now;
  if (engine_->outstanding() != 0) error("the engine has entries that nobody waits for");
  return true;
}

inline void CommitCore::send_entry(std::uint32_t wave, const LogEntry& entry, base::Cycle now) {
  determinism::CommitRequest request;
  request.op = determinism::CommitRequest::Op::kSend;
  request.cycle = now;
  request.wave_slot = wave;
  request.chunk = entry.update.chunk;
  request.data = &entry.update.color;
  request.mask = entry.update.mask;
  request.depth = entry.update.depth;
  commit_isock_.call(request);
  due_ = std::min(due_, request.due);
  if (!request.accepted) return;
  ++next_[wave];
  ++outstanding_[wave];
}

/// True: all has been read.
inline bool CommitCore::read_back() {
  while (to_read_ != config_.chunks.size() && room()) {
    sim::MemoryTransaction& read =
        pool_.allocate(sim::MemoryOp::kRead, config_.chunks[to_read_++], kChunkBytes);
    read.extension.tag = 1;
    ++reads_;
    put(read);
  }
  return to_read_ == config_.chunks.size() && reads_ == 0;
}

inline void CommitCore::access_own() {
  if (!room()) return;
  const std::uint64_t address = config_.own + random_() % config_.own_lines * kChunkBytes;
  const bool writes = random_() % 2 == 0;
  sim::MemoryTransaction& access =
      pool_.allocate(writes ? sim::MemoryOp::kWrite : sim::MemoryOp::kRead, address, kChunkBytes);
  if (writes) {
    const auto value = static_cast<std::uint32_t>(random_());
    std::memcpy(access.data.data(), &value, 4);
    std::fill_n(access.enables.begin(), 4, 0xff);
    own_values_[address] = value;
  } else {
    expected_own_[&access] = own_values_[address];
  }
  access.extension.tag = writes ? 2 : 3;
  put(access);
}

inline void CommitCore::take_own(core::PortResponse& response) {
  auto& t = static_cast<sim::MemoryTransaction&>(*response.payload);
  --own_outstanding_;
  fingerprint_ = fingerprint_ * 31 + response.cycle;
  if (t.extension.tag == 1) {
    --reads_;
    ChunkData expected{};
    const auto& colors = commits_.all[at_].expected.colors;
    if (const auto found = colors.find(t.get_address()); found != colors.end()) expected = found->second;
    if (std::memcmp(t.data.data(), expected.data(), kChunkBytes) != 0)
      error("after commit " + std::to_string(at_) + ": wrong data at " + std::to_string(t.get_address()));
  } else if (t.extension.tag == 3) {
    std::uint32_t value = 0;
    std::memcpy(&value, t.data.data(), 4);
    if (value != expected_own_.at(&t)) error("wrong data in a line of its own");
  }
}

}  // namespace heddle::tb
