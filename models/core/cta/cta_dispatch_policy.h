// CTA dispatch policies: which CTA of a launch goes to which core next. The interface, and how the configuration knows
// them. Nothing here knows any by name: who composes a GPU lists them (platforms/gpu/registries.h), and a program may
// add its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/config_options.h"
#include "base/ids.h"

namespace heddle::core {

/// A CTA, by its linear number within the grid, and the core that it goes to.
struct CtaChoice {
  std::uint32_t core = 0;
  std::uint64_t cta = 0;
  /// A free CTA slot of the core, in which the CTA gets the warp slots slot * warps per CTA and following; none: the
  /// first that is free, and the first warp slots. A policy names slots for all CTAs of a launch or for none.
  std::optional<base::CtaSlot> slot{};
};

class CtaDispatchPolicy {
 public:
  virtual ~CtaDispatchPolicy() = default;
  /// Before anything else. `ask`: may be called at any time to be asked in the next cycle.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
  virtual void attach(std::function<void()> /*ask*/) {}
  /// A launch of that many CTAs begins; all cores are empty.
  virtual void begin(std::uint64_t ctas, std::uint32_t cores) = 0;
  /// What starts next in this cycle; none: nothing more. `room`: by core, how many more CTAs fit there; 0 also for a
  /// core that has got one in this cycle already. Asked until it answers none, no core has room or every CTA has
  /// started; asked again in the next cycle if it has chosen something, and whenever a CTA is done.
  [[nodiscard]] virtual std::optional<CtaChoice> next(std::span<const std::uint32_t> room) = 0;
  /// A cycle in which the dispatcher runs, before it asks. When it must run again at the latest; kNever: when it
  /// would.
  virtual base::Cycle cycle(base::Cycle /*now*/) { return base::kNever; }
  /// All CTAs are done: may the launch end? Asked whenever the dispatcher runs.
  [[nodiscard]] virtual bool may_end() { return true; }
  /// When a CTA is done, next() names no other core than those that have room since. Then cores need not wait for each
  /// other before a CTA starts, and may run ahead (sim/windows.h).
  [[nodiscard]] virtual bool fills_freed_room_only() const { return false; }
  /// The launch is over, at its end or before.
  virtual void end() {}
  /// The choice has started in that CTA slot of its core.
  virtual void started(const CtaChoice& /*choice*/, base::CtaSlot /*slot*/) {}
  /// It is done.
  virtual void done(const CtaChoice& /*choice*/, base::CtaSlot /*slot*/) {}
  /// The cycle is over; `gave`: something has started in it.
  virtual void end_cycle(bool /*gave*/) {}
};

struct DispatchConfig;

struct DispatchPolicy {
  std::string name;  ///< value of dispatch.policy
  std::string doc;
  std::vector<base::ConfigOption> options;  ///< its keys of, or sections below, dispatch
  std::function<std::unique_ptr<CtaDispatchPolicy>(const DispatchConfig&)> make;
};

/// Keys: dispatch.*
struct DispatchConfig {
  /// Knows no policy.
  DispatchConfig() = default;
  /// The first of them is the default.
  explicit DispatchConfig(const std::vector<DispatchPolicy>& policies);

  std::string policy;
  std::uint32_t launch_overhead_cycles = 0;
  // What a profiler counts with a launch and no core asks for: heddle correlate adds it.
  std::uint32_t launch_sectors = 0;       ///< looked up by L2
  std::uint32_t launch_dram_sectors = 0;  ///< read from DRAM
  std::uint32_t code_lookups = 0;         ///< of each sector of the kernel's code by L2
  base::ConfigOptions options;            ///< of all policies

  void visit(base::ConfigVisitor& v);
  template <class Options>
  [[nodiscard]] const Options& get() const {
    return options.get<Options>();
  }
  /// The selected policy. Throws InputError if there is none of the name.
  [[nodiscard]] std::unique_ptr<CtaDispatchPolicy> make() const;

 private:
  std::shared_ptr<const std::vector<DispatchPolicy>> policies_ =
      std::make_shared<const std::vector<DispatchPolicy>>();
};

}  // namespace heddle::core
