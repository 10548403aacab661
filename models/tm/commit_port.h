// A core's messages to commit units and theirs to it ([KiloTM] §4.2.5), one a cycle by the core's memory port, in the order
// in which they were sent. What ideal transactional memory writes to L2 takes the same way.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "core/memory/memory_port.h"
#include "tm/commit_messages.h"
#include "tm/core_signals.h"
#include "tm/transaction_shared.h"

namespace heddle::tm {

class CommitPort {
  void take(core::PortResponse& response);

 public:
  /// Within the constructor of a module: becomes a client of the port.
  CommitPort(core::MemoryPort& port, sim::MemoryPool& pool, const TransactionShared& shared,
             CoreSignals& signals);

  std::function<void(WarpId, Cid base)> on_ids;
  std::function<void(const CoreMessage&, std::uint32_t partition)> on_notice;
  std::function<void(WarpId)> on_written;  ///< L2 has performed a write

  /// Its number, that answers go to.
  [[nodiscard]] std::uint8_t client() const { return static_cast<std::uint8_t>(client_); }
  void send(std::uint32_t partition, UnitMessage message) {
    waiting_.emplace_back(partition, std::move(message));
  }
  /// A cycle: the oldest message goes if there is room.
  void tick(Cycle cycle);
  [[nodiscard]] bool waits() const { return !waiting_.empty(); }
  /// So many messages wait that no log should be read for more.
  [[nodiscard]] bool crowded() const { return waiting_.size() >= kMostMessages; }

  /// There is room for a write, to be sent in this cycle.
  [[nodiscard]] bool room();
  void write(sim::MemoryTransaction& write);

  struct Counters {  ///< by kind of message
    std::array<std::uint64_t, 6> messages{}, bytes{}, flits{};
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  static constexpr std::size_t kMostMessages = 16;

  sim::MemoryPool& pool_;
  const TransactionShared& shared_;
  CoreSignals& signals_;
  core::PortClient client_;
  core::MemoryAccessPort port_isock_{"port_isock"};
  sim::BlockTarget<core::PortResponseProtocol, CommitPort, &CommitPort::take> response_tsock_{
      "response_tsock", this};
  std::deque<std::pair<std::uint32_t, UnitMessage>> waiting_;  ///< with their partitions
  Counters counters_;
};

}  // namespace heddle::tm
