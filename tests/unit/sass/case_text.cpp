#include "unit/sass/case_text.h"

#include <fmt/format.h>

#include <bit>
#include <sstream>

namespace heddle::sass {

std::uint64_t case_number(const std::string& text, const CaseSymbols& symbols) {
  const std::size_t plus = text.find('+');
  if (const auto symbol = symbols.find(text.substr(0, plus)); symbol != symbols.end())
    return symbol->second + (plus == std::string::npos ? 0 : case_number(text.substr(plus + 1)));
  if (text.starts_with("0x")) return std::stoull(text, nullptr, 16);
  if (text.back() == 'f') return std::bit_cast<std::uint32_t>(std::stof(text));
  if (text.back() == 'd') return std::bit_cast<std::uint64_t>(std::stod(text));
  return static_cast<std::uint64_t>(std::stoll(text));
}

std::vector<std::pair<std::string, CaseValues>> case_assignments(const std::string& text,
                                                                 const CaseSymbols& symbols) {
  std::vector<std::pair<std::string, CaseValues>> all;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    CaseValues values;
    std::istringstream list(word.substr(equals + 1));
    for (std::string value; std::getline(list, value, ',');) values.push_back(case_number(value, symbols));
    const std::string name = word.substr(0, equals);
    if (name.front() != 'W' && name.front() != 'X') {
      all.emplace_back(name, values);
      continue;
    }
    const unsigned low = static_cast<unsigned>(std::stoul(name.substr(1)));
    const char* const file = name.front() == 'W' ? "R" : "UR";
    CaseValues highs;
    for (std::uint64_t& value : values) {
      highs.push_back(value >> 32);
      value &= 0xffff'ffffu;
    }
    all.emplace_back(fmt::format("{}{}", file, low), values);
    all.emplace_back(fmt::format("{}{}", file, low + 1), highs);
  }
  return all;
}

void set_case_fields(Word& word, const std::string& fields) {
  for (const auto& [name, values] : case_assignments(fields)) {
    const std::uint64_t value = values.front();
    if (name == "d") {
      word.set(16, 8, value);
    } else if (name == "a") {
      word.set(24, 8, value);
    } else if (name == "b") {
      word.set(32, 8, value);
    } else if (name == "c") {
      word.set(64, 8, value);
    } else if (name == "i") {
      word.set(32, 32, value);
    } else if (name == "o") {
      word.set(40, 24, value);
    } else {
      const std::size_t colon = name.find(':');
      const auto width =
          colon == std::string::npos ? 1u : static_cast<unsigned>(std::stoul(name.substr(colon + 1)));
      word.set(static_cast<unsigned>(std::stoul(name)), width, value);
    }
  }
}

}  // namespace heddle::sass
