// What can be added to a core without changing it: taps and gates on issue, a unit in front of the load/store unit,
// clients of the load/store unit and of the memory port. An extension is made within each core's constructor, which
// becomes the parent of its modules.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tlm>
#include <vector>

#include "base/config_options.h"
#include "base/ids.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/protocols/issue_gate_protocol.h"
#include "core/protocols/issue_tap_protocol.h"
#include "core/protocols/release_protocol.h"
#include "core/protocols/transaction_protocol.h"

namespace heddle::core {

struct CoreServices;
class LoadStoreUnit;

/// An issue group of a warp, as extensions see it.
struct GroupState {
  base::GroupId group{};
  bool waits = false;  ///< at a barrier or .sync instruction; otherwise it issues sooner or later
};

/// What an extension may ask about the groups of a warp slot.
class GroupView {
 public:
  virtual ~GroupView() = default;
  /// Those that are there, by number.
  virtual void groups(base::WarpId warp, std::vector<GroupState>& groups) const = 0;
  /// Lanes of the warp that waited have been told to go on and do so in a cycle to come, or wait at a fence. Not those whose
  /// release an extension keeps.
  [[nodiscard]] virtual bool releases_pending(base::WarpId warp) const = 0;
  /// Of everything that decides what the warp's lanes do next, but memory: equal if that is equal. No instruction of it
  /// is under way.
  [[nodiscard]] virtual std::uint64_t digest(base::WarpId warp) const = 0;
};

class LsuInterposer;
class MemoryPort;
class SchedulerInterposer;

/// Where an extension is made. All of it outlives the extension.
struct CoreExtensionSite {
  base::CoreId core{};
  const CoreConfig& config;
  const CoreServices& services;
  LoadStoreUnit& lsu;                 ///< add_client()
  MemoryPort& memory_port;            ///< add_client()
  std::uint32_t groups_per_warp = 1;  ///< issue groups of a warp slot
  bool lanes_apart = false;  ///< the control-flow mechanism runs the lanes of a warp one group after another
  const GroupView& groups;
  base::StatGroup& stats;  ///< the core's: child() for the extension's own
};

class CoreExtension {
 public:
  virtual ~CoreExtension() = default;

  using TapTarget = tlm::tlm_target_socket<32, IssueTapProtocol>;
  /// Told of what issues (issue_tap_protocol.h).
  [[nodiscard]] virtual std::vector<TapTarget*> taps() { return {}; }

  struct Gate {
    std::string name;  ///< of its stall cause, in statistics and profiles
    tlm::tlm_target_socket<32, IssueGateProtocol>* gate_tsock = nullptr;
    tlm::tlm_initiator_socket<32, GateControlProtocol>* control_isock = nullptr;
  };
  /// Asked before something issues (issue_gate_protocol.h).
  [[nodiscard]] virtual std::vector<Gate> gates() { return {}; }

  struct Releases {
    tlm::tlm_target_socket<32, ReleaseProtocol>* release_tsock = nullptr;
    tlm::tlm_initiator_socket<32, ReleaseControlProtocol>* control_isock = nullptr;
  };
  /// Decides when lanes go on behind CTA barriers (release_protocol.h); one extension at most.
  [[nodiscard]] virtual std::optional<Releases> releases() { return std::nullopt; }

  /// Executes transactions (transaction_protocol.h); one extension at most.
  [[nodiscard]] virtual tlm::tlm_target_socket<32, TransactionProtocol>* transactions() { return nullptr; }
  /// Of the extension that executes transactions: what lanes do that wait, or give up.
  [[nodiscard]] virtual tlm::tlm_initiator_socket<32, TransactionControlProtocol>* transaction_control() {
    return nullptr;
  }

  /// Stands between the issue stage and the warp schedulers; nullptr: nothing does. Several stand behind each other, the
  /// first extension's next to the issue stage.
  [[nodiscard]] virtual SchedulerInterposer* scheduler_unit() { return nullptr; }
  /// Stands between the core and its load/store unit; nullptr: nothing does. Several extensions' stand behind each
  /// other, the first one's next to the core.
  [[nodiscard]] virtual LsuInterposer* interposer() { return nullptr; }
};

using CoreExtensionFactory = std::function<std::unique_ptr<CoreExtension>(const CoreExtensionSite&)>;

/// An extension that platform files know: a section of the core's configuration, and what makes it if that asks for it.
struct CoreUnit {
  std::string name;  ///< of the section: core.<name>
  std::string doc;
  base::ConfigOption section;  ///< of the key `name`
  /// Null: the configuration does not ask for it. Throws InputError if it cannot be.
  std::function<CoreExtensionFactory(const CoreConfig&)> make;
};

}  // namespace heddle::core
