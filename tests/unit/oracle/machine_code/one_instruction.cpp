#include "one_instruction.h"

#include <bit>
#include <stdexcept>

#include "frontend/sass/decode.h"
#include "unit/sass/data.h"

namespace heddle::oracle::machine_code {

sass::Word word_with(Arch arch, const std::string& text) {
  static const auto kOf75 = sass::words_of(Arch::kSm75), kOf90 = sass::words_of(Arch::kSm90);
  for (const sass::TextOfWord& each : arch == Arch::kSm75 ? kOf75 : kOf90)
    if (each.text == text) return each.word;
  throw std::runtime_error("no word has the text " + text);
}

Op op_of(sass::Word word, Arch arch) {
  const sass::Decoded decoded = sass::decode(word, arch);
  if (!decoded.instruction) throw std::runtime_error(decoded.problem);
  std::string problem;
  Op op = make_op(*decoded.instruction, problem);
  if (!problem.empty()) throw std::runtime_error(problem);
  return op;
}

OneInstruction& OneInstruction::run() {
  const Op op = op_of(word_, arch_);
  if (op.lane == nullptr) throw std::runtime_error("not an instruction of one lane");
  Values values(op, *lane_, banks);
  if (guard_holds(op, *lane_)) op.lane(values);
  return *this;
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace heddle::oracle::machine_code
