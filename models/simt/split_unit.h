// The branch unit of AWARE as a clocked block of hardware, rtl/split_unit: what is on its pins in a cycle, and what it answers. Beside it
// stands the model that charges its cost (clocked_splits.h).
//
// A requester is a scheduler of the core, or who launches warps and releases barriers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simt/split.h"
#include "simt/split_sides.h"

namespace heddle::simt {

enum class SplitOp : std::uint8_t { kLaunch, kAdvance, kJump, kCall, kReturn, kExit, kArrive, kRelease };
inline constexpr const char* kSplitOpNames[] = {"launch", "advance", "jump",   "call",
                                                "return", "exit",    "arrive", "release"};

struct SplitEvent {
  SplitOp op = SplitOp::kAdvance;
  WarpId warp{};
  SplitId split{};   ///< that asks, as the warp's last answer named it
  LaneMask lanes{};  ///< that do it; kLaunch: that exist, kRelease: that go on
  Pc next = kNoPc;   ///< where the others go
  Pc rpc = kNoPc;    ///< kJump
  Sides sides{};  ///< kJump, kCall, kReturn: where `lanes` go, in the order in which the unit asks for them
};

/// Inputs of one cycle.
struct SplitPins {
  static constexpr std::uint32_t kMostRequesters = 9;
  /// Null: none. None is of a warp whose answer is outstanding.
  std::array<const SplitEvent*, kMostRequesters> events{};
};

struct SplitAnswer {
  enum class State : std::uint8_t { kEnded, kRuns, kBarrier };
  WarpId warp{};
  State state = State::kEnded;
  SplitId split = kNoSplit;  ///< in front of the queue; not kEnded
  // kRuns
  Pc pc = kNoPc;
  Pc watch = kNoPc;
  LaneMask mask{};
  bool operator==(const SplitAnswer&) const = default;
};

/// Tables of a warp.
struct SplitContents {
  struct Queued {
    SplitId id{};
    bool blocked = false;
    Split split;
    bool operator==(const Queued&) const = default;
  };
  struct Point {
    ReconvergenceId id{};
    Reconvergence entry;  ///< but for its kind, which nothing depends on
    bool operator==(const Point&) const = default;
  };
  std::vector<Queued> queue;  ///< front first
  std::vector<Point> points;  ///< by number
  bool operator==(const SplitContents&) const = default;
};

class SplitUnit {
 public:
  virtual ~SplitUnit() = default;
  /// Nested calls that it has room for, the kernel included.
  [[nodiscard]] virtual std::uint32_t frames() const = 0;
  [[nodiscard]] virtual std::optional<SplitAnswer> answer() const = 0;
  /// The requester that is served. Combinational; nothing changes.
  [[nodiscard]] virtual std::optional<std::uint32_t> grant(const SplitPins& pins) = 0;
  /// The clock edge that ends the cycle. The event that is served is the unit's from then on: its places are shown to it one by one.
  virtual void edge(const SplitPins& pins, Cycle cycle) = 0;
  /// For diagnoses and comparisons. Of a warp whose answer is outstanding it means nothing.
  [[nodiscard]] virtual SplitContents read(WarpId warp) const = 0;
};

/// rtl/split_unit, clocked once per core cycle.
struct SplitUnitBlock {
  static constexpr const char* kName = "split_unit";
  using Interface = SplitUnit;
  struct Shape {
    std::uint32_t warps = 0;
    std::uint32_t requesters = 0;
    bool rotates = true;  ///< at taken branches
  };
};

/// RTL beside its model, or in its place. With `both`, who is served and what is answered must be the model's in every clock, and behind an
/// answer the tables of its warp; the first difference ends the run.
class SplitTwin {
 public:
  using Contents = std::function<SplitContents(WarpId)>;
  SplitTwin(std::unique_ptr<SplitUnit> unit, bool both, std::string path, Contents contents)
      : unit_(std::move(unit)), both_(both), path_(std::move(path)), contents_(std::move(contents)) {}

  [[nodiscard]] bool both() const { return both_; }
  [[nodiscard]] std::uint32_t frames() const { return unit_->frames(); }
  /// Who is served, of those on the pins; then the clock edge. `model`: whom the model serves.
  std::optional<std::uint32_t> clock(const SplitPins& pins, std::optional<std::uint32_t> model, Cycle cycle);
  /// An event has been served, which the model answers in that cycle.
  void expect(Cycle cycle, const SplitAnswer& answer);
  /// What is answered in the cycle.
  std::optional<SplitAnswer> answer(Cycle cycle);
  /// Events without an answer.
  [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }

 private:
  struct Expected {
    Cycle cycle = 0;
    SplitAnswer answer;
  };
  std::unique_ptr<SplitUnit> unit_;
  bool both_;
  std::string path_;
  Contents contents_;
  std::deque<Expected> expected_;
  std::uint32_t outstanding_ = 0;
  Cycle pins_ = 0;  ///< clocks so far, at least those of the core
};

}  // namespace heddle::simt
