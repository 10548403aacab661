// The log walker of a core's transaction unit: reads the rows of a warp's logs through L1, a few ahead, and hands them over in
// their order. It walks through one warp's logs at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "tm/log_port.h"
#include "tm/transaction_log.h"

namespace heddle::tm {

struct LogWalk {
  enum class Why : std::uint8_t {
    kTransfer,
    kAgain,    ///< a set is sent again: to one partition, of some lanes
    kResolve,  ///< conflicts within the warp: write log, read log, and the write log once more for two phases
    kValidate,  ///< the read log only ([KiloTM:E11])
  };
  WarpId warp{};
  Why why = Why::kTransfer;
  bool writes_only = false;  ///< kAgain: the write log, otherwise the read log
  LaneMask lanes;
  std::uint32_t partition = 0;
  bool by_lane =
      false;  ///< kAgain, Kilo TM: read sets of `lanes` and write sets of `writers`, lane after lane
  LaneMask writers;
};

class LogWalker final : private LogPort::Client {
 public:
  struct Row {
    bool write = false;
    std::uint32_t row = 0;
    unsigned lane = 0;  ///< by lane: the one whose word is wanted
    unsigned missing = 0;
    LogLine addresses{}, values{};  ///< kResolve: no values
  };
  /// Who gets the rows.
  class Reader {
   public:
    virtual ~Reader() = default;
    virtual void begins(const LogWalk& walk) = 0;
    virtual void takes(const LogWalk& walk, const Row& row) = 0;
    virtual void ends(const LogWalk& walk) = 0;
  };

  /// `two_phases`: conflicts within a warp are resolved with two passes over its write log.
  LogWalker(TransactionLog& log, CoreSignals& signals, Reader& reader, bool two_phases);

  void add(const LogWalk& walk) { walks_.push_back(walk); }
  /// Behind the one that is under way, before all others.
  void add_next(const LogWalk& walk);
  /// A cycle.
  void tick();
  [[nodiscard]] bool waits() const { return !walks_.empty(); }

 private:
  static constexpr std::uint32_t kWindow = 4;       ///< rows that are read ahead
  static constexpr std::uint32_t kLaneWindow = 32;  ///< of which one word is wanted
  struct Place {
    bool write = false;
    std::uint32_t row = 0;
    unsigned lane = 0;
  };

  void stored(std::uint32_t /*tag*/) override {}
  void loaded(std::uint32_t tag, LogHalf half, std::span<const std::uint32_t> words) override;
  [[nodiscard]] bool under_way() const { return next_ != 0 || !order_.empty(); }
  [[nodiscard]] std::uint32_t rows_of(const LogWalk& walk) const;
  /// The `index`-th row of a walk.
  [[nodiscard]] Place place_of(const LogWalk& walk, std::uint32_t index) const;

  TransactionLog& log_;
  CoreSignals& signals_;
  Reader& reader_;
  const bool two_phases_;
  std::deque<LogWalk> walks_;
  std::uint32_t next_ = 0;           ///< rows that have been asked for
  std::deque<std::uint32_t> order_;  ///< slots of rows on their way, oldest first
  std::array<Row, kLaneWindow> window_{};
  std::vector<std::uint32_t> free_;
};

}  // namespace heddle::tm
