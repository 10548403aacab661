#include "memory/memory_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "memory/partition.h"
#include "memory/partition_unit.h"

namespace heddle::memory {
namespace {

/// "core 0, core 3 (2 requests)"
std::string cores_text(const std::vector<base::CoreId>& cores) {
  constexpr std::size_t kShown = 8;
  std::map<std::uint32_t, unsigned> requests;
  for (const base::CoreId core : cores) ++requests[core.value()];
  std::string text;
  std::size_t shown = 0;
  for (const auto& [core, count] : requests) {
    if (shown++ == kShown) break;
    text += fmt::format("{}core {}", text.empty() ? "" : ", ", core);
    if (count > 1) text += fmt::format(" ({} requests)", count);
  }
  if (requests.size() > kShown) text += fmt::format(" and {} more cores", requests.size() - kShown);
  return text;
}

}  // namespace

base::Cycle MemoryWatch::cycles_since(std::uint64_t time) const {
  const std::uint64_t now = core_clock_.manager().now();
  return core_clock_.first_edge_at(now) - core_clock_.first_edge_at(std::min(time, now));
}

std::optional<MemoryWatch::Silence> MemoryWatch::silent(
    const std::function<std::string(std::uint64_t)>& name) const {
  if (limit_ == 0) return std::nullopt;
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
    const std::uint64_t since = partitions_[i]->silent_since();
    if (since == MemoryPartition::kNotWaiting || cycles_since(since) < limit_) continue;
    ChannelWait wait = partitions_[i]->channel_wait();
    wait.unit = std::erase(wait.cores, sim::kUnitInitiator) != 0;
    std::string text = describe(i, wait, name);
    return Silence{std::move(text), std::move(wait.cores)};
  }
  return silent_unit();
}

std::optional<MemoryWatch::Silence> MemoryWatch::silent_unit() const {
  for (std::uint32_t i = 0; i < units_.size(); ++i) {
    const PartitionUnit& unit = *units_[i];
    const std::uint64_t since = unit.silent_since();
    if (since == PartitionUnit::kNotWaiting || cycles_since(since) < 2 * limit_) continue;
    std::string text = fmt::format(
        "the unit of partition {} does not answer: it holds {} message{} and {} request{}, and has done "
        "nothing "
        "for {} core cycles",
        i, unit.messages_held(), unit.messages_held() == 1 ? "" : "s", unit.requests_held(),
        unit.requests_held() == 1 ? "" : "s", cycles_since(since));
    if (const std::string more = unit.describe(); !more.empty()) text += "\n  " + more;
    return Silence{std::move(text), {}};
  }
  return std::nullopt;
}

std::string MemoryWatch::describe(std::uint32_t channel, const ChannelWait& wait,
                                  const std::function<std::string(std::uint64_t)>& name) const {
  const std::uint64_t global = map_.global(base::PartitionId{channel}, wait.local);
  std::string text = fmt::format("the memory of partition {} does not answer: {} request{} outstanding",
                                 channel, wait.outstanding, wait.outstanding == 1 ? "" : "s");
  text += wait.answered == 0 ? std::string(", none ever answered")
                             : fmt::format(", {} answered so far, the last of them {} core cycles ago",
                                           wait.answered, cycles_since(wait.last_answer));
  text += fmt::format(
      "\n  the oldest: {} of {} bytes at channel address 0x{:x} (global 0x{:x}: {}), sent {} "
      "core cycles ago",
      wait.write ? "write" : "read", wait.bytes, wait.channel, global, name(global), cycles_since(wait.sent));
  if (wait.no_end_request)
    text +=
        fmt::format("\n  a request has not got its END_REQ: no other can be sent; {} line{} wait in the L2",
                    wait.queued, wait.queued == 1 ? "" : "s");
  if (!wait.cores.empty() || wait.unit)
    text +=
        fmt::format("\n  waiting for it: {}{}{}", cores_text(wait.cores),
                    wait.unit && !wait.cores.empty() ? ", " : "", wait.unit ? "the partition's unit" : "");
  else if (wait.write)
    text += "\n  no core waits for a write-back itself";
  return text;
}

std::string MemoryWatch::remedy() {
  return "every request needs END_REQ (or BEGIN_RESP) and a response; if the memory may be silent for "
         "longer, "
         "raise watchdog.memory_cycles (0: no limit)";
}

}  // namespace heddle::memory
