// Warp scheduling policies: the interface, and how the configuration knows them. Nothing here knows any by name:
// who composes a GPU lists them (platforms/gpu/registries.h), and a program may add its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/config_options.h"
#include "base/ids.h"
#include "base/index_set.h"
#include "core/protocols/issue_tap_protocol.h"
#include "core/schedule/pick_unit.h"
#include "sim/block_timing.h"
#include "sim/twins.h"

namespace heddle::isa {
struct Kernel;
}

namespace heddle::core {

class GroupReader;

/// Chooses among the warps of one scheduler. Its state carries over from launch to launch.
class WarpSchedulingPolicy {
 public:
  using Cycle = base::Cycle;
  using WarpId = base::WarpId;

  virtual ~WarpSchedulingPolicy() = default;
  /// A launch of the kernel begins, which the last launch here was not of.
  virtual void begin(const isa::Kernel&) {}
  /// A warp was launched.
  virtual void assign(WarpId warp, Cycle now) = 0;
  /// Before that: the number of its CTA in the order in which the core was given them.
  virtual void belongs_to(WarpId /*warp*/, std::uint64_t /*cta*/) {}
  virtual void leave(WarpId) {}
  /// One of the non-empty set of candidates, or none: all are held back.
  [[nodiscard]] virtual std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) = 0;
  /// After a pick of none: the first cycle, later than `now`, in which it may pick one of the same candidates
  /// although nothing else has happened. kNever: not by itself.
  [[nodiscard]] virtual Cycle due(const base::IndexSet& /*candidates*/, Cycle now) const { return now + 1; }
  /// The picked warp issues.
  virtual void issued(WarpId warp, Cycle now) = 0;
  /// The policy wants to hear when such an instruction issues (protocols/issue_tap_protocol.h).
  [[nodiscard]] virtual bool taps(const isa::Instruction&) const { return false; }
  /// One of them issues, of the scheduler's own warps; after issued().
  virtual void tapped(const IssueTapRequest&) {}
  /// All of the warp waits for memory, a fence or a barrier.
  virtual void long_latency(WarpId) {}
  /// The policy wants to hear that the queue of memory instructions was full and has room again.
  [[nodiscard]] virtual bool hears_of_memory_room() const { return false; }
  virtual void memory_room() {}
  /// What issued last cannot go on at once, though other splits of its warp may: no reason to be greedy.
  virtual void stalled() {}
  /// What the next pick depends on, as far as a twin in RTL has it too.
  [[nodiscard]] virtual nlohmann::ordered_json show() const;

  /// It chooses by what the warps' groups are about to do: called before each pick. For mechanisms with one group per
  /// warp slot: the group's number is the warp's.
  virtual void look(const GroupReader& /*groups*/) {}

  // What the core asks once, when it is made.

  /// It wants to be shown the groups: look().
  [[nodiscard]] virtual bool looks() const { return false; }
  /// A warp that could issue may be passed over for ever.
  [[nodiscard]] virtual bool may_starve() const { return false; }
};

struct SchedulerConfig;

struct SchedulingPolicy {
  std::string name;  ///< value of core.scheduler.policy
  std::string doc;   ///< what it picks
  /// Its keys of core.scheduler (ConfigOption::fields) or sections below.
  std::vector<base::ConfigOption> options;
  /// For `warps` warp slots.
  std::function<std::unique_ptr<WarpSchedulingPolicy>(const SchedulerConfig&, std::uint32_t warps)> make;
  /// The same as a clocked block, for timing: contract and for RTL; empty: it has neither.
  std::function<PickContract(const SchedulerConfig&)> contract = {};
};

struct SchedulerConfig {
  /// Knows no policy.
  SchedulerConfig() = default;
  /// The one called `selected` is the default.
  SchedulerConfig(const std::vector<SchedulingPolicy>& policies, const std::string& selected);

  std::uint32_t count = 2;
  std::uint32_t sub_cores = 1;
  std::string policy;
  base::ConfigOptions options;  ///< of all policies, by key
  sim::Implementation impl = sim::Implementation::kModel;
  sim::Timing timing = sim::Timing::kIdeal;
  std::uint8_t stall_seed = 0;
  std::uint32_t perturb_seed = 0;

  void visit(base::ConfigVisitor& v);
  /// Options of a policy, by their type.
  template <class Options>
  [[nodiscard]] Options& get() {
    return options.get<Options>();
  }
  template <class Options>
  [[nodiscard]] const Options& get() const {
    return options.get<Options>();
  }
  /// The model of the selected policy. Throws InputError if there is none of the name.
  [[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> make(std::uint32_t warps) const;
  /// Of the selected policy. Throws InputError if it has none; `key`: which key asks for it.
  [[nodiscard]] PickContract contract(const std::string& key) const;
  [[nodiscard]] bool clocked() const { return timing == sim::Timing::kContract; }

 private:
  std::shared_ptr<const std::vector<SchedulingPolicy>> policies_ =
      std::make_shared<const std::vector<SchedulingPolicy>>();
};

/// rtl/warp_scheduler: the pick among warps, of LRR and GTO. The turns of a warp's splits, and when GTO's
/// ages rotate, stay in the shell.
struct WarpSchedulerBlock {
  static constexpr const char* kName = "warp_scheduler";
  using Interface = PickUnit;
  struct Shape {
    std::uint32_t warps = 0;  ///< slots of one scheduler; timing: ideal: warps of the core
    SchedulerConfig config;
  };
};

/// As `config.impl` and `config.timing` say: the model, the RTL, or both in lockstep, in stopped time or clocked (then it is a
/// ClockedPolicy). `path`: the scheduler's, for messages.
[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                                           std::uint32_t warps,
                                                                           const std::string& path,
                                                                           sim::Twins* twins);

}  // namespace heddle::core
