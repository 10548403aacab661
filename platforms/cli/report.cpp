#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::cli {
namespace {

constexpr double kBarPercent = 2.5;  ///< percent per '#' of the stall breakdown

std::string shape_text(const host::Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

std::string percent(const Share& share) {
  return share.whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * share.rate());
}

std::string share_text(const Share& share, const char* parts, const char* wholes) {
  if (share.whole == 0) return fmt::format("no {}", wholes);
  return fmt::format("{} {} of {} {}, {}", grouped(share.part), parts, grouped(share.whole), wholes,
                     percent(share));
}

double gigabytes_per_second(std::uint64_t bytes, std::uint64_t cycles, double core_mhz) {
  return cycles == 0 ? 0.0 : static_cast<double>(bytes) * core_mhz / static_cast<double>(cycles) / 1000.0;
}

double peak_gigabytes_per_second(const gpu::GpuConfig& config) {
  return config.memory.partitions * static_cast<double>(config.memory.dram.bytes_per_cycle) *
         config.clocks.dram_mhz / 1000.0;
}

std::string slots_text(const LaunchSummary& s) {
  std::vector<std::uint64_t> counts;
  for (const SlotCause& cause : s.slots) counts.push_back(cause.slots);
  const std::vector<double> percents = percentages(counts);
  std::size_t name_width = 0;
  for (const SlotCause& cause : s.slots) name_width = std::max(name_width, cause.name.size());
  const std::size_t count_width = grouped(s.all_slots()).size();
  std::string text = report_line("issue slots", fmt::format("{}, of which", grouped(s.all_slots())));
  for (std::size_t i = 0; i < s.slots.size(); ++i) {
    if (s.slots[i].slots == 0) continue;
    text += fmt::format("    {:<{}}  {:>{}}  {:>5.1f} %  {}\n", s.slots[i].name, name_width,
                        grouped(s.slots[i].slots), count_width, percents[i],
                        std::string(static_cast<std::size_t>(std::lround(percents[i] / kBarPercent)), '#'));
    text.erase(text.find_last_not_of(" \n") + 1);
    text += '\n';
  }
  return text;
}

/// With the shares of the largest classes.
std::string energy_text(const LaunchSummary& s) {
  constexpr std::size_t kClasses = 4;
  constexpr double kMicrojoule = 1e9;  // femtojoules
  const auto all = static_cast<double>(s.all_femtojoules());
  std::vector<ClassEnergy> classes = s.energy;
  std::stable_sort(classes.begin(), classes.end(),
                   [](const ClassEnergy& a, const ClassEnergy& b) { return a.femtojoules > b.femtojoules; });
  std::string shares;
  for (std::size_t i = 0; i < std::min(kClasses, classes.size()) && classes[i].femtojoules != 0; ++i)
    shares += fmt::format("{} {} {:.1f} %", shares.empty() ? ":" : ",", classes[i].name,
                          100.0 * static_cast<double>(classes[i].femtojoules) / all);
  return report_line("energy",
                     fmt::format("{:.3f} uJ dynamic (for ratios only){}", all / kMicrojoule, shares));
}

std::string sync_text(const SyncCounts& sync) {
  return report_line(
             "locks",
             fmt::format("{} attempts succeeded, {} failed on another warp's lock, {} on the own warp's",
                         grouped(sync.lock_success), grouped(sync.lock_fail_inter_warp),
                         grouped(sync.lock_fail_intra_warp))) +
         report_line("waits", fmt::format("{} passes left, {} went round", grouped(sync.wait_exit_success),
                                          grouped(sync.wait_exit_fail))) +
         report_line(
             "sync share",
             fmt::format("{} of warp instructions and {} of line accesses without a lock; {} and {} with one",
                         percent(sync.waiting_instructions), percent(sync.waiting_transactions),
                         percent(sync.critical_instructions), percent(sync.critical_transactions)));
}

std::string estimate_text(const LaunchSummary& s, const gpu::GpuConfig& config) {
  const gpu::Estimate& whole = s.whole;
  return report_line("ESTIMATE",
                     fmt::format("{} core cycles +- {:.1f} %, {:.1f} us",
                                 grouped(static_cast<std::uint64_t>(std::llround(whole.cycles))),
                                 100 * whole.margin / whole.cycles, whole.cycles / config.clocks.core_mhz)) +
         report_line("simulated", fmt::format("{} of {} CTAs, in {} windows: all numbers below are of these",
                                              grouped(whole.simulated), grouped(whole.ctas), whole.windows));
}

std::string summary_text(const LaunchSummary& s, const gpu::GpuConfig& config) {
  std::string text;
  if (s.launches == 1)
    text += report_line("kernel", fmt::format("{}, grid {}, block {}", s.kernel, shape_text(s.shape.grid),
                                              shape_text(s.shape.block)));
  else
    text += report_line("kernels", fmt::format("all {} launches", s.launches));
  text += report_line(
      "cycles", fmt::format("{} core cycles, {:.1f} us at {} MHz", grouped(s.cycles),
                            static_cast<double>(s.cycles) / config.clocks.core_mhz, config.clocks.core_mhz));
  text += report_line("instructions", fmt::format("{} warp, {} thread", grouped(s.warp_instructions),
                                                  grouped(s.thread_instructions)));
  text += report_line(
      "IPC", fmt::format("{:.3f} warp instructions per cycle ({} cores, {} issue slots per cycle)", s.ipc(),
                         config.cores, config.cores * config.core.scheduler.count));
  text += report_line("SIMD efficiency", percent(s.simd()));
  text += slots_text(s);
  if (s.sync) text += sync_text(*s.sync);
  text += report_line("L1D", share_text(s.l1d_loads, "hits", "load accesses"));
  text += report_line("L2", share_text(s.l2, "hits", "accesses"));
  const std::uint64_t bytes = s.dram_read_bytes + s.dram_write_bytes;
  text += report_line("DRAM", fmt::format("{} bytes read, {} written, {:.1f} GB/s of {:.1f}; row hits {}",
                                          grouped(s.dram_read_bytes), grouped(s.dram_write_bytes),
                                          gigabytes_per_second(bytes, s.cycles, config.clocks.core_mhz),
                                          peak_gigabytes_per_second(config), percent(s.dram_rows)));
  if (!s.energy.empty()) text += energy_text(s);
  return text;
}

std::string launches_text(const std::vector<LaunchSummary>& first, std::uint64_t all) {
  std::size_t name_width = 6;
  for (const LaunchSummary& s : first) name_width = std::max(name_width, s.kernel.size());
  std::string text = fmt::format("  launch  {:<{}}  {:>12}  {:>12}  {:>7}  {:>7}\n", "kernel", name_width,
                                 "cycles", "warp instr.", "IPC", "SIMD");
  for (std::size_t i = 0; i < first.size(); ++i) {
    const LaunchSummary& s = first[i];
    text += fmt::format("  {:>6}  {:<{}}  {:>12}  {:>12}  {:>7.3f}  {:>7}\n", i + 1, s.kernel, name_width,
                        grouped(s.cycles), grouped(s.warp_instructions), s.ipc(), percent(s.simd()));
  }
  if (all > first.size())
    text += fmt::format("     ...  {} more: --per-launch puts all into stats.json of --out\n",
                        all - first.size());
  return text;
}

nlohmann::ordered_json share_json(const Share& share, const char* part, const char* whole) {
  return {{whole, share.whole}, {part, share.part}, {"rate", share.rate()}};
}

nlohmann::ordered_json summary_json(const LaunchSummary& s, const gpu::GpuConfig& config) {
  nlohmann::ordered_json slots = nlohmann::ordered_json::object();
  for (const SlotCause& cause : s.slots) slots[cause.name] = cause.slots;
  const std::uint64_t bytes = s.dram_read_bytes + s.dram_write_bytes;
  nlohmann::ordered_json dram = {
      {"read_bytes", s.dram_read_bytes},
      {"write_bytes", s.dram_write_bytes},
      {"gigabytes_per_second", gigabytes_per_second(bytes, s.cycles, config.clocks.core_mhz)},
      {"row_accesses", s.dram_rows.whole},
      {"row_hits", s.dram_rows.part},
      {"row_hit_rate", s.dram_rows.rate()}};
  nlohmann::ordered_json summary = {{"cycles", s.cycles},
                                    {"warp_instructions", s.warp_instructions},
                                    {"thread_instructions", s.thread_instructions},
                                    {"ipc", s.ipc()},
                                    {"simd_efficiency", s.simd().rate()},
                                    {"busy_core_cycles", s.busy_core_cycles},
                                    {"issue_slots", {{"all", s.all_slots()}, {"by_cause", slots}}},
                                    {"l1d", share_json(s.l1d_loads, "load_hits", "load_accesses")},
                                    {"l2", share_json(s.l2, "hits", "accesses")},
                                    {"dram", dram}};
  if (s.whole.windows != 0)
    summary["estimate"] = {{"cycles", s.whole.cycles},
                           {"margin_cycles", s.whole.margin},
                           {"ctas", s.whole.ctas},
                           {"simulated_ctas", s.whole.simulated},
                           {"windows", s.whole.windows}};
  if (!s.energy.empty()) {
    nlohmann::ordered_json by_class = nlohmann::ordered_json::object();
    for (const ClassEnergy& of : s.energy) by_class[of.name] = of.femtojoules;
    summary["energy"] = {{"dynamic_femtojoules", s.all_femtojoules()}, {"by_class", by_class}};
  }
  return summary;
}

nlohmann::ordered_json shape_json(const host::Dim3& d) { return {d.x, d.y, d.z}; }

/// For a launch that an error has ended, or a kernel with such a launch; adds nothing otherwise.
void add_incomplete(nlohmann::ordered_json& entry, const LaunchSummary& s) {
  if (!s.complete) entry["complete"] = false;
}

nlohmann::ordered_json entry_json(const Measured& measured, const gpu::GpuConfig& config) {
  const LaunchSummary& s = measured.summary;
  const auto if_one = [&](nlohmann::ordered_json value) { return s.one_shape ? value : nullptr; };
  nlohmann::ordered_json entry = {{"grid", if_one(shape_json(s.shape.grid))},
                                  {"block", if_one(shape_json(s.shape.block))},
                                  {"dynamic_shared_bytes", if_one(s.shape.dynamic_shared_bytes)},
                                  {"summary", summary_json(s, config)},
                                  {"statistics", measured.statistics}};
  add_incomplete(entry, s);
  return entry;
}

nlohmann::ordered_json times_json(const LaunchSummary& s) {
  return {{"seconds", s.host_seconds},
          {"simulation_seconds", s.simulation_seconds},
          {"setup_and_statistics_seconds", s.host_seconds - s.simulation_seconds}};
}

double per_second(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
}

}  // namespace

std::string report_line(const std::string& name, const std::string& text) {
  return fmt::format("  {:<16}{}\n", name, text);
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

std::vector<double> percentages(const std::vector<std::uint64_t>& counts) {
  constexpr std::uint64_t kTenths = 1000;  // 100.0 %
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<double> result(counts.size(), 0.0);
  if (all == 0) return result;
  std::vector<std::uint64_t> tenths(counts.size());
  std::vector<std::size_t> by_remainder(counts.size());
  const auto scaled = [&](std::size_t i) { return counts[i] * kTenths; };
  std::uint64_t left = kTenths;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    tenths[i] = scaled(i) / all;
    left -= tenths[i];
    by_remainder[i] = i;
  }
  std::stable_sort(by_remainder.begin(), by_remainder.end(),
                   [&](std::size_t a, std::size_t b) { return scaled(a) % all > scaled(b) % all; });
  for (std::size_t i = 0; i < left; ++i) ++tenths[by_remainder[i]];
  for (std::size_t i = 0; i < counts.size(); ++i) result[i] = static_cast<double>(tenths[i]) / 10.0;
  return result;
}

std::string report_text(const RunHeader& header, const RunSummary& run, const gpu::GpuConfig& config) {
  std::string text = fmt::format("{} on {}{}\n", header.title, config.name,
                                 header.variant.empty() ? "" : " (" + header.variant + ")");
  text += report_line("result", fmt::format("{}: {}",
                                            header.ended_early ? "INCOMPLETE"
                                            : header.passed    ? "passed"
                                                               : "FAILED",
                                            header.verdict));
  const LaunchSummary total = run.total();
  if (total.launches == 0) return text;
  if (total.whole.windows != 0) text += estimate_text(total, config);
  if (total.launches > 1) text += launches_text(run.first_launches, total.launches);
  return text + summary_text(total, config);
}

std::string host_text(const RunSummary& run) {
  const LaunchSummary total = run.total();
  return report_line(
      "host",
      fmt::format("{:.3f} s, {:.3f} of it simulation; {:.3f} M warp instructions/s, {:.1f} k GPU cycles/s",
                  total.host_seconds, total.simulation_seconds,
                  per_second(total.warp_instructions, total.host_seconds) / 1e6,
                  per_second(total.cycles, total.host_seconds) / 1e3));
}

void note_variant(RunHeader& header, const std::string& name, const char* key) {
  header.variant += header.variant.empty() ? name : ", " + name;
  header.identity[key] = true;
}

void add_end(nlohmann::ordered_json& json, const RunHeader& header) {
  if (!header.ended_early) return;
  json["complete"] = false;
  json["reason"] = *header.ended_early;
  if (!header.diagnosis.empty()) json["diagnosis"] = header.diagnosis;
}

nlohmann::ordered_json report_json(const RunHeader& header, const std::vector<Measured>& kernels,
                                   const std::vector<Measured>* launches, const gpu::GpuConfig& config,
                                   const nlohmann::ordered_json& dictionary) {
  nlohmann::ordered_json json = {{"heddle", HEDDLE_VERSION}, {"platform", config.name}};
  json.update(header.identity);
  json["passed"] = header.passed;
  json["verdict"] = header.verdict;
  add_end(json, header);
  RunSummary run;
  for (const Measured& kernel : kernels) run.kernels.push_back(kernel.summary);
  const LaunchSummary total = run.total();
  json["total"] = {{"launches", total.launches}};
  json["total"].update(summary_json(total, config));
  json["kernels"] = nlohmann::ordered_json::array();
  for (const Measured& kernel : kernels) {
    const LaunchSummary& s = kernel.summary;
    nlohmann::ordered_json entry = {{"kernel", s.kernel}, {"source", s.source}, {"launches", s.launches}};
    entry.update(entry_json(kernel, config));
    json["kernels"].push_back(std::move(entry));
  }
  if (launches != nullptr) json["launches"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; launches != nullptr && i < launches->size(); ++i) {
    nlohmann::ordered_json entry = {{"kernel", (*launches)[i].summary.kernel}};
    entry.update(entry_json((*launches)[i], config));
    json["launches"].push_back(std::move(entry));
  }
  json["dictionary"] = dictionary;
  return json;
}

nlohmann::ordered_json host_json(const RunSummary& run, const std::vector<Measured>* launches) {
  const LaunchSummary total = run.total();
  nlohmann::ordered_json json = times_json(total);
  json["warp_instructions_per_second"] = per_second(total.warp_instructions, total.host_seconds);
  json["gpu_cycles_per_second"] = per_second(total.cycles, total.host_seconds);
  json["kernels"] = nlohmann::ordered_json::array();
  for (const LaunchSummary& s : run.kernels) {
    nlohmann::ordered_json entry = {{"kernel", s.kernel}, {"source", s.source}, {"launches", s.launches}};
    entry.update(times_json(s));
    add_incomplete(entry, s);
    json["kernels"].push_back(std::move(entry));
  }
  if (launches == nullptr) return json;
  json["launches"] = nlohmann::ordered_json::array();
  for (const Measured& launch : *launches) {
    nlohmann::ordered_json entry = times_json(launch.summary);
    add_incomplete(entry, launch.summary);
    json["launches"].push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json threads_json(const gpu::HostUse& use) {
  nlohmann::ordered_json json = {{"threads", use.threads}};
  if (use.threads > 1 || use.windows.windows != 0) {
    json["windows"] = use.windows.windows;
    json["runs"] = use.windows.runs;
    json["parallel_windows"] = use.windows.parallel;
    json["edges"] = use.windows.edges;
    json["edges_in_order"] = use.windows.in_order;
    for (std::size_t i = 0; i < use.windows.kThreads.size(); ++i)
      json["speed_up_limit"][std::to_string(use.windows.kThreads[i])] = use.windows.speed_up_limit(i);
  }
  if (!use.one_after_another.empty()) json["one_after_another"] = use.one_after_another;
  return json;
}

}  // namespace heddle::cli
