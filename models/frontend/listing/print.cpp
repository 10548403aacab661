#include <fmt/format.h>

#include "frontend/listing/listing.h"

namespace heddle::listing {

std::string print(const Listing& listing) {
  std::string text = ".listing\n";
  for (const Section& section : listing.sections) {
    text += fmt::format("\n{} {}", section.is_kernel ? ".kernel" : ".func", section.name);
    for (std::size_t i = 0; i < section.params.size(); ++i)
      text += fmt::format("{}{}: {}", i == 0 ? "(" : ", ", section.params[i].name, section.params[i].bits);
    text += section.params.empty() ? "\n" : ")\n";
    for (const Line& line : section.lines) {
      if (!line.label.empty()) text += line.label + ":\n";
      if (line.opcode.empty()) continue;
      text += "    ";
      if (line.guard.present)
        text += fmt::format("@{}{} ", line.guard.negated ? "!" : "", line.guard.predicate);
      text += line.opcode;
      const char* separator = " ";
      if (line.guard2.present) {
        text += fmt::format("{}{}{}", separator, line.guard2.negated ? "!" : "", line.guard2.predicate);
        separator = ", ";
      }
      for (const std::string& operand : line.operands) {
        text += separator + operand;
        separator = ", ";
      }
      text += ";\n";
    }
  }
  return text;
}

}  // namespace heddle::listing
