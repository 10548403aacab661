#include "cli/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/files.h"

namespace heddle::cli {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::pair<std::string_view, std::string_view> halves(std::string_view text, const char* option,
                                                     const char* form) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw base::InputError(option, fmt::format("'{}' is not {}", text, form),
                           "for example " + std::string(option) + " 0:3");
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// Of rows that belong to no core; behind any core.
constexpr std::uint32_t kGpuProcess = 1'000'000;

std::string hex(base::LaneMask mask) { return fmt::format("{:#010x}", mask.bits()); }

/// The instruction of a source line without its guard: the name of an instruction's slice.
std::string mnemonic(const std::string& line) {
  std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "?";
  if (line[begin] == '@') begin = line.find_first_not_of(" \t", line.find_first_of(" \t", begin));
  if (begin == std::string::npos) return "?";
  return line.substr(begin, line.find_first_of(" \t;", begin) - begin);
}

}  // namespace

std::string tables_option(const TraceSettings& settings) { return "--trace-tables " + settings.tables; }

std::string timeline_option(const TraceSettings& settings) { return "--trace-timeline " + settings.timeline; }

std::string control_flow_option(const TraceSettings& settings) {
  return "--trace-control-flow " + settings.control_flow;
}

TraceFiles::TraceFiles(const TraceSettings& settings, std::uint32_t cores, std::uint32_t warps) {
  for (const std::string& text : settings.warps) {
    const auto [core, warp] = halves(text, "--trace-warp", "CORE:WARP");
    const auto c = number(core);
    const auto w = number(warp);
    if (!c || !w)
      throw base::InputError("--trace-warp", fmt::format("'{}' is not CORE:WARP", text),
                             "for example --trace-warp 0:3");
    if (*c >= cores || *w >= warps)
      throw base::InputError(
          "--trace-warp", fmt::format("there is no warp slot {}", text),
          fmt::format("cores are 0 to {}, their warp slots 0 to {}", cores - 1, warps - 1));
    warps_.emplace(static_cast<std::uint32_t>(*c), static_cast<std::uint32_t>(*w));
  }
  if (!settings.cycles.empty()) {
    const auto [from, to] = halves(settings.cycles, "--trace-cycles", "FROM:TO");
    const auto first = from.empty() ? std::optional<std::uint64_t>(0) : number(from);
    const auto last = to.empty() ? std::optional<std::uint64_t>(~std::uint64_t{0}) : number(to);
    if (!first || !last || *first > *last)
      throw base::InputError("--trace-cycles", fmt::format("'{}' is not FROM:TO", settings.cycles),
                             "two cycles, the first not behind the second; either may be left out");
    from_ = *first;
    to_ = *last;
  }
  if (!settings.tables.empty()) tables_ = std::make_unique<NewFile>(settings.tables, tables_option(settings));
  if (!settings.timeline.empty()) {
    timeline_ = std::make_unique<NewFile>(settings.timeline, timeline_option(settings));
    timeline_->write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
  }
  if (!settings.control_flow.empty())
    control_flow_ = std::make_unique<ControlFlowWriter>(settings.control_flow, control_flow_option(settings));
}

bool TraceFiles::wants(const core::TraceSite& site) const {
  if (site.cycle < from_ || site.cycle > to_) return false;
  return warps_.empty() || warps_.contains({site.core.value(), site.warp.value()});
}

std::uint32_t TraceFiles::line(base::Pc pc) const {
  return pc.value() < kernel_->code.size() ? kernel_->code[pc.value()].where.line : 0;
}

void TraceFiles::launch_begins(const isa::Kernel& kernel, base::Cycle cycle) {
  kernel_ = &kernel;
  if (tables_ != nullptr) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const isa::Instruction& instruction : kernel.code) lines.push_back(instruction.where.line);
    const nlohmann::ordered_json head = {{"launch", launches_},
                                         {"kernel", kernel.name},
                                         {"source", kernel.source == nullptr ? "" : kernel.source->name},
                                         {"cycle", cycle},
                                         {"lines", lines}};
    tables_->write(json_text(head) + "\n");
  }
  if (control_flow_ != nullptr) control_flow_->launch_begins(kernel);
  ++launches_;
}

void TraceFiles::launch_ends(base::Cycle cycle) {
  while (!open_.empty()) close(GroupKey(open_.begin()->first), cycle, "launch ends");
  if (control_flow_ != nullptr) control_flow_->launch_ends();
}

void TraceFiles::tables(const core::TraceSite& site, const core::TableSnapshot& snapshot) {
  nlohmann::ordered_json record = {
      {"cycle", site.cycle}, {"core", site.core.value()},       {"warp", site.warp.value()},
      {"cta", site.cta},     {"warp_in_cta", site.warp_in_cta}, {"event", snapshot.event}};
  if (snapshot.pc != base::kNoPc) record["pc"] = snapshot.pc.value();
  if (snapshot.lanes.any()) record["lanes"] = snapshot.lanes.to_string();
  if (snapshot.taken.any()) record["taken"] = snapshot.taken.to_string();
  if (snapshot.tables->is_array())
    record["stack"] = *snapshot.tables;
  else
    record.update(*snapshot.tables);
  record["scoreboard"] = *snapshot.scoreboard;
  tables_->write(json_text(record) + "\n");
}

void TraceFiles::add_event(const nlohmann::ordered_json& event) {
  timeline_->write((first_event_ ? "\n" : ",\n") + json_text(event));
  first_event_ = false;
}

void TraceFiles::name_core(std::uint32_t core) {
  if (named_.emplace(core, ~0u).second)
    add_event({{"ph", "M"},
               {"pid", core},
               {"name", "process_name"},
               {"args", {{"name", fmt::format("core {}", core)}}}});
}

std::uint32_t TraceFiles::row(std::uint32_t core, std::uint32_t warp, unsigned lane) {
  const std::uint32_t row = warp * base::kLanes + lane;
  name_core(core);
  if (named_.emplace(core, row).second)
    name_row(core, row,
             lane == 0 ? fmt::format("warp {}", warp) : fmt::format("warp {} split at lane {}", warp, lane));
  return row;
}

void TraceFiles::name_row(std::uint32_t process, std::uint32_t row, const std::string& name) {
  add_event(
      {{"ph", "M"}, {"pid", process}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", name}}}});
  add_event({{"ph", "M"},
             {"pid", process},
             {"tid", row},
             {"name", "thread_sort_index"},
             {"args", {{"sort_index", row}}}});
}

void TraceFiles::close(const GroupKey& key, base::Cycle end, std::string_view why) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  const Slice slice = found->second;
  open_.erase(found);
  const std::uint32_t tid = row(key.first, slice.warp, slice.mask.lowest());
  add_event({{"ph", "X"},
             {"pid", key.first},
             {"tid", tid},
             {"ts", slice.begin},
             {"dur", std::max<base::Cycle>(end, slice.begin + 1) - slice.begin},
             {"name", fmt::format("line {}", line(slice.pc))},
             {"args",
              {{"lanes", slice.mask.count()},
               {"mask", hex(slice.mask)},
               {"from", kernel_->source_line(slice.pc)},
               {"until", why}}}});
}

void TraceFiles::split_runs(const core::TraceSite& site, base::GroupId group, base::Pc pc,
                            base::LaneMask mask) {
  const GroupKey key{site.core.value(), group.value()};
  close(key, site.cycle + 1, "goes on elsewhere");
  open_[key] = {site.cycle + 1, pc, mask, site.warp.value()};
  last_lane_[key] = mask.lowest();
}

void TraceFiles::split_stops(const core::TraceSite& site, base::GroupId group, std::string_view why) {
  close({site.core.value(), group.value()}, site.cycle + 1, why);
}

void TraceFiles::issued(const core::TraceSite& site, base::GroupId group, base::Pc pc, base::LaneMask lanes) {
  const auto open = open_.find({site.core.value(), group.value()});
  if (open == open_.end()) return;  // its slice began before the selected cycles
  const std::string source = kernel_->source_line(pc);
  add_event(
      {{"ph", "X"},
       {"pid", site.core.value()},
       {"tid", row(site.core.value(), site.warp.value(), open->second.mask.lowest())},
       {"ts", site.cycle},
       {"dur", 1},
       {"name", mnemonic(source)},
       {"args", {{"line", line(pc)}, {"lanes", lanes.count()}, {"mask", hex(lanes)}, {"source", source}}}});
}

void TraceFiles::waits(const core::TraceSite& site, base::GroupId group, const core::TracedWait& wait) {
  // A group at a barrier or in tables has left its slice.
  const GroupKey key{site.core.value(), group.value()};
  const auto open = open_.find(key);
  const unsigned lane = open == open_.end() ? last_lane_[key] : open->second.mask.lowest();
  nlohmann::ordered_json arguments{{"line", line(wait.pc)}, {"next", kernel_->source_line(wait.pc)}};
  if (wait.producer != base::kNoPc)
    arguments["for"] = fmt::format("line {}: {}", line(wait.producer), kernel_->source_line(wait.producer));
  add_event({{"ph", "X"},
             {"pid", site.core.value()},
             {"tid", row(site.core.value(), site.warp.value(), lane)},
             {"ts", site.cycle},
             {"dur", wait.cycles},
             {"name", wait.cause},
             {"cat", "wait"},
             {"args", arguments}});
}

void TraceFiles::backed_off(base::CoreId core, base::Cycle cycle, std::uint32_t warps) {
  if (timeline_ == nullptr || cycle < from_ || cycle > to_) return;
  name_core(core.value());
  add_event({{"ph", "C"},
             {"pid", core.value()},
             {"ts", cycle},
             {"name", "backed-off warps"},
             {"args", {{"warps", warps}}}});
}

void TraceFiles::gpu_mode(std::string_view mode, std::uint64_t quantum, base::Cycle begin, base::Cycle end) {
  if (timeline_ == nullptr || end <= from_ || begin > to_ || begin == end) return;
  if (!gpu_named_) {
    add_event({{"ph", "M"}, {"pid", kGpuProcess}, {"name", "process_name"}, {"args", {{"name", "GPU"}}}});
    name_row(kGpuProcess, 0, "modes of quanta");
    gpu_named_ = true;
  }
  add_event({{"ph", "X"},
             {"pid", kGpuProcess},
             {"tid", 0},
             {"ts", begin},
             {"dur", end - begin},
             {"name", mode},
             {"args", {{"quantum", quantum}}}});
}

std::vector<std::string> TraceFiles::commit(Problems& problems) {
  std::vector<std::string> complete;
  const auto close = [&](NewFile& file) {
    problems.attempt([&] {
      file.commit();
      complete.push_back(file.path());
    });
  };
  if (tables_ != nullptr) close(*tables_);
  if (timeline_ != nullptr) {
    timeline_->write("\n]}\n");
    close(*timeline_);
  }
  if (control_flow_ != nullptr) close(control_flow_->file());
  return complete;
}

}  // namespace heddle::cli
