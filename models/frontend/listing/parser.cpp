#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "base/error.h"
#include "frontend/listing/grammar.h"
#include "frontend/listing/lines.h"
#include "frontend/listing/listing.h"
#include "frontend/listing/opcodes.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::listing {
namespace {

using ListingInput =
    grammar::peg::memory_input<grammar::peg::tracking_mode::eager, grammar::peg::eol::lf_crlf, const char*>;

struct Building {
  Listing listing;
  Line line;
  isa::SourceLoc comment_open;

  [[noreturn]] void error(isa::SourceLoc where, const std::string& message,
                          const std::string& remedy = {}) const {
    ptx::fail(*listing.source, where, message, remedy);
  }
  void end_line() {
    if (!line.label.empty() || !line.opcode.empty()) {
      if (listing.sections.empty())
        error(line.where, "an instruction or a label before the first .kernel",
              "Begin a kernel: .kernel NAME");
      listing.sections.back().lines.push_back(std::move(line));
    }
    line = {};
  }
};

template <class Input>
isa::SourceLoc start_of(const Input& in) {
  const auto position = in.position();
  return {static_cast<std::uint32_t>(position.line), static_cast<std::uint32_t>(position.column)};
}

template <class Rule>
struct ListingAction : grammar::peg::nothing<Rule> {};
template <>
struct ListingAction<grammar::CommentOpen> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    b.comment_open = start_of(in);
  }
};
template <>
struct ListingAction<grammar::KernelWord> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    b.listing.sections.push_back({true, {}, {}, {}, start_of(in)});
  }
};
template <>
struct ListingAction<grammar::FuncWord> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    b.listing.sections.push_back({false, {}, {}, {}, start_of(in)});
  }
};
template <>
struct ListingAction<grammar::SectionName> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    b.listing.sections.back().name = in.string();
  }
};
template <>
struct ListingAction<grammar::ParamName> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    b.listing.sections.back().params.push_back({in.string(), 0, start_of(in)});
  }
};
template <>
struct ListingAction<grammar::ParamBits> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    const std::string bits = in.string();
    if (bits != "32" && bits != "64")
      b.error(start_of(in), fmt::format("a parameter has 32 or 64 bits, not {}", bits));
    b.listing.sections.back().params.back().bits = bits == "32" ? 32 : 64;
  }
};
template <>
struct ListingAction<grammar::Label> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    const std::string text = in.string();
    b.line.label = text.substr(0, text.find_first_of(" \t:/"));
    b.line.where = b.line.label_where = start_of(in);
  }
};
template <>
struct ListingAction<grammar::GuardNot> {
  template <class Input>
  static void apply(const Input& /*in*/, Building& b) {
    b.line.guard.negated = true;
  }
};
template <>
struct ListingAction<grammar::GuardName> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    if (!fits('p', in.string()))
      b.error(start_of(in), fmt::format("'{}' is not {}", in.string(), operand_words('p')));
    b.line.guard.present = true;
    b.line.guard.predicate = in.string();
  }
};
template <>
struct ListingAction<grammar::Opcode> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    b.line.opcode = in.string();
    b.line.where = start_of(in);
  }
};
template <>
struct ListingAction<grammar::Operand> {
  template <class Input>
  static void apply(const Input& in, Building& b) {
    std::string text = in.string();
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
    b.line.operands.push_back(std::move(text));
    b.line.operand_where.push_back(start_of(in));
  }
};
template <>
struct ListingAction<grammar::LineEnd> {
  template <class Input>
  static void apply(const Input& /*in*/, Building& b) {
    b.end_line();
  }
};

template <class Rule>
struct ListingControl : grammar::peg::normal<Rule> {
  template <class Input>
  [[noreturn]] static void raise(const Input& in, Building& b) {
    const std::string_view rest(in.current(), in.size());
    const std::string found =
        rest.empty() ? "the end of the file"
        : rest[0] == '\n' || rest[0] == '\r'
            ? "the end of the line"
            : fmt::format("'{}'",
                          ptx::printable(std::string(rest.substr(0, rest.find_first_of(" \t\r\n,;")))));
    isa::SourceLoc where = start_of(in);
    if constexpr (std::is_same_v<Rule, grammar::CommentRest>) where = b.comment_open;
    b.error(where, fmt::format("expected {}, found {}", grammar::kExpected<Rule>, found));
  }
};

/// Labels, functions, parameters and the forms of instructions.
class Checker {
 public:
  explicit Checker(Listing& listing) : listing_(listing) {}
  void run() {
    std::set<std::string> names;
    bool kernels = false;
    for (const Section& section : listing_.sections) {
      kernels = kernels || section.is_kernel;
      check_name(section.where, section.name, section.is_kernel ? "kernel" : "function");
      if (!names.insert(section.name).second)
        fail(section.where, fmt::format("'{}' is already the name of a kernel or function", section.name));
    }
    if (!kernels) fail({1, 1}, "there is no kernel in the listing", "Begin one: .kernel NAME");
    for (Section& section : listing_.sections) check(section);
  }

 private:
  [[noreturn]] void fail(isa::SourceLoc where, const std::string& message,
                         const std::string& remedy = {}) const {
    ptx::fail(*listing_.source, where, message, remedy);
  }

  void check_name(isa::SourceLoc where, const std::string& name, const char* what) const {
    if (name == "_") fail(where, fmt::format("'_' is no name of a {}", what), "Take one with letters.");
    if (is_register_name(name))
      fail(where, fmt::format("'{}' names a register, and cannot name a {}", name, what),
           "Take another name.");
  }

  void check(Section& section) {
    std::set<std::string> params;
    for (const Param& param : section.params) {
      check_name(param.where, param.name, "parameter");
      if (!params.insert(param.name).second)
        fail(param.where, fmt::format("there are two parameters '{}'", param.name), "Take another name.");
    }
    labels_.clear();
    for (const Line& line : section.lines) {
      if (line.label.empty()) continue;
      check_name(line.label_where, line.label, "label");
      if (!labels_.insert(line.label).second)
        fail(line.label_where, fmt::format("label '{}' is defined twice", line.label));
    }
    // First: a line that is wrong in itself need not be the end that is missing.
    for (Line& line : section.lines)
      if (!line.opcode.empty()) check(section, line);
    const auto last = std::find_if(section.lines.rbegin(), section.lines.rend(),
                                   [](const Line& line) { return !line.opcode.empty(); });
    if (last == section.lines.rend())
      fail(section.where, fmt::format("'{}' has no instructions", section.name));
    if (last != section.lines.rbegin())
      fail(section.lines.back().where, "no instruction follows this label",
           section.is_kernel ? "Write EXIT; behind it." : "Write RET; behind it.");
    if (last->guard.present || (last->opcode != "EXIT" && last->opcode != "KILL" && last->opcode != "BRA" &&
                                last->opcode != "JMP" && last->opcode != "RET"))
      fail(last->where, fmt::format("threads run past the end of '{}'", section.name),
           section.is_kernel ? "End it with EXIT;" : "End it with RET;");
  }

  void check(const Section& section, Line& line) {
    const auto all = forms();
    const auto named = [&](const Form& form) { return form.opcode == line.opcode; };
    const auto first = std::find_if(all.begin(), all.end(), named);
    if (first == all.end()) {
      ptx::Suggestion suggestion(line.opcode);
      for (const Form& form : all) suggestion.offer(std::string(form.opcode));
      fail(line.where, fmt::format("unknown instruction '{}'", line.opcode), suggestion.text());
    }
    take_second_predicate(*first, line);
    const Form* nearest = &*first;
    std::size_t most = 0;
    for (const Form& form : all) {
      if (!named(form)) continue;
      const std::size_t fitting = count_fitting(form, line);
      if (fitting == form.operands.size() && fitting == line.operands.size())
        return names_of(section, form, line);
      if (fitting > most) nearest = &form, most = fitting;
    }
    const std::size_t wanted = nearest->operands.size();
    if (line.operands.size() != wanted)
      fail(line.where, fmt::format("{} takes {} operand{}, not {}", line.opcode, wanted,
                                   wanted == 1 ? "" : "s", line.operands.size()));
    fail(line.operand_where[most], fmt::format("operand {} of {} must be {}, not '{}'", most + 1, line.opcode,
                                               operand_words(nearest->operands[most]), line.operands[most]));
  }

  static std::size_t count_fitting(const Form& form, const Line& line) {
    std::size_t i = 0;
    while (i < form.operands.size() && i < line.operands.size() && fits(form.operands[i], line.operands[i]))
      ++i;
    return i;
  }

  /// `@P0 BRA !P1, L;`
  void take_second_predicate(const Form& form, Line& line) const {
    if (line.operands.empty()) return;
    std::string text = line.operands.front();
    const bool negated = text.starts_with('!');
    if (negated) text.erase(0, 1);
    if (!fits('p', text)) {
      if (negated || (form.control && text.starts_with('P') && is_register_name(text)))
        fail(line.operand_where.front(), fmt::format("'{}' is not {}", text, operand_words('p')));
      return;
    }
    if (!form.control && form.operands.starts_with('P')) return;
    if (!form.control)
      fail(line.where, fmt::format("{} takes no second predicate", line.opcode),
           "BRA, JMP and convergence instructions do; branch around this one.");
    // Only one of them: it is the guard.
    (line.guard.present ? line.guard2 : line.guard) = {true, negated, text};
    line.operands.erase(line.operands.begin());
    line.operand_where.erase(line.operand_where.begin());
  }

  void names_of(const Section& section, const Form& form, const Line& line) const {
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
      const std::string& text = line.operands[i];
      const isa::SourceLoc where = line.operand_where[i];
      if (const Objection wrong = objection(form.operands[i], text); !wrong.message.empty())
        fail(where, wrong.message, wrong.remedy);
      if (form.operands[i] == 'L') check_label(where, text);
      if (form.operands[i] == 'T')
        for (const std::string& label : labels_in(text)) check_label(where, label);
      if (form.operands[i] == 'F' &&
          std::none_of(listing_.sections.begin(), listing_.sections.end(),
                       [&](const Section& each) { return !each.is_kernel && each.name == text; }))
        fail(where, fmt::format("function '{}' is not defined", text), "Add it: .func " + text);
      if (form.operands[i] == 'C') {
        const auto found = std::find_if(section.params.begin(), section.params.end(),
                                        [&](const Param& param) { return param.name == text; });
        const unsigned bits = line.opcode == "LDC" ? 32 : 64;
        if (found == section.params.end())
          fail(where, fmt::format("'{}' has no parameter '{}'", section.name, text),
               fmt::format("Name it: .kernel {}({}: {})", section.name, text, bits));
        if (found->bits != bits)
          fail(where, fmt::format("parameter '{}' has {} bits", text, found->bits),
               found->bits == 32 ? "Read it with LDC." : "Read it with LDC.64.");
      }
    }
    if (line.opcode == "RET" && section.is_kernel) fail(line.where, "RET in a kernel", "Write EXIT;");
  }

  void check_label(isa::SourceLoc where, const std::string& label) const {
    if (labels_.contains(label)) return;
    ptx::Suggestion suggestion(label);
    for (const std::string& known : labels_) suggestion.offer(known);
    fail(where, fmt::format("label '{}' is not defined", label), suggestion.text());
  }

  Listing& listing_;
  std::set<std::string> labels_;
};

std::shared_ptr<const isa::SourceText> lines_of(const std::string& text, const std::string& name) {
  auto source = std::make_shared<isa::SourceText>();
  source->name = name;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.pop_back();
    source->lines.push_back(std::move(line));
    start = end + 1;
  }
  return source;
}

}  // namespace

bool is_listing(std::string_view text) {
  ListingInput input(text.data(), text.data() + text.size(), "");
  try {
    return grammar::peg::parse<grammar::peg::seq<grammar::Start, grammar::Header>>(input);
  } catch (const grammar::peg::parse_error&) {
    return false;  // a comment without an end
  }
}

Listing parse(const std::string& text, const std::string& name) {
  Building building;
  building.listing.source = lines_of(text, name);
  ListingInput input(text.data(), text.data() + text.size(), name.c_str());
  grammar::peg::parse<grammar::Listing, ListingAction, ListingControl>(input, building);
  Checker(building.listing).run();
  return std::move(building.listing);
}

}  // namespace heddle::listing
