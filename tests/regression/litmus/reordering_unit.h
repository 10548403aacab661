// A partition unit that holds the requests of each core for random times: the way from a core to a partition is as long as it likes, and
// requests keep no order but that of one core to one partition, which is all that the memory promises (models/memory/README.md). The crossbar
// alone is stricter: requests take effect in the order in which it grants them, which is sequential consistency for what L2 serves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/partition_unit.h"
#include "regression/generator/random_source.h"

namespace heddle::litmus {

class ReorderingUnit : public memory::PartitionUnit {
 public:
  ReorderingUnit(const sc_core::sc_module_name& name, std::uint64_t seed,
                 const memory::PartitionUnitSite& site)
      : PartitionUnit(name, sim::message_owner("LITM"),
                      {.requests = kMost, .l2 = 4, .responses = 4, .answers = 4}, site),
        random_(seed * 1000 + site.partition.value()) {}

 protected:
  bool takes_request(const Payload&) override { return true; }

  base::Cycle cycle(base::Cycle now) override {
    while (request() != nullptr && waiting_.size() < kMost) {
      Payload& next = take_request();
      waiting_.push_back({&next, now + (random_.chance(50) ? 0 : random_.below(kLongest))});
    }
    for (std::size_t i = 0; i < waiting_.size() && can_send();) {
      if (waiting_[i].due > now || behind_another(i)) {
        ++i;
        continue;
      }
      send(*waiting_[i].payload);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return waiting_.empty() && request() == nullptr ? kNever : now + 1;
  }

 private:
  static constexpr std::uint32_t kMost = 32;      ///< requests at a time
  static constexpr std::uint32_t kLongest = 300;  ///< unit cycles
  struct Waiting {
    Payload* payload = nullptr;
    base::Cycle due = 0;
  };
  [[nodiscard]] static base::CoreId core(const Waiting& of) {
    return sim::memory_extension(*of.payload).core;
  }
  [[nodiscard]] bool behind_another(std::size_t i) const {
    return std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const Waiting& earlier) { return core(earlier) == core(waiting_[i]); });
  }

  generator::RandomSource random_;
  std::vector<Waiting> waiting_;
};

[[nodiscard]] inline memory::PartitionUnitFactory reordering_units(std::uint64_t seed) {
  return [seed](const memory::PartitionUnitSite& site, sim::MemoryInitiatorSocket& crossbar,
                sim::MemoryTargetSocket& l2) {
    auto unit = std::make_unique<ReorderingUnit>(("unit" + std::to_string(site.partition.value())).c_str(),
                                                 seed, site);
    crossbar.bind(unit->crossbar_tsock);
    unit->l2_isock.bind(l2);
    return unit;
  };
}

}  // namespace heddle::litmus
