#include "memory/request_coalescer.h"

#include <algorithm>
#include <cstring>

namespace heddle::memory {

RequestCoalescer::RequestCoalescer(const CrossbarConfig& config, unsigned cores)
    : group_of_core_(config.group_of_core), waiting_(cores), following_(cores) {
  if (config.coalesced_reads <= 1) return;
  group_of_core_.resize(cores);
  const std::uint32_t groups = *std::ranges::max_element(group_of_core_) + 1;
  passing_.resize(groups * kHashes);
  tables_.reserve(groups);
  for (std::uint32_t g = 0; g < groups; ++g)
    tables_.emplace_back(config.coalescer_entries, config.coalesced_reads, sim::kMaxLineBytes);
}

bool RequestCoalescer::orders(Payload& request) {
  const sim::MemoryExtension& ext = sim::memory_extension(request);
  if (ext.op == sim::MemoryOp::kRead) return ext.join_from == base::kNever && ext.wanted_sectors != 0;
  return ext.op == sim::MemoryOp::kWrite || ext.op == sim::MemoryOp::kAtomic;
}

RequestCoalescer::Way RequestCoalescer::take(Payload& request, bool room) {
  sim::MemoryExtension& ext = sim::memory_extension(request);
  Table& table = tables_[group_of_core_[ext.core.value()]];
  const std::uint64_t line = request.get_address();
  if (orders(request)) {
    for (std::uint32_t entry = table.find(line); entry != Table::kNone; entry = table.find_next(entry)) {
      sim::memory_extension(*table.targets(entry)[0]).join_from = base::kNever;
      for (std::uint32_t i = 1; i < table.target_count(entry); ++i)
        if (sim::memory_extension(*table.targets(entry)[i]).core == ext.core) return Way::kWaits;
    }
    ++passing(ext.core, line);
    return Way::kGoes;
  }
  if (ext.op != sim::MemoryOp::kRead || ext.wanted_sectors == 0 || passing(ext.core, line) != 0)
    return Way::kGoes;
  if (const std::uint32_t entry = table.find(line); entry != Table::kNone && room) {
    const sim::MemoryExtension& first = sim::memory_extension(*table.targets(entry)[0]);
    if (first.join_from != base::kNever && first.issued_at >= ext.join_from &&
        first.wanted_sectors == ext.wanted_sectors && table.add(entry, &request)) {
      ++joined;
      ++waiting_[ext.core.value()];
      ++following_[ext.core.value()];
      ext.follows = true;
      return Way::kStays;
    }
  }
  if (table.full()) {
    ++table_full;
  } else {
    (void)table.allocate(line, &request);
    ext.joined = true;
  }
  return Way::kGoes;
}

void RequestCoalescer::copy(const Payload& answer, Payload& follower) {
  const sim::SectorMask wanted = sim::memory_extension(follower).wanted_sectors;
  const unsigned bytes = follower.get_data_length();
  for (unsigned first = 0; first < bytes; first += sim::kSectorBytes)
    if ((wanted >> first / sim::kSectorBytes & 1u) != 0)
      std::memcpy(follower.get_data_ptr() + first, answer.get_data_ptr() + first,
                  std::min(sim::kSectorBytes, bytes - first));
  follower.set_response_status(answer.get_response_status());
}

}  // namespace heddle::memory
