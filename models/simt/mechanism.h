// Control-flow mechanisms as the configuration knows them. Nothing here knows any by name: who composes a GPU
// lists them (platforms/gpu/registries.h), and a program may add its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/config_options.h"
#include "sim/twins.h"
#include "simt/control_flow.h"

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
  std::uint32_t warps = 0;      ///< warp slots of the core
  ControlFlowPorts& ports;      ///< outlives the mechanism
  std::string path;             ///< of the module, for messages
  sim::Twins* twins = nullptr;  ///< RTL for blocks whose `impl` asks for it; null: there is none
};

/// What code may use on a mechanism that executes convergence instructions.
struct ConvergenceTables {
  std::uint32_t barrier_registers = 0;      ///< that programs may name
  std::uint32_t reconvergence_entries = 0;  ///< regions open at a time
};

/// What branches' reconvergence points are to a mechanism whose lanes wait there.
struct ReconvergenceUse {
  bool sides_take_turns = false;  ///< or one side runs, until it ends or comes to the point
  bool counts_threads =
      false;  ///< at CTA barriers, whatever core.barrier.counts says (ControlFlow::runs_lanes_apart)
};

struct Mechanism {
  std::string name;  ///< value of core.control_flow.mechanism
  std::string doc;
  /// Its sections of core.control_flow. Mechanisms that share a section both name it.
  std::vector<base::ConfigOption> options;
  /// Its blocks that have RTL twins: sections of type sim::TwinConfig.
  std::vector<base::ConfigOption> blocks;
  std::function<std::unique_ptr<ControlFlow>(const MechanismSite&)> make;
  /// Null: it executes no convergence instructions (ControlFlow::converge), gets no kernel that has any, and branches
  /// need their reconvergence points.
  std::function<ConvergenceTables(const ControlFlowConfig&)> convergence = nullptr;
  /// Which lanes of a warp run next may depend on when things happen, not only on what the lanes have executed: why;
  /// empty: it does not. Null: it may.
  std::function<std::string(const ControlFlowConfig&)> timed = nullptr;
  /// None: lanes do not wait at branches' reconvergence points.
  std::optional<ReconvergenceUse> reconvergence = ReconvergenceUse{};
};

/// Makes the selected mechanism for a core.
using ControlFlowFactory = std::function<std::unique_ptr<ControlFlow>(
    std::uint32_t warps, ControlFlowPorts& ports, const std::string& path, sim::Twins* twins)>;

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
  /// Of the selected mechanism, if it executes convergence instructions. Throws InputError if there is none of the name.
  [[nodiscard]] std::optional<ConvergenceTables> convergence() const;
  /// Mechanism::timed of the selected mechanism, with its name.
  [[nodiscard]] std::string timed() const;
  /// The mechanisms that do: "hanoi".
  [[nodiscard]] std::string serving_convergence() const;
  /// Mechanism::reconvergence of the selected mechanism. Throws InputError if there is none of the name.
  [[nodiscard]] std::optional<ReconvergenceUse> reconvergence() const;
  /// Of the selected mechanism; does not refer to this. Throws InputError if there is none of the name.
  [[nodiscard]] ControlFlowFactory factory() const;

 private:
  std::shared_ptr<const std::vector<Mechanism>> mechanisms_ =
      std::make_shared<const std::vector<Mechanism>>();
};

}  // namespace heddle::simt
