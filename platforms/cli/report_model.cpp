#include "cli/report_model.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "cli/name_pattern.h"

namespace heddle::cli {
namespace {

constexpr const char* kSlots = "core*.issue.slots";
constexpr const char* kBusyCycles = "core*.issue.active_cycles";
constexpr const char* kL1dAccesses = "core*.l1d.load_accesses";
constexpr const char* kL1dHits = "core*.l1d.load_hits";
constexpr const char* kL2Hits = "partition*.l2.hits.*";
constexpr const char* kL2Misses = "partition*.l2.misses.*";
constexpr const char* kL2Merged = "partition*.l2.merged.*";
constexpr const char* kDramReadBytes = "partition*.l2.dram_read_bytes";
constexpr const char* kDramWriteBytes = "partition*.l2.dram_write_bytes";
constexpr const char* kRowHits = "partition*.dram.row_hits";
constexpr const char* kRowMisses = "partition*.dram.row_misses";
constexpr const char* kRowConflicts = "partition*.dram.row_conflicts";
constexpr const char* kEnergy = "energy";
constexpr const char* kDynamic = "dynamic";

/// Calls use(value) for every value whose path matches; a pattern element holds at most one '*'.
template <class Use>
void for_matching(const nlohmann::ordered_json& tree, std::string_view pattern, const Use& use) {
  const auto dot = pattern.find('.');
  const std::string_view first = pattern.substr(0, dot);
  for (const auto& [name, value] : tree.items()) {
    if (!matches(first, name)) continue;
    if (dot == std::string_view::npos)
      use(value);
    else if (value.is_object())
      for_matching(value, pattern.substr(dot + 1), use);
  }
}

[[noreturn]] void missing(const std::string& pattern) {
  throw std::out_of_range("the statistics have nothing at '" + pattern + "'");
}

/// Sums groups of labelled counters by label, in the order of the first group.
std::vector<SlotCause> sum_labels(const nlohmann::ordered_json& statistics, const std::string& pattern) {
  std::vector<SlotCause> causes;
  for_matching(statistics, pattern, [&](const nlohmann::ordered_json& group) {
    for (const auto& [label, count] : group.items()) {
      const std::string& name = label;
      auto cause =
          std::find_if(causes.begin(), causes.end(), [&](const SlotCause& c) { return c.name == name; });
      if (cause == causes.end()) cause = causes.insert(causes.end(), SlotCause{name, 0});
      cause->slots += count.get<std::uint64_t>();
    }
  });
  if (causes.empty()) missing(pattern);
  return causes;
}

}  // namespace

std::uint64_t sum_at(const nlohmann::ordered_json& statistics, const std::string& pattern) {
  std::optional<std::uint64_t> sum;
  for_matching(statistics, pattern, [&](const nlohmann::ordered_json& value) {
    if (value.is_number_unsigned() || value.is_number_integer())
      sum = sum.value_or(0) + value.get<std::uint64_t>();
  });
  if (!sum) missing(pattern);
  return *sum;
}

double LaunchSummary::ipc() const { return Share{warp_instructions, cycles}.rate(); }

Share LaunchSummary::simd() const { return {thread_instructions, 32 * warp_instructions}; }

std::uint64_t LaunchSummary::all_slots() const {
  std::uint64_t all = 0;
  for (const SlotCause& cause : slots) all += cause.slots;
  return all;
}

std::uint64_t LaunchSummary::all_femtojoules() const {
  std::uint64_t all = 0;
  for (const ClassEnergy& of : energy) all += of.femtojoules;
  return all;
}

namespace {

LaunchSummary counts(const gpu::LaunchCounts& record) {
  LaunchSummary s;
  s.cycles = record.cycles;
  s.whole = record.whole;
  s.warp_instructions = record.warp_instructions;
  s.thread_instructions = record.thread_instructions;
  s.host_seconds = record.host_seconds;
  s.simulation_seconds = record.simulation_seconds;
  return s;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool counts_synchronisation(const nlohmann::ordered_json& statistics) {
  bool found = false;
  for_matching(statistics, "core*.sync", [&](const nlohmann::ordered_json&) { found = true; });
  return found;
}

SyncCounts sync_counts(const nlohmann::ordered_json& statistics, std::uint64_t warp_instructions) {
  const auto at = [&](const std::string& counter) { return sum_at(statistics, "core*.sync." + counter); };
  const std::uint64_t lines = sum_at(statistics, "core*.lsu.line_accesses");
  SyncCounts counts;
  counts.lock_success = at("lock_success");
  counts.lock_fail_inter_warp = at("lock_fail_inter_warp");
  counts.lock_fail_intra_warp = at("lock_fail_intra_warp");
  counts.wait_exit_success = at("wait_exit_success");
  counts.wait_exit_fail = at("wait_exit_fail");
  counts.waiting_instructions = {at("waiting_warp_instructions"), warp_instructions};
  counts.critical_instructions = {at("critical_warp_instructions"), warp_instructions};
  counts.waiting_transactions = {at("waiting_transactions"), lines};
  counts.critical_transactions = {at("critical_transactions"), lines};
  return counts;
}

void add_statistics(LaunchSummary& s, const nlohmann::ordered_json& statistics) {
  s.busy_core_cycles = sum_at(statistics, kBusyCycles);
  s.slots = sum_labels(statistics, kSlots);
  if (counts_synchronisation(statistics)) s.sync = sync_counts(statistics, s.warp_instructions);
  s.l1d_loads = {sum_at(statistics, kL1dHits), sum_at(statistics, kL1dAccesses)};
  const std::uint64_t l2_hits = sum_at(statistics, kL2Hits);
  s.l2 = {l2_hits, l2_hits + sum_at(statistics, kL2Misses) + sum_at(statistics, kL2Merged)};
  s.dram_read_bytes = sum_at(statistics, kDramReadBytes);
  s.dram_write_bytes = sum_at(statistics, kDramWriteBytes);
  const std::uint64_t row_hits = sum_at(statistics, kRowHits);
  s.dram_rows = {row_hits, row_hits + sum_at(statistics, kRowMisses) + sum_at(statistics, kRowConflicts)};
  if (!statistics.contains(kEnergy)) return;
  for (const auto& [name, of_class] : statistics.at(kEnergy).items())
    if (of_class.is_object()) s.energy.push_back({name, of_class.at(kDynamic).get<std::uint64_t>()});
}

}  // namespace

LaunchSummary summarize_briefly(const gpu::LaunchRecord& record) {
  LaunchSummary s = counts(record);
  s.kernel = record.kernel;
  s.shape = record.shape;
  s.complete = record.complete;
  if (record.code && record.code->source) s.source = file_name(record.code->source->name);
  return s;
}

LaunchSummary summarize(const gpu::LaunchRecord& record, const nlohmann::ordered_json& statistics) {
  LaunchSummary s = summarize_briefly(record);
  add_statistics(s, statistics);
  return s;
}

LaunchSummary summarize(const gpu::KernelRecord& record, const nlohmann::ordered_json& statistics) {
  LaunchSummary s = counts(record);
  s.kernel = record.kernel;
  s.source = file_name(record.module);
  s.launches = record.launches;
  s.shape = record.shape;
  s.one_shape = record.one_shape;
  s.complete = record.complete;
  add_statistics(s, statistics);
  return s;
}

LaunchSummary RunSummary::total() const {
  LaunchSummary total;
  total.launches = 0;
  const auto add = [](Share& to, const Share& from) {
    to.part += from.part;
    to.whole += from.whole;
  };
  for (const LaunchSummary& kernel : kernels) {
    total.launches += kernel.launches;
    total.complete = total.complete && kernel.complete;
    total.cycles += kernel.cycles;
    total.whole.add_independent(kernel.whole);
    total.warp_instructions += kernel.warp_instructions;
    total.thread_instructions += kernel.thread_instructions;
    total.busy_core_cycles += kernel.busy_core_cycles;
    total.host_seconds += kernel.host_seconds;
    total.simulation_seconds += kernel.simulation_seconds;
    if (total.slots.empty())
      for (const SlotCause& cause : kernel.slots) total.slots.push_back({cause.name, 0});
    for (std::size_t i = 0; i < kernel.slots.size(); ++i) total.slots.at(i).slots += kernel.slots[i].slots;
    if (total.energy.empty())
      for (const ClassEnergy& of : kernel.energy) total.energy.push_back({of.name, 0});
    for (std::size_t i = 0; i < kernel.energy.size(); ++i)
      total.energy.at(i).femtojoules += kernel.energy[i].femtojoules;
    add(total.l1d_loads, kernel.l1d_loads);
    add(total.l2, kernel.l2);
    add(total.dram_rows, kernel.dram_rows);
    if (kernel.sync) {
      if (!total.sync) total.sync.emplace();
      total.sync->lock_success += kernel.sync->lock_success;
      total.sync->lock_fail_inter_warp += kernel.sync->lock_fail_inter_warp;
      total.sync->lock_fail_intra_warp += kernel.sync->lock_fail_intra_warp;
      total.sync->wait_exit_success += kernel.sync->wait_exit_success;
      total.sync->wait_exit_fail += kernel.sync->wait_exit_fail;
      add(total.sync->waiting_instructions, kernel.sync->waiting_instructions);
      add(total.sync->critical_instructions, kernel.sync->critical_instructions);
      add(total.sync->waiting_transactions, kernel.sync->waiting_transactions);
      add(total.sync->critical_transactions, kernel.sync->critical_transactions);
    }
    total.dram_read_bytes += kernel.dram_read_bytes;
    total.dram_write_bytes += kernel.dram_write_bytes;
  }
  if (total.launches == 1) {
    total.kernel = kernels[0].kernel;
    total.shape = kernels[0].shape;
  } else {
    total.kernel = "all launches";
  }
  return total;
}

}  // namespace heddle::cli
