#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <variant>

#include "frontend/listing/lines.h"
#include "frontend/ptx/parser.h"

namespace heddle::listing {
namespace {

constexpr std::string_view kSinkMark = "{sink}";
constexpr const char* kSinkRegister = "%sink";  ///< takes results that nobody reads
constexpr const char* kBothRegister = "%both";  ///< both predicates of a control instruction
constexpr const char* kRpcRegister = "%rpc";

std::string label_in(std::string_view name) { return fmt::format("$L_{}", name); }

/// How predicates of a control instruction are combined.
enum class Predicates : std::uint8_t {
  kFirst,  ///< only the first: complete() adds the second
  kBoth,   ///< by instructions before it
};

class Translator {
 public:
  Translator(const Listing& listing, Predicates predicates) : listing_(listing), predicates_(predicates) {}

  std::string run() {
    add(1, ".version 6.4 .target sm_75 .address_size 64");
    for (const Section& section : listing_.sections)
      if (!section.is_kernel) add(1, fmt::format(" .func {};", section.name));
    for (const Section& section : listing_.sections) {
      open(section);
      for (const Line& line : section.lines) translate(section, line);
      add(static_cast<std::uint32_t>(lines_.size()), " }");
    }
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  void add(std::uint32_t number, const std::string& text) {
    if (lines_.size() < number) lines_.resize(number);
    lines_[number - 1] += text;
  }

  void open(const Section& section) {
    std::string head = section.is_kernel ? ".visible .entry " : ".func ";
    head += section.name;
    for (std::size_t i = 0; i < section.params.size(); ++i)
      head += fmt::format("{}.param .u{} {}", i == 0 ? "(" : ", ", section.params[i].bits,
                          section.params[i].name);
    if (!section.params.empty()) head += ")";
    head += fmt::format(" {{ .reg .b32 {0}{1}; .reg .b64 {0}{2}; .reg .pred {0}{3};", "",
                        register_in(section, kSinkRegister), register_in(section, kRpcRegister),
                        register_in(section, kBothRegister));
    std::set<std::string> declared;
    const auto declare = [&](const std::string& name) {
      const bool wide = register_number("RD", name, kMostRegister) >= 0;
      const bool predicate = fits('p', name);
      if (!wide && !predicate && register_number("R", name, kMostRegister) < 0) return;
      if (declared.insert(name).second)
        head += fmt::format(" .reg .{} {};",
                            wide        ? "b64"
                            : predicate ? "pred"
                                        : "b32",
                            register_in(section, name));
    };
    for (const Line& line : section.lines) {
      for (const Guard* guard : {&line.guard, &line.guard2})
        if (guard->present) declare(guard->predicate);
      for (const std::string& operand : line.operands) {
        declare(operand);
        if (fits('A', operand)) declare(operand.substr(1, operand.find_first_of("+-]") - 1));
      }
    }
    add(section.where.line, head);
  }

  static std::string operand_of(const Section& section, const Line& line, char kind,
                                const std::string& text) {
    switch (kind) {
      case 'R':
        return register_in(section, text == "RZ" ? kSinkRegister : text);
      case 'L':
        return label_in(text);
      case 'T':
        return fmt::format("$T_{}", line.where.line);
      case 'S':
        return std::string(special_register(text));
      case 'X':
        return register_in(section, kRpcRegister);
      case 'A': {
        const std::size_t end = text.find_first_of("+-]");
        return fmt::format("[{}{}]", register_in(section, text.substr(1, end - 1)),
                           text[end] == ']'   ? ""
                           : text[end] == '-' ? "+" + text.substr(end, text.size() - end - 1)
                                              : text.substr(end, text.size() - end - 1));
      }
      case 'F':
      case 'C':
      case 'B':
        return text;
      default:
        if (text == "RZ") return "0";
        return (text[0] >= '0' && text[0] <= '9') || text[0] == '-' ? text : register_in(section, text);
    }
  }

  void translate(const Section& section, const Line& line) {
    const std::uint32_t at = line.where.line;
    if (!line.label.empty()) add(at, label_in(line.label) + ": ");
    if (line.opcode.empty()) return;
    const Form& form = form_of(line);
    std::string text(form.ptx);
    for (std::size_t i = 0; i < line.operands.size(); ++i) {
      const std::string mark = fmt::format("{{{}}}", i);
      const std::size_t where = text.find(mark);
      if (where != std::string::npos)
        text.replace(where, mark.size(), operand_of(section, line, form.operands[i], line.operands[i]));
      if (form.operands[i] == 'T') add(at, table(line, line.operands[i]));
    }
    const auto named = [&](const Guard& guard) { return register_in(section, guard.predicate); };
    std::string guard;
    if (line.guard.present) guard = fmt::format("@{}{} ", line.guard.negated ? "!" : "", named(line.guard));
    if (line.guard2.present && predicates_ == Predicates::kBoth) {
      const std::string both = register_in(section, kBothRegister);
      add(at, fmt::format("mov.pred {0}, 0; {1}mov.pred {0}, 1; @{2}{3} mov.pred {0}, 0; ", both, guard,
                          line.guard2.negated ? "" : "!", named(line.guard2)));
      guard = fmt::format("@{} ", both);
    }
    for (std::size_t sink = text.find(kSinkMark); sink != std::string::npos; sink = text.find(kSinkMark))
      text.replace(sink, kSinkMark.size(), register_in(section, kSinkRegister));
    // A form of two instructions has the guard in front of both.
    if (const std::size_t again = text.find("{@}"); again != std::string::npos) text.replace(again, 3, guard);
    add(at, guard + text + ";");
  }

  static std::string table(const Line& line, const std::string& labels) {
    std::string text = fmt::format("$T_{}: .branchtargets ", line.where.line);
    const char* separator = "";
    for (const std::string& label : labels_in(labels)) {
      text += separator + label_in(label);
      separator = ", ";
    }
    return text + "; ";
  }

  const Listing& listing_;
  Predicates predicates_;
  std::vector<std::string> lines_;
};

/// Gives a tree the listing's columns: those of the generated text say nothing to the reader of the message.
class Places {
 public:
  explicit Places(const Listing& listing) {
    for (const Section& section : listing.sections) {
      note(section.where);
      for (const Line& line : section.lines) {
        if (!line.label.empty()) note(line.label_where);
        if (!line.opcode.empty()) columns_[line.where.line] = line.where.column;
      }
    }
  }

  [[nodiscard]] isa::SourceLoc of(isa::SourceLoc where) const {
    const auto found = columns_.find(where.line);
    return {where.line, found == columns_.end() ? 1 : found->second};
  }
  void put(ptx::Module& tree) const {
    for (ptx::Function& function : tree.functions) {
      function.where = of(function.where);
      for (ptx::ParamDecl& param : function.params) param.where = of(param.where);
      put(function.body);
    }
  }

 private:
  void note(isa::SourceLoc where) { columns_.try_emplace(where.line, where.column); }
  void put(ptx::Block& block) const {
    for (ptx::Statement& statement : block.statements)
      std::visit(
          [this](auto& each) {
            using Each = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<Each, std::shared_ptr<ptx::Block>>)
              put(*each);
            else
              each.where = of(each.where);
            if constexpr (std::is_same_v<Each, ptx::Instruction>)
              for (ptx::Operand& operand : each.operands) put(operand);
          },
          statement);
  }
  void put(ptx::Operand& operand) const {
    operand.where = of(operand.where);
    if (auto* const vector = std::get_if<ptx::VectorOperand>(&operand.value))
      for (ptx::Operand& element : vector->elements) put(element);
  }

  std::map<std::uint32_t, std::uint32_t> columns_;  ///< by line
};

ptx::Module parse_as(const Listing& listing, Predicates predicates) {
  ptx::Module tree = ptx::parse_text(Translator(listing, predicates).run(), listing.source->name);
  tree.source = listing.source;
  Places(listing).put(tree);
  return tree;
}

}  // namespace

const Form& form_of(const Line& line) {
  const auto all = forms();
  return *std::find_if(all.begin(), all.end(), [&](const Form& form) {
    if (form.opcode != line.opcode || form.operands.size() != line.operands.size()) return false;
    for (std::size_t i = 0; i < line.operands.size(); ++i)
      if (!fits(form.operands[i], line.operands[i])) return false;
    return true;
  });
}

std::string register_in(const Section& section, std::string_view name) {
  return section.is_kernel ? std::string(name) : fmt::format("{}${}", name, section.name);
}

std::vector<std::string> labels_in(const std::string& text) {
  std::vector<std::string> labels;
  for (std::size_t start = 1; start < text.size();) {
    const std::size_t end = text.find_first_of(",]", start);
    labels.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return labels;
}

std::string to_ptx(const Listing& listing) { return Translator(listing, Predicates::kBoth).run(); }

ptx::Module tree_of(const Listing& listing) { return parse_as(listing, Predicates::kFirst); }

ptx::Module parse_module(const std::string& text, const std::string& name) {
  return is_listing(text) ? parse_as(parse(text, name), Predicates::kBoth) : ptx::parse_text(text, name);
}

}  // namespace heddle::listing
