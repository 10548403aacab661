// Control-flow mechanisms as the configuration knows them. Nothing here knows any by name: who composes a GPU
// lists them (platforms/gpu/registries.h), and a program may add its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/config_options.h"
#include "sim/clocked_twin.h"
#include "simt/control_flow.h"
#include "simt/traits.h"

namespace heddle::simt {

/// Which side of a divergent branch runs first ([AWARE:A2], [TBC:A1]).
enum class FirstSide : std::uint8_t { kAuto, kTaken, kNotTaken, kSmaller };
inline constexpr const char* kFirstSideNames[] = {"auto", "taken", "not_taken", "smaller"};

enum class LikelyConvergence : std::uint8_t { kOff, kLoops, kProfile };
inline constexpr const char* kLikelyConvergenceNames[] = {"off", "loops", "profile"};

struct ControlFlowConfig;

/// Where a mechanism is made: within the constructor of a module, which becomes the parent of the mechanism's
/// modules.
struct MechanismSite {
  const ControlFlowConfig& config;
  std::uint32_t warps = 0;  ///< warp slots of the core
  std::uint32_t schedulers = 1;
  ControlFlowPorts& ports;      ///< outlives the mechanism
  std::string path;             ///< of the module, for messages
  sim::Twins* twins = nullptr;  ///< RTL for blocks whose `impl` asks for it; null: there is none
};

struct Mechanism {
  std::string name;  ///< value of core.control_flow.mechanism
  std::string doc;
  /// Its sections of core.control_flow. Mechanisms that share a section both name it.
  std::vector<base::ConfigOption> options;
  /// Its blocks: sections of type sim::TwinConfig if they have RTL twins, sim::ContractConfig if they can be clocked, or
  /// sim::ClockedTwinConfig for both.
  std::vector<base::ConfigOption> blocks;
  std::function<std::unique_ptr<ControlFlow>(const MechanismSite&)> make;
  /// Everything else that anybody knows of it. Null: nothing but Traits{}.
  std::function<Traits(const ControlFlowConfig&)> traits = nullptr;
};

/// The selected mechanism, to be made for each core.
struct ControlFlowFactory {
  std::function<std::unique_ptr<ControlFlow>(std::uint32_t warps, ControlFlowPorts& ports,
                                             const std::string& path, sim::Twins* twins)>
      make;
  Traits traits;
};

struct ControlFlowConfig {
  /// Knows no mechanism.
  ControlFlowConfig() = default;
  /// The first of them is the default.
  explicit ControlFlowConfig(const std::vector<Mechanism>& mechanisms);

  std::string mechanism;
  FirstSide first_side = FirstSide::kAuto;
  /// Where likely-convergence points come from ([TBC] §3.4).
  LikelyConvergence likely_convergence = LikelyConvergence::kOff;
  std::string likely_convergence_profile;
  /// Mechanisms that do not serve convergence instructions get them as no-ops (compiler/ignore_convergence.h).
  bool ignores_convergence_instructions = false;
  base::ConfigOptions options;  ///< of all mechanisms
  base::ConfigOptions blocks;   ///< of all mechanisms, by key

  void visit(base::ConfigVisitor& v);
  /// Throws InputError for a block that is to be RTL and that the selected mechanism does not have.
  void validate() const;
  /// kAuto resolved: `own` is the mechanism's default.
  [[nodiscard]] FirstSide resolved_first_side(FirstSide own) const {
    return first_side == FirstSide::kAuto ? own : first_side;
  }
  /// Options of a mechanism, by their type.
  template <class Options>
  [[nodiscard]] Options& get() {
    return options.get<Options>();
  }
  template <class Options>
  [[nodiscard]] const Options& get() const {
    return options.get<Options>();
  }
  [[nodiscard]] sim::TwinConfig& block(const std::string& key) { return blocks.get<sim::TwinConfig>(key); }
  [[nodiscard]] const sim::TwinConfig& block(const std::string& key) const {
    return blocks.get<sim::TwinConfig>(key);
  }
  [[nodiscard]] sim::ClockedTwinConfig& clocked_block(const std::string& key) {
    return blocks.get<sim::ClockedTwinConfig>(key);
  }
  [[nodiscard]] const sim::ClockedTwinConfig& clocked_block(const std::string& key) const {
    return blocks.get<sim::ClockedTwinConfig>(key);
  }
  /// Of the selected mechanism. Throws InputError if there is none of the name.
  [[nodiscard]] Traits traits() const;
  /// Traits::timed of the selected mechanism, with its name.
  [[nodiscard]] std::string timed() const;
  /// The mechanisms that have it, as their options are: "simt_stack, aware or multi_path".
  [[nodiscard]] std::string mechanisms_with(const std::function<bool(const Traits&)>& it) const;
  /// Of the selected mechanism, for a core with `schedulers`; does not refer to this. Throws InputError if there is none of the name.
  [[nodiscard]] ControlFlowFactory factory(std::uint32_t schedulers = 1) const;

 private:
  std::shared_ptr<const std::vector<Mechanism>> mechanisms_ =
      std::make_shared<const std::vector<Mechanism>>();
};

}  // namespace heddle::simt
