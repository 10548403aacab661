// Several instructions in one line of a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::generator {

/// Instructions without ';', '|' between two of them. It stands after an operand and before an opcode; in
/// `p|q` a register follows.
inline std::vector<std::string> split_instructions(const std::string& text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = text[i] == '|' && text[i + 1] != '%';
    if (between)
      lines.emplace_back();
    else
      lines.back() += text[i];
  }
  for (std::string& line : lines) line += ';';
  return lines;
}

}  // namespace heddle::generator
