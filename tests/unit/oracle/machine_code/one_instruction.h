// Executes one instruction in one lane, for tests with values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/sass/word.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {

/// The word that has this text in tests/data/sass/*.words. Unknown texts end the test.
[[nodiscard]] sass::Word word_with(Arch arch, const std::string& text);
/// Decoded; a word that the interpreter does not execute ends the test.
[[nodiscard]] Op op_of(sass::Word word, Arch arch);

/// Copies share the lane.
class OneInstruction {
 public:
  explicit OneInstruction(const std::string& text, Arch arch = Arch::kSm90)
      : arch_(arch), word_(word_with(arch, text)) {}
  OneInstruction(sass::Word word, Arch arch) : arch_(arch), word_(word) {}

  /// Another value in a field of the word.
  OneInstruction& with(unsigned at, unsigned width, std::uint64_t value) {
    word_.set(at, width, value);
    return *this;
  }
  OneInstruction& r(unsigned number, std::uint32_t value) {
    lane_->registers[number] = value;
    return *this;
  }
  OneInstruction& pair(unsigned number, std::uint64_t value) {
    return r(number, static_cast<std::uint32_t>(value))
        .r(number + 1, static_cast<std::uint32_t>(value >> 32));
  }
  OneInstruction& ur(unsigned number, std::uint32_t value) {
    lane_->uniform[number] = value;
    return *this;
  }
  OneInstruction& p(unsigned number, bool value) {
    lane_->predicates[number] = value;
    return *this;
  }
  /// Executes it if its guard holds.
  OneInstruction& run();

  [[nodiscard]] std::uint32_t r(unsigned number) const { return lane_->registers[number]; }
  [[nodiscard]] std::uint64_t pair(unsigned number) const {
    return r(number) | std::uint64_t{r(number + 1)} << 32;
  }
  [[nodiscard]] std::uint32_t ur(unsigned number) const { return lane_->uniform[number]; }
  [[nodiscard]] bool p(unsigned number) const { return lane_->predicates[number]; }

  Banks banks;

 private:
  Arch arch_;
  sass::Word word_;
  std::shared_ptr<Lane> lane_ = std::make_shared<Lane>();
};

[[nodiscard]] std::uint32_t bits(float value);
[[nodiscard]] std::uint64_t bits(double value);

}  // namespace heddle::oracle::machine_code
