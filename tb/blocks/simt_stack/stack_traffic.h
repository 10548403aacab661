// Random requests for the bench of the SIMT stack, as a core would send them.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "blocks/simt/walk_program.h"
#include "cosim/coverage.h"
#include "stack_reference.h"

namespace heddle::cosim {

/// A few warps whose requests are interleaved, even between those of one event.
class StackTraffic {
 public:
  StackTraffic() {
    for (std::size_t i = 0; i < warps_.size(); ++i) warps_[i].id = simt::WarpId{kUsed[i]};
  }
  virtual ~StackTraffic() = default;
  /// Of a warp whose request has been answered; none: there is no such warp.
  std::optional<BenchRequest> operator()(const StackReference& model, std::mt19937& random);
  void answered(simt::WarpId warp) {
    for (Warp& each : warps_)
      if (each.id == warp) each.outstanding = false;
  }

 protected:
  struct Warp {
    simt::WarpId id{};
    std::deque<BenchRequest> requests;  ///< of an event that has begun
    bool failed = false;                ///< the RTL's capacity was exceeded: the warp is abandoned
    bool at_barrier = false;
    bool outstanding = false;
  };
  /// An event of a warp that has a stack and does not wait at a barrier; none: nothing to report.
  virtual std::optional<BenchRequest> event(Warp& warp, const StackReference& model,
                                            std::mt19937& random) = 0;
  virtual BenchRequest launch(Warp& warp, std::mt19937& random) = 0;
  /// Called with every request before it is served.
  virtual void cover(const BenchRequest&, const StackReference&) {}

  static BenchRequest make(const Warp& warp, const simt::ControlFlowRequest& event);
  template <class Kind>
  static BenchRequest make(const Warp& warp, Kind kind) {
    simt::ControlFlowRequest event;
    event.set(kind);
    return make(warp, event);
  }
  static simt::LaneMask some_lanes(simt::LaneMask of, std::mt19937& random);

 private:
  BenchRequest next(Warp& warp, const StackReference& model, std::mt19937& random);
  void begin(Warp& warp, const BenchRequest& event, const StackReference& model);

  static constexpr std::array<std::uint32_t, 4> kUsed{0, 1, 42, 63};
  std::array<Warp, 4> warps_;
};

/// Anything that the contract allows, with few PCs, so that PCs often coincide.
class AnyTraffic : public StackTraffic {
 public:
  /// `small`: small enough to reach the RTL's limits.
  explicit AnyTraffic(bool small);
  Coverage coverage;

 protected:
  std::optional<BenchRequest> event(Warp& warp, const StackReference& model, std::mt19937& random) override;
  BenchRequest launch(Warp& warp, std::mt19937& random) override;
  void cover(const BenchRequest& request, const StackReference& model) override;

 private:
  void cover_branch(const BenchRequest& request, const StackReference& model);
  void cover_leaving(const BenchRequest& request, const StackReference& model);
  unsigned phase_ = 0;
  simt::WarpId open_{};    ///< of the last request
  bool open_last_ = true;  ///< it was the last one of its event
};

/// Structured programs with branches, loops, switches, calls, thread exits and barriers.
class ProgramTraffic : public StackTraffic {
 public:
  std::uint64_t programs = 0;
  std::size_t max_depth = 0;

 protected:
  std::optional<BenchRequest> event(Warp& warp, const StackReference& model, std::mt19937& random) override;
  BenchRequest launch(Warp& warp, std::mt19937& random) override;
  void cover(const BenchRequest& request, const StackReference& model) override;

 private:
  struct Run {
    std::optional<simt::WalkProgram> program;
    std::vector<simt::WalkThread> threads;
    simt::Pc pc{};
    bool moved = true;  ///< by the stack, which determines the PC
  };
  std::map<simt::WarpId, Run> runs_;
};

}  // namespace heddle::cosim
