// The text of tests with values: what registers and memory hold, and bits of a word.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sass/word.h"

namespace heddle::sass {

using CaseValues = std::vector<std::uint64_t>;
/// Names of addresses: "G+8" is 8 behind that of G.
using CaseSymbols = std::map<std::string, std::uint64_t>;

/// "7", "-1", "0x10", "1.5f" and "1.5d" (the bits of an f32 and an f64), "G+8".
[[nodiscard]] std::uint64_t case_number(const std::string& text, const CaseSymbols& symbols = {});

/// "name=value,value ..." in order. W4 is the pair R4 and R5, X4 is UR4 and UR5.
[[nodiscard]] std::vector<std::pair<std::string, CaseValues>> case_assignments(
    const std::string& text, const CaseSymbols& symbols = {});

/// Sets what `fields` names: "d=4 a=5 b=6 c=7 i=0x10 o=8" (registers, immediate, offset of an address), "72=1", "76:3=5" (bits).
void set_case_fields(Word& word, const std::string& fields);

}  // namespace heddle::sass
