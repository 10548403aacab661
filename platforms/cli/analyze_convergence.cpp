#include "cli/analyze_convergence.h"

#include <fmt/format.h>

#include "cli/analyze_model.h"
#include "compiler/new_instructions.h"

namespace heddle::cli {
namespace {

using base::Pc;
using isa::Opcode;
using nlohmann::ordered_json;

std::string address(const isa::Kernel& kernel, Pc pc) {
  return fmt::format("0x{:03x}", kernel.code_address(pc));
}

ordered_json code_json(const isa::Kernel& kernel) {
  ordered_json code = ordered_json::array();
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    const isa::Instruction& instruction = kernel.code[i];
    const bool placed = instruction.inserted || instruction.op == Opcode::kConvergence;
    const isa::FunctionCode* const function = kernel.function_at(Pc(i));
    ordered_json line{{"pc", address(kernel, Pc(i))}};
    if (function != nullptr && function->first == i) line["function"] = function->name;
    if (!placed) line["line"] = instruction.where.line;
    line[placed ? "placed" : "ptx"] =
        placed ? compiler::inserted_text(kernel, Pc(i)) : ptx_line(kernel, Pc(i));
    code.push_back(std::move(line));
  }
  return code;
}

std::string region_text(const ordered_json& region) {
  std::string text = fmt::format("  {}: {} to {}", region["barrier"].get<std::string>(),
                                 region["opens"].get<std::string>(), region["meets"].get<std::string>());
  if (region["spilled"].get<bool>()) text += ", spilled";
  if (region["saved"].get<bool>()) text += ", saved in the frame";
  if (region["early"].get<bool>()) text += ", early";
  if (region["waits"].get<bool>()) text += ", of a loop whose lanes may wait for others";
  const auto leaving = region["leaving"].get<unsigned>();
  if (leaving != 0) text += fmt::format(", left on {} edge{}", leaving, leaving == 1 ? "" : "s");
  return text + "\n";
}

}  // namespace

ordered_json convergence_json(const isa::Kernel& compiled, const compiler::ConvergenceOptions& options) {
  isa::Kernel kernel = compiled;
  const bool has_own = compiler::has_convergence(kernel);
  compiler::PlacementReport report;
  if (!has_own && !kernel.code.empty()) report = compiler::place_convergence(kernel, options);
  ordered_json regions = ordered_json::array();
  for (const compiler::PlacementReport::Region& region : report.regions)
    regions.push_back({{"barrier", fmt::format("B{}", region.barrier)},
                       {"opens", address(kernel, region.opens)},
                       {"meets", address(kernel, region.meets)},
                       {"spilled", region.spilled},
                       {"early", region.early},
                       {"waits", region.waits},
                       {"saved", region.saved},
                       {"leaving", region.leaving}});
  return {{"kernel", kernel.name},       {"file", kernel.source ? kernel.source->name : std::string{}},
          {"own_instructions", has_own}, {"regions", std::move(regions)},
          {"dropped", report.dropped},   {"nested_calls", report.nested},
          {"code", code_json(kernel)}};
}

std::string convergence_listing(const ordered_json& kernel) {
  const std::size_t count = kernel["regions"].size();
  std::string text =
      fmt::format("{} in {}: ", kernel["kernel"].get<std::string>(), kernel["file"].get<std::string>());
  if (kernel["own_instructions"].get<bool>())
    text += "has convergence instructions of its own; none are placed\n";
  else
    text += fmt::format("{} region{}{}\n", count, count == 1 ? "" : "s",
                        kernel["dropped"].get<unsigned>() == 0
                            ? ""
                            : fmt::format(", {} more dropped", kernel["dropped"].get<unsigned>()));
  for (const ordered_json& region : kernel["regions"]) text += region_text(region);
  if (kernel["nested_calls"].get<unsigned>() != 0)
    text +=
        fmt::format("  recursive calls: regions in the first {}\n", kernel["nested_calls"].get<unsigned>());
  unsigned last = 0;
  for (const ordered_json& line : kernel["code"]) {
    if (line.contains("function")) text += fmt::format("  {}:\n", line["function"].get<std::string>());
    const auto pc = line["pc"].get<std::string>();
    if (line.contains("placed")) {
      text += fmt::format("  {:>6}        {}\n", pc, line["placed"].get<std::string>());
      last = 0;
      continue;
    }
    // A PTX instruction may be several of the machine's.
    const auto number = line["line"].get<unsigned>();
    if (number != last) text += fmt::format("  {:>6} {:>6} {}\n", pc, number, line["ptx"].get<std::string>());
    last = number;
  }
  return text;
}

}  // namespace heddle::cli
