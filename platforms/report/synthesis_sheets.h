// The committed synthesis sheets of the RTL blocks (rtl/<block>/SYNTHESIS.md), as data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::report {

/// A parameter point of a block: a row of the sheet's tables Area and Timing.
struct SheetPoint {
  std::string name;                            ///< "1 warp, 6 physical"
  std::map<std::string, double> parameters{};  ///< those that have a number; a default one is left out
  double gate_equivalents = 0;                 ///< of a NAND2X1
  double state_gate_equivalents = 0;           ///< of these, in flip-flops
  std::optional<double> bits_per_warp{};       ///< of blocks with contexts
  double shortest_period_ns = 0;               ///< of that netlist, with nothing around the block
};

struct Sheet {
  std::string block;
  std::string process;  ///< library, voltage, temperature, and the clock aimed at
  std::vector<SheetPoint> points;
};

/// All sheets of a folder with <block>.md files, by block. A sheet whose tables are not those of scripts/synth is an
/// InputError that names it.
[[nodiscard]] std::map<std::string, Sheet> read_sheets(const std::string& folder);

/// One sheet. `name` is for messages.
[[nodiscard]] Sheet parse_sheet(const std::string& block, const std::string& text, const std::string& name);

}  // namespace heddle::report
