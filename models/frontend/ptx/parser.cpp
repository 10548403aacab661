#include "frontend/ptx/parser.h"
#include "frontend/ptx/atomic_lock.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "base/text_input.h"
#include "frontend/ptx/actions.h"
#include "frontend/ptx/diagnostic.h"
#include "frontend/ptx/grammar.h"
#include "frontend/ptx/grammar_errors.h"
#include "frontend/ptx/reserved_shared.h"

namespace heddle::ptx {
namespace {

// Eager tracking stores line and column with the input, so that locations are free.
using Input =
    grammar::peg::memory_input<grammar::peg::tracking_mode::eager, grammar::peg::eol::lf_crlf, const char*>;

/// A description of the input at the error: a word, a number, a character.
std::string found(const Input& in) {
  if (in.empty()) return "end of file";
  const std::string_view rest(in.current(), in.size());
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
  };
  std::size_t length = 1;
  if (is_word(rest[0]) || rest[0] == '.')
    while (length < rest.size() && length < 64 && is_word(rest[length])) ++length;
  return rest[0] == '\n' || rest[0] == '\r'
             ? "end of line"
             : fmt::format("'{}'", printable(std::string(rest.substr(0, length))));
}

/// Turns the failure of a rule after `must` into an error at its location.
template <class Rule>
struct Control : grammar::peg::normal<Rule> {
  template <class ParseInput>
  [[noreturn]] static void raise(const ParseInput& in, ParseState& state) {
    constexpr const char* kWanted = grammar::kExpected<Rule>;
    static_assert(kWanted != nullptr || grammar::kNeverFails<Rule>,
                  "a rule behind must has no line in grammar_errors.h");
    SourceLoc where = grammar::location_of(in.iterator());
    if constexpr (std::is_same_v<Rule, grammar::CommentRest>) where = state.comment_open;
    if constexpr (grammar::kEndsSomething<Rule>)
      if (state.token_end.line != 0 && state.token_end.line < where.line) where = state.token_end;
    state.builder.error(
        where, fmt::format("expected {}, found {}", kWanted == nullptr ? "nothing" : kWanted, found(in)));
  }
};

std::shared_ptr<const isa::SourceText> split(const std::string& text, const std::string& name) {
  auto source = std::make_shared<isa::SourceText>();
  source->name = name;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = text.find('\n', start);
    if (end == std::string::npos) end = text.size();
    const std::size_t length = end > start && text[end - 1] == '\r' ? end - start - 1 : end - start;
    source->lines.emplace_back(text, start, length);
    start = end + 1;
  }
  return source;
}

/// Messages for what is no module at first sight.
void check_begin(const std::string& text, const std::string& name) {
  for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"})
    if (text.starts_with(mark))
      throw base::InputError(name + ":1:1", "the file is UTF-16", "Save it as ASCII or UTF-8.");
  if (text.find_first_not_of(" \t\r\n\f\v") == std::string::npos)
    throw base::InputError(name, "the file is empty", "PTX begins with .version, a listing with .listing.");
}

}  // namespace

Module parse_text(const std::string& text, const std::string& name) {
  check_begin(text, name);
  Builder builder(split(text, name));
  ParseState state{builder, {}, {}};
  Input input(text.data(), text.data() + text.size(), name.c_str());
  // Cannot fail: every rule of Module follows a `must`.
  if (!grammar::peg::parse<grammar::Module, grammar::Action, Control>(input, state))
    throw base::InputError(name, "not a PTX module");
  Module module = builder.take();
  place_reserved_shared(module);
  place_atomic_locks(module);
  return module;
}

Module parse_file(const std::string& path) {
  return parse_text(base::read_file(path, "PTX file", base::kMostModuleBytes), path);
}

}  // namespace heddle::ptx
