#include "energy/energy_account.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::energy {
namespace {

constexpr const char* kUnit = "fJ";

/// The energies of one class.
struct ClassAccount {
  const base::StatGroup& stats;
  EnergyClass of;
  std::vector<std::uint64_t> femtojoules;  ///< by event, of one of them

  [[nodiscard]] std::uint64_t energy(std::size_t event) const {
    return count_of(of.events[event], stats) * femtojoules[event];
  }
  [[nodiscard]] std::uint64_t dynamic() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < of.events.size(); ++i) sum += energy(i);
    return sum;
  }
};

}  // namespace

void declare_energy(base::StatGroup& stats, const EnergyConfig& config,
                    const std::vector<std::string>& mechanisms) {
  if (!config.enabled) return;
  std::vector<std::shared_ptr<const ClassAccount>> accounts;
  for (const EnergyClass& of : config.classes) {
    if (!of.belongs_to(mechanisms)) continue;
    ClassAccount account{stats, of, {}};
    for (const EnergyEvent& event : of.events) account.femtojoules.push_back(femtojoules(event.picojoules));
    accounts.push_back(std::make_shared<const ClassAccount>(std::move(account)));
  }
  base::StatGroup& group = stats.child("energy", "dynamic energy of counted events, for ratios only");
  group.derived("dynamic", kUnit, "sum of all classes", [accounts] {
    std::uint64_t sum = 0;
    for (const auto& account : accounts) sum += account->dynamic();
    return sum;
  });
  for (const auto& account : accounts) {
    base::StatGroup& of_class = group.child(account->of.name, account->of.doc);
    of_class.derived("dynamic", kUnit, "sum of its events", [account] { return account->dynamic(); });
    for (std::size_t i = 0; i < account->of.events.size(); ++i)
      of_class.derived(account->of.events[i].name, kUnit, account->of.events[i].doc,
                       [account, i] { return account->energy(i); });
  }
}

}  // namespace heddle::energy
