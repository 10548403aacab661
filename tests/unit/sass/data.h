// tests/data/sass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

inline constexpr const char* kCubins[] = {"aes",       "apriori",   "atm",          "bh_build",  "dispatch",
                                          "gaussian",  "hashtable", "histogram256", "nn_packed", "nqueens",
                                          "reduction", "sgemm",     "vecadd"};

struct TextOfWord {
  std::uint64_t offset = 0;
  Word word;
  std::string text;
};

[[nodiscard]] std::string data_file(const std::string& name);
[[nodiscard]] std::vector<std::byte> cubin_bytes(const std::string& module);
/// sm_75.words or sm_90.words.
[[nodiscard]] std::vector<TextOfWord> words_of(Arch arch);

/// As a `.words` file has it: guard, mnemonic, operands, targets as offsets.
[[nodiscard]] std::string text_with_offsets(const Instruction& instruction, std::uint64_t offset);

/// "0000000000007918 000fc00000000000".
[[nodiscard]] Word word_of(const std::string& hex);

}  // namespace heddle::sass
