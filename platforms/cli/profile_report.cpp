#include "cli/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/text_table.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kSourceWidth = 72;  ///< longer lines of PTX are truncated in tables

constexpr const char* kLegend =
    R"(Profile. A group-cycle is one issue group (a warp, or a part of one that runs by itself) on a core for one core
cycle: an issue, or waiting. Waiting is charged to the instruction that the group issues next, so the wait for the
result of a load is found at the instruction that needs it; waiting at a barrier is charged to the barrier.
  lanes    lanes that executed, per issue (of 32)
  diverg.  issues of a branch that split their group
  trans.   line accesses of a load, store or atomic per issue, after coalescing
  passes   its passes through the load/store unit after the first, per issue: lines, bank conflicts, constant
           addresses
)";

std::string file_of(const isa::Kernel& kernel) {
  return kernel.source ? std::filesystem::path(kernel.source->name).filename().string() : std::string{};
}

std::string pc_text(const isa::Kernel& kernel, base::Pc pc) {
  return fmt::format("0x{:03x}", kernel.code_address(pc));
}

/// Replaces runs of blanks and tabs by one blank.
std::string squeezed(const std::string& source) {
  std::string text;
  for (const char c : source) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return text;
}

std::string cut(const std::string& source) {
  const std::string text = squeezed(source);
  return text.size() <= kSourceWidth ? text : text.substr(0, kSourceWidth - 3) + "...";
}

std::string per_issue(std::uint64_t count, const core::PcProfile& profile, int decimals) {
  if (profile.issues == 0) return "-";
  return fmt::format("{:.{}f}", static_cast<double>(count) / static_cast<double>(profile.issues), decimals);
}

std::string line_text(std::uint32_t line) { return line == 0 ? "-" : fmt::format("{}", line); }

/// What the kernel's text is written in.
const char* language(const isa::Kernel& kernel) { return kernel.is_machine_code() ? "SASS" : "PTX"; }

std::string line_text(const LineHeat& heat, const ProgramFiles& files) {
  return heat.file.empty() ? line_text(heat.line) : files.text({heat.file, heat.line});
}

std::string title(const KernelHeat& kernel) {
  const std::string file = file_of(*kernel.code);
  return fmt::format("Kernel {}{}: {} launch{}, {} core cycles\n", kernel.code->name,
                     file.empty() ? "" : " of " + file, kernel.launches, kernel.launches == 1 ? "" : "es",
                     grouped(kernel.cycles));
}

std::string totals_text(const KernelHeat& kernel) {
  std::vector<std::string> names = kernel.causes;
  names.insert(names.begin(), "issues");
  std::vector<std::uint64_t> counts = {kernel.total.issues};
  counts.insert(counts.end(), kernel.total.waiting.begin(),
                kernel.total.waiting.begin() + (names.size() - 1));
  const std::vector<double> shares = percentages(counts);
  TextTable table(4, {.right = {1, 2}});
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) table.row({names[i], grouped(counts[i]), fmt::format("{:.1f} %", shares[i])});
  return fmt::format("  group-cycles    {}, of which\n{}", grouped(kernel.total.group_cycles()),
                     table.text());
}

std::string hottest_text(const KernelHeat& kernel, std::size_t top) {
  const std::vector<base::Pc> pcs = kernel.hottest();
  std::vector<std::uint64_t> heat;
  heat.reserve(pcs.size());
  for (const base::Pc pc : pcs) heat.push_back(kernel.by_pc[pc.value()].group_cycles());
  const std::vector<double> shares = percentages(heat);
  TextTable table(2, {.right = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
  table.row({"share", "group-cycles", "pc", "line", "issues", "lanes", "diverg.", "trans.", "passes",
             "waiting", "waits for", language(*kernel.code)});
  for (std::size_t i = 0; i < std::min(pcs.size(), top); ++i) {
    const core::PcProfile& p = kernel.by_pc[pcs[i].value()];
    const isa::Instruction& instruction = kernel.code->code[pcs[i].value()];
    const bool memory = instruction.unit == isa::Unit::kMemory;
    const bool branch = instruction.op == isa::Opcode::kBranch || instruction.op == isa::Opcode::kIndirect ||
                        instruction.op == isa::Opcode::kCall || instruction.op == isa::Opcode::kReturn;
    table.row({fmt::format("{:.1f} %", shares[i]), grouped(heat[i]), pc_text(*kernel.code, pcs[i]),
               line_text(instruction.where.line), grouped(p.issues), per_issue(p.lanes, p, 1),
               branch ? grouped(p.divergences) : "-",
               memory && p.transactions != 0 ? per_issue(p.transactions, p, 2) : "-",
               memory ? per_issue(p.extra_passes, p, 2) : "-", grouped(p.waited()),
               waits_for(p, kernel.causes), cut(kernel.code->source_line(pcs[i]))});
  }
  std::string text = table.text();
  if (pcs.size() > top) text += fmt::format("  ... {} more\n", pcs.size() - top);
  return text;
}

/// Empty if no line has several instructions, because the table by PC already shows everything.
std::string lines_text(const KernelHeat& kernel, std::size_t top) {
  const std::vector<LineHeat> lines = hottest_lines(kernel);
  if (std::none_of(lines.begin(), lines.end(), [](const LineHeat& l) { return l.pcs > 1 && l.line != 0; }))
    return {};
  std::vector<std::uint64_t> heat;
  heat.reserve(lines.size());
  for (const LineHeat& line : lines) heat.push_back(line.sum.group_cycles());
  const std::vector<double> shares = percentages(heat);
  TextTable table(2, {.right = {0, 1, 2, 3, 4, 5}});
  const bool of_program = kernel.code->has_origins();
  const ProgramFiles files(*kernel.code);
  std::vector<std::string> heading = {"share",  "group-cycles", "line",     "PCs",
                                      "issues", "waiting",      "waits for"};
  if (!of_program) heading.emplace_back(language(*kernel.code));
  table.row(heading);
  for (std::size_t i = 0; i < std::min(lines.size(), top); ++i) {
    const LineHeat& line = lines[i];
    std::vector<std::string> row = {
        fmt::format("{:.1f} %", shares[i]), grouped(heat[i]),         line_text(line, files),
        fmt::format("{}", line.pcs),        grouped(line.sum.issues), grouped(line.sum.waited()),
        waits_for(line.sum, kernel.causes)};
    if (!of_program)
      row.push_back(cut(kernel.code->source ? kernel.code->source->line(line.line) : std::string{}));
    table.row(row);
  }
  std::string text = fmt::format("  By line of {}, as some lines are several instructions:\n{}",
                                 of_program ? "the program" : language(*kernel.code), table.text());
  if (lines.size() > top) text += fmt::format("  ... {} more\n", lines.size() - top);
  return text;
}

/// Which results instructions waited for. Empty if none did.
std::string dependences_text(const KernelHeat& kernel, std::size_t top) {
  if (kernel.dependences.empty()) return {};
  std::uint64_t all = 0;
  for (const KernelHeat::Dependence& each : kernel.dependences) all += each.wait.cycles;
  TextTable table(2, {.right = {0, 1, 2, 3, 4, 5}});
  table.row({"share", "group-cycles", "waits", "mean", "longest", "pc", "for the result of"});
  const isa::Kernel& code = *kernel.code;
  for (std::size_t i = 0; i < std::min(kernel.dependences.size(), top); ++i) {
    const auto& [pc, producer, wait] = kernel.dependences[i];
    const double share = 100 * static_cast<double>(wait.cycles) / static_cast<double>(all);
    table.row({fmt::format("{:.1f} %", share), grouped(wait.cycles), grouped(wait.waits),
               fmt::format("{:.1f}", static_cast<double>(wait.cycles) / static_cast<double>(wait.waits)),
               grouped(wait.longest), pc_text(code, pc),
               producer == base::kNoPc
                   ? "-"
                   : fmt::format("{}  {}", pc_text(code, producer), cut(code.source_line(producer)))});
  }
  std::string text =
      fmt::format("  Waits at the scoreboard, by the result that ended them; {} group-cycles:\n{}",
                  grouped(all), table.text());
  if (kernel.dependences.size() > top)
    text += fmt::format("  ... {} more\n", kernel.dependences.size() - top);
  return text;
}

/// Empty with a mechanism that makes no warps.
std::string parted_text(const KernelHeat& kernel, std::size_t top) {
  if (kernel.total.parted.paths == 0) return {};
  std::vector<std::uint32_t> pcs;
  for (std::uint32_t pc = 0; pc < kernel.by_pc.size(); ++pc)
    if (kernel.by_pc[pc].parted.paths != 0) pcs.push_back(pc);
  const auto saved = [&](std::uint32_t pc) {
    const simt::PartedPaths& parted = kernel.by_pc[pc].parted;
    return parted.static_issues - parted.issues;
  };
  std::stable_sort(pcs.begin(), pcs.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return saved(a) > saved(b); });
  TextTable table(2, {.right = {0, 1, 2, 3, 4, 5, 6}});
  table.row({"saved", "pc", "line", "issues", "static warps", "warps made", "paths", language(*kernel.code)});
  for (std::size_t i = 0; i < std::min(pcs.size(), top); ++i) {
    const simt::PartedPaths& parted = kernel.by_pc[pcs[i]].parted;
    table.row({grouped(saved(pcs[i])), pc_text(*kernel.code, base::Pc{pcs[i]}),
               line_text(kernel.code->code[pcs[i]].where.line), grouped(parted.issues),
               grouped(parted.static_warps), grouped(parted.warps), grouped(parted.paths),
               cut(kernel.code->source_line(base::Pc{pcs[i]}))});
  }
  std::string text =
      "  What compaction saves: warp instructions that static warps would have issued more, by the "
      "instruction that\n"
      "  last parted the threads:\n" +
      table.text();
  if (pcs.size() > top) text += fmt::format("  ... {} more\n", pcs.size() - top);
  return text;
}

nlohmann::ordered_json counts_json(const core::PcProfile& profile, const std::vector<std::string>& names) {
  nlohmann::ordered_json waiting = nlohmann::ordered_json::object();
  for (unsigned cause = 0; cause < names.size(); ++cause) waiting[names[cause]] = profile.waiting[cause];
  nlohmann::ordered_json json = {{"group_cycles", profile.group_cycles()},
                                 {"issues", profile.issues},
                                 {"lanes", profile.lanes},
                                 {"divergences", profile.divergences},
                                 {"transactions", profile.transactions},
                                 {"extra_passes", profile.extra_passes},
                                 {"waiting", waiting}};
  if (const simt::PartedPaths& parted = profile.parted; parted.paths != 0)
    json["parted"] = {{"paths", parted.paths},
                      {"static_warps", parted.static_warps},
                      {"warps", parted.warps},
                      {"issues", parted.issues},
                      {"static_issues", parted.static_issues}};
  return json;
}

nlohmann::ordered_json meanings() {
  return {{"group_cycles", "group-cycles: an issue group on a core for one core cycle; issues + waiting"},
          {"issues", "warp instructions issued"},
          {"lanes", "lanes that executed, summed over issues; lanes / (32 x issues) is the SIMD efficiency"},
          {"divergences", "issues of a branch that split their group"},
          {"transactions", "line accesses of memory instructions, after coalescing"},
          {"extra_passes", "passes of memory instructions through the load/store unit after the first"},
          {"waiting",
           "group-cycles in which a group did not issue, by cause; charged to the instruction that it issues "
           "next, "
           "at a barrier to the barrier"},
          {"dependences",
           "waits at the scoreboard by instruction and by the one whose result ended them; null: ended "
           "without a result. They "
           "sum to scoreboard_alu and scoreboard_memory"},
          {"not_selected", "the instruction could issue, its scheduler issued another group"}};
}

}  // namespace

std::string profile_text(const std::vector<KernelHeat>& kernels, std::size_t top) {
  if (kernels.empty()) return {};
  std::string text = kLegend;
  for (const KernelHeat& kernel : kernels)
    text += fmt::format("\n{}{}\n{}{}{}{}", title(kernel), totals_text(kernel), hottest_text(kernel, top),
                        lines_text(kernel, top), dependences_text(kernel, top), parted_text(kernel, top));
  return text;
}

std::string profile_listing(const std::vector<KernelHeat>& kernels) {
  std::string text;
  for (const KernelHeat& kernel : kernels) {
    const std::vector<std::string>& names = kernel.causes;
    std::vector<unsigned> causes;
    for (unsigned cause = 0; cause < names.size(); ++cause)
      if (kernel.total.waiting[cause] != 0) causes.push_back(cause);
    std::vector<std::string> heading = {"pc", "line", "issues", "lanes"};
    for (const unsigned cause : causes) heading.push_back(names[cause]);
    std::vector<std::size_t> right(heading.size());
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = i;
    heading.emplace_back(language(*kernel.code));
    TextTable table(2, {.right = right});
    table.row(heading);
    for (std::uint32_t pc = 0; pc < kernel.by_pc.size(); ++pc) {
      const core::PcProfile& p = kernel.by_pc[pc];
      std::vector<std::string> row = {pc_text(*kernel.code, base::Pc{pc}),
                                      line_text(kernel.code->code[pc].where.line), grouped(p.issues),
                                      per_issue(p.lanes, p, 1)};
      for (const unsigned cause : causes) row.push_back(grouped(p.waiting[cause]));
      row.push_back(squeezed(kernel.code->source_line(base::Pc{pc})));
      table.row(row);
    }
    text += fmt::format("\nAll of kernel {} in program order; waiting in group-cycles\n{}", kernel.code->name,
                        table.text());
  }
  return text;
}

nlohmann::ordered_json profile_json(const RunHeader& header, const std::string& platform,
                                    const std::vector<KernelHeat>& kernels) {
  nlohmann::ordered_json json = {{"heddle", HEDDLE_VERSION}, {"platform", platform}};
  json.update(header.identity);
  add_end(json, header);
  json["kernels"] = nlohmann::ordered_json::array();
  for (const KernelHeat& kernel : kernels) {
    nlohmann::ordered_json entry = {{"kernel", kernel.code->name},
                                    {"source", file_of(*kernel.code)},
                                    {"launches", kernel.launches},
                                    {"cycles", kernel.cycles},
                                    {"total", counts_json(kernel.total, kernel.causes)}};
    if (!kernel.complete) entry["complete"] = false;
    entry["pcs"] = nlohmann::ordered_json::array();
    const ProgramFiles files(*kernel.code);
    for (std::uint32_t pc = 0; pc < kernel.by_pc.size(); ++pc) {
      nlohmann::ordered_json at = {{"pc", pc_text(*kernel.code, base::Pc{pc})},
                                   {"line", kernel.code->code[pc].where.line},
                                   {kernel.code->is_machine_code() ? "sass" : "ptx",
                                    squeezed(kernel.code->source_line(base::Pc{pc}))}};
      if (const std::string written = files.text(kernel.code->origin(base::Pc{pc})); !written.empty())
        at["program_line"] = written;
      at.update(counts_json(kernel.by_pc[pc], kernel.causes));
      entry["pcs"].push_back(at);
    }
    entry["dependences"] = nlohmann::ordered_json::array();
    for (const auto& [pc, producer, wait] : kernel.dependences)
      entry["dependences"].push_back(
          {{"pc", pc_text(*kernel.code, pc)},
           {"producer", producer == base::kNoPc ? nlohmann::ordered_json(nullptr)
                                                : nlohmann::ordered_json(pc_text(*kernel.code, producer))},
           {"group_cycles", wait.cycles},
           {"waits", wait.waits},
           {"longest", wait.longest}});
    json["kernels"].push_back(entry);
  }
  json["dictionary"] = meanings();
  if (std::any_of(kernels.begin(), kernels.end(),
                  [](const KernelHeat& kernel) { return kernel.total.parted.paths != 0; }))
    json["dictionary"]["parted"] =
        "of a branch, call, return or exit: threads that it parted from others of their CTA and that a "
        "mechanism made warps "
        "of: paths that these ran, static warps that had such threads, warps made, their warp instructions, "
        "and what the "
        "static warps would have issued";
  return json;
}

}  // namespace heddle::cli
