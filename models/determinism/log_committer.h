// Logs of a core's wavefronts on their way out ([GPUDet] §4.4): read back entry by entry and given, each log in its order and
// the logs in turns, to the commit engine at the end of a quantum, or one log to the direct writer in serial mode. Between the
// store buffer, which owns it, the log accesses and the two engines (commit_protocol.h); in the core's cycle only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "determinism/commit_protocol.h"
#include "determinism/depth.h"
#include "determinism/log_accesses.h"
#include "determinism/log_replay.h"
#include "determinism/log_watch.h"
#include "warp_log/log_layout.h"

namespace heddle::determinism {

class LogCommitter {
 public:
  struct Log {
    std::uint32_t wave_slot = 0;
    std::uint32_t entries = 0;  ///< at least one
  };
  struct Counters {
    std::uint64_t updates = 0;        ///< entries given to the commit engine
    std::uint64_t serial_writes = 0;  ///< to the direct writer
  };
  /// Calls an engine.
  using Engine = std::function<void(CommitRequest&)>;
  /// What it refers to outlives it. `layout`: where the logs are.
  struct Site {
    base::CoreId core;
    std::uint32_t wave_slots;
    const DepthFormat& depths;
    const warp_log::LogLayout& layout;
    LogAccesses& accesses;
    LogWatch& watch;
    Engine engine;
    Engine direct_writer;
  };
  /// `over`: everything that begin() or begin_serial() has begun is acknowledged; it may begin something again.
  LogCommitter(Site site, std::function<void()> over)
      : site_(std::move(site)), over_(std::move(over)), waves_(site_.wave_slots) {}

  /// Precondition of both: nothing is under way. Without logs it is over with the next cycle().
  void begin(std::uint32_t quantum, const std::vector<Log>& logs);
  void begin_serial(const Log& log);
  /// To the commit engine: the number of quanta has overflown.
  void reset_depths(base::Cycle cycle) { ask_engine(CommitRequest::Op::kResetDepths, cycle); }

  [[nodiscard]] bool under_way() const { return under_way_; }
  /// When the commit engine wants a tick; kNever: not until it says so.
  [[nodiscard]] base::Cycle engine_due() const { return engine_due_; }
  /// While something is under way, or the engine wants a tick. Whether there is something to do in the next cycle, beside what
  /// accesses and acknowledgements bring.
  bool cycle(base::Cycle cycle);
  /// What a replay has read.
  void read(const LogAccess& access, std::span<const std::uint32_t> words);
  /// The commit engine's due cycle is another one.
  void engine_is_due(base::Cycle due) { engine_due_ = due; }
  /// An entry of the wavefront is acknowledged.
  void acknowledged(std::uint32_t wave_slot);
  /// The last access may have been the last of all.
  void look_for_end();

  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Wave {
    LogReplay replay;
    std::uint32_t acks = 0;      ///< entries that are not acknowledged
    bool waits_for_ack = false;  ///< the commit engine takes no entry before one is
  };
  void ask_engine(CommitRequest::Op op, base::Cycle cycle) {
    CommitRequest request{.op = op, .cycle = cycle};
    site_.engine(request);
    engine_due_ = request.due;
  }
  void add(const Log& log);
  /// One entry of some log. Whether the next cycle may have another one.
  bool send_entry(base::Cycle cycle);
  void read_logs();

  Site site_;
  std::function<void()> over_;
  std::vector<Wave> waves_;           ///< by slot
  std::vector<std::uint32_t> order_;  ///< slots that replay
  std::uint32_t first_ = 0;           ///< whose turn it is, in `order_`
  std::uint32_t quantum_ = 0;
  bool under_way_ = false;
  bool serial_ = false;
  base::Cycle engine_due_ = base::kNever;
  Counters counters_;
};

}  // namespace heddle::determinism
