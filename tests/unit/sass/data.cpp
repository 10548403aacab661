#include "unit/sass/data.h"

#include <fmt/format.h>

#include <span>
#include <sstream>

#include "base/text_input.h"
#include "frontend/sass/print.h"

namespace heddle::sass {

std::string data_file(const std::string& name) {
  return base::read_file(HEDDLE_SOURCE_DIR "/tests/data/sass/" + name, "test data", base::kMostModuleBytes);
}

std::vector<std::byte> cubin_bytes(const std::string& module) {
  const std::string bytes = data_file(module + ".cubin");
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

Word word_of(const std::string& hex) {
  return {std::stoull(hex.substr(0, 16), nullptr, 16), std::stoull(hex.substr(17, 16), nullptr, 16)};
}

std::vector<TextOfWord> words_of(Arch arch) {
  std::istringstream lines(data_file(arch == Arch::kSm75 ? "sm_75.words" : "sm_90.words"));
  std::vector<TextOfWord> all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    all.push_back({std::stoull(line.substr(0, blank), nullptr, 16), word_of(line.substr(blank + 1, 33)),
                   line.substr(blank + 35)});
  }
  return all;
}

std::string text_with_offsets(const Instruction& instruction, std::uint64_t offset) {
  std::string text = guard_text(instruction);
  if (!text.empty()) text += ' ';
  return text + text_of(instruction, [&](const Operand& target) {
           if (target.kind == Operand::Kind::kAbsoluteTarget) return fmt::format("{:#x}", target.value);
           return fmt::format("{:#x}", offset + kInstructionBytes + static_cast<std::uint64_t>(target.value));
         });
}

}  // namespace heddle::sass
