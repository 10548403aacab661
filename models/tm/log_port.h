// Accesses to the logs of a core on their way through its load/store unit, one a cycle, in the order in which they were asked
// for. Each is a line of addresses or of values.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>

#include "base/slot_pool.h"
#include "tm/core_signals.h"
#include "warp_log/log_traffic.h"

namespace heddle::tm {

/// Half of a row.
enum class LogHalf : std::uint8_t { kAddresses, kValues };
using LogLine = std::array<std::uint32_t, base::kLanes>;

class LogPort {
  void take(warp_log::LogAnswer& answer);

 public:
  /// Who asks.
  class Client {
   public:
    virtual ~Client() = default;
    virtual void stored(std::uint32_t tag) = 0;
    virtual void loaded(std::uint32_t tag, LogHalf half, std::span<const std::uint32_t> words) = 0;
  };

  /// Within the constructor of a module.
  LogPort(base::StatGroup& stats, CoreSignals& signals);
  void bind_unit(core::LoadStoreUnit& unit) { traffic_.bind_unit(unit, "transaction_logs"); }

  void store(Client& client, std::uint32_t tag, WarpId warp, std::uint64_t address, const LogLine& line) {
    waiting_.push_back({&client, tag, true, LogHalf::kAddresses, warp, address, line});
  }
  void load(Client& client, std::uint32_t tag, WarpId warp, std::uint64_t address, LogHalf half) {
    waiting_.push_back({&client, tag, false, half, warp, address, {}});
  }
  /// A cycle: the oldest goes if there is room.
  void tick(Cycle cycle);
  [[nodiscard]] bool waits() const { return !waiting_.empty(); }

 private:
  struct Access {
    Client* client = nullptr;
    std::uint32_t tag = 0;  ///< the client's
    bool store = false;
    LogHalf half = LogHalf::kAddresses;
    WarpId warp{};
    std::uint64_t address = 0;
    LogLine line{};  ///< of stores
  };

  CoreSignals& signals_;
  warp_log::LogTraffic traffic_;
  sim::BlockTarget<warp_log::LogAnswerProtocol, LogPort, &LogPort::take> log_answer_tsock_{"log_answer_tsock",
                                                                                           this};
  std::deque<Access> waiting_;
  base::SlotPool<Access> under_way_;  ///< by tag
};

}  // namespace heddle::tm
