#include "core/state/profile.h"

#include <numeric>

#include "core/state/issue_table.h"

namespace heddle::core {

std::vector<std::string> wait_cause_names(const std::vector<std::string>& gates) {
  std::vector<std::string> names = slot_use_names();
  names.front() = "not_selected";
  names.resize(kOwnWaitCauses);
  names.insert(names.end(), gates.begin(), gates.end());
  return names;
}

std::uint64_t PcProfile::waited() const {
  return std::accumulate(waiting.begin(), waiting.end(), std::uint64_t{0});
}

PcProfile& PcProfile::operator+=(const PcProfile& other) {
  issues += other.issues;
  lanes += other.lanes;
  divergences += other.divergences;
  transactions += other.transactions;
  extra_passes += other.extra_passes;
  for (unsigned cause = 0; cause < kWaitCauses; ++cause) waiting[cause] += other.waiting[cause];
  parted += other.parted;
  return *this;
}

}  // namespace heddle::core
