#include "frontend/sass/disassembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/print.h"

namespace heddle::sass {
namespace {

constexpr unsigned kGuardColumns = 19;  // between the offset and the mnemonic

struct Line {
  std::string text;
  Word word;
  bool is_code = false;
};

/// "        .type           NAME,@function"
std::string directive(const char* name, const std::string& rest) {
  return fmt::format("        {:<16}{}", name, rest);
}

Arch arch_of(const Cubin& cubin) {
  if (const std::optional<Arch> arch = cubin.arch()) return *arch;
  throw base::InputError(cubin.name, fmt::format("this cubin is for sm_{}", cubin.sm),
                         "Machine code of sm_75 and sm_90 can be decoded.");
}

class Listing {
 public:
  Listing(const Cubin& cubin, const DisassemblyOptions& options)
      : cubin_(cubin),
        options_(options),
        arch_(arch_of(cubin)),
        labels_(cubin),
        code_lines_(cubin.code.size()) {}

  Disassembly run() {
    text(fmt::format("\t.target\tsm_{}", cubin_.sm));
    text("");
    text(fmt::format("\t.elftype\t@\"{}\"", cubin_.relocatable ? "ET_REL" : "ET_EXEC"));
    for (std::size_t i = 0; i < cubin_.code.size(); ++i)
      if (options_.kernel.empty() || cubin_.code[i].name == options_.kernel) section(i, cubin_.code[i]);
    if (options_.kernel.empty()) undefined_symbols();
    if (options_.hex) code_lines_.clear();
    return {joined(), std::move(problems_), std::move(code_lines_)};
  }

 private:
  void text(std::string line) { lines_.push_back({std::move(line), {}, false}); }

  void title(const std::string& line) {
    text("");
    text("");
    text(line);
  }

  void section(std::size_t index, const CodeSection& code) {
    const std::string name = ".text." + code.name;
    title(fmt::format("//--------------------- {:<25} --------------------------", name));
    text(fmt::format("\t.section\t{},\"ax\",@progbits", name));
    if (code.info_registers) text(fmt::format("\t.sectioninfo\t@\"SHI_REGISTERS={}\"", *code.info_registers));
    text(fmt::format("\t.align\t{}", code.align));
    auto function = code.functions.begin();
    for (std::size_t i = 0; i < code.words.size(); ++i) {
      const std::uint64_t offset = i * kInstructionBytes;
      if (const std::string label = labels_.at(index, offset); !label.empty()) text(label + ":");
      for (; function != code.functions.end() && function->value <= offset; ++function)
        begin(index, *function);
      if (i == 0) text(name + ":");
      instruction(index, code, offset, code.words[i]);
    }
    if (const std::string label = labels_.at(index, code.words.size() * kInstructionBytes); !label.empty())
      text(label + ":");
  }

  void begin(std::size_t section, const Symbol& function) {
    const std::string& name = function.name;
    if (function.is_global) text(directive(".global", name));
    if (function.is_weak) text(directive(".weak", name));
    text(directive(".type", name + ",@function"));
    text(directive(".size", fmt::format("{},({} - {})", name, labels_.end_of(section, function), name)));
    if (function.is_entry) text(directive(".other", name + ",@\"STO_CUDA_ENTRY STV_DEFAULT\""));
    text(name + ":");
  }

  void instruction(std::size_t section, const CodeSection& code, std::uint64_t offset, Word word) {
    Decoded decoded = decode(word, arch_);
    std::string guard;
    std::string body;
    if (decoded.instruction) {
      guard = guard_text(*decoded.instruction);
      body = text_at(labels_, code, section, offset, *decoded.instruction);
      body += decoded.instruction->control.stall == 0 ? ";" : " ;";
    } else {
      body = fmt::format("/* {:016x} {:016x}: {} */", word.low, word.high, decoded.problem);
      problems_.push_back({code.name, offset, word, decoded.problem});
    }
    if (!guard.empty()) guard += ' ';
    code_lines_[section].push_back(static_cast<std::uint32_t>(lines_.size()) + 1);
    widest_ = std::max(widest_, 16 + kGuardColumns + guard.size() + body.size());
    lines_.push_back(
        {fmt::format("        /*{:04x}*/{:>{}}{}", offset, guard, kGuardColumns, body), word, true});
  }

  void undefined_symbols() {
    std::vector<const Symbol*> undefined;
    for (const Symbol& symbol : cubin_.symbols)
      if (symbol.section.empty() && !symbol.name.empty()) undefined.push_back(&symbol);
    if (undefined.empty()) return;
    title("//--------------------- SYMBOLS --------------------------");
    text("");
    for (const Symbol* const symbol : undefined) {
      text(fmt::format("\t.type\t\t{},@{}", symbol->name, symbol->is_function ? "function" : "object"));
      if (symbol->is_object) text(fmt::format("\t.size\t\t{},{:#x}", symbol->name, symbol->size));
    }
  }

  [[nodiscard]] std::string joined() const {
    // The column of the words counts a guard twice: as wide as a mnemonic that begins behind the place for guards.
    const std::size_t column = widest_ + 2;
    std::string all;
    for (const Line& line : lines_) {
      if (line.is_code && options_.hex)
        all += fmt::format("{:<{}}/* {:#018x} */\n{:{}}/* {:#018x} */\n", line.text, column, line.word.low,
                           "", column, line.word.high);
      else
        all += line.text + "\n";
    }
    return all;
  }

  const Cubin& cubin_;
  const DisassemblyOptions& options_;
  Arch arch_;
  Labels labels_;
  std::vector<Line> lines_;
  std::vector<Undecoded> problems_;
  std::size_t widest_ = 0;
  std::vector<std::vector<std::uint32_t>> code_lines_;
};

}  // namespace

std::string Labels::Section::function_at(std::uint64_t offset) const {
  for (const Symbol& function : code->functions)
    if (function.value == offset) return function.name;
  return {};
}

Labels::Labels(const Cubin& cubin) {
  unsigned next = 0;
  const std::optional<Arch> arch = cubin.arch();
  for (const CodeSection& code : cubin.code) {
    Section section{&code, code.words.size() * kInstructionBytes, {}};
    for (std::size_t i = 0; arch && i < code.words.size(); ++i) {
      const Decoded decoded = decode(code.words[i], *arch);
      if (!decoded.instruction) continue;
      for (unsigned k = 0; k < decoded.instruction->operand_count; ++k) {
        const Operand& operand = decoded.instruction->operand[k];
        if (operand.kind != Operand::Kind::kTarget || !is_named_target(*decoded.instruction, k)) continue;
        const std::uint64_t to = (i + 1) * kInstructionBytes + static_cast<std::uint64_t>(operand.value);
        if (to <= section.size && section.function_at(to).empty() &&
            section.numbers.try_emplace(to, next).second)
          ++next;
      }
    }
    sections_.push_back(std::move(section));
  }
  // Every function takes a number for its end, in the order of the symbols. The first one at a place is its label, unless a
  // function begins there, which then is its name.
  for (const Symbol& symbol : cubin.symbols) {
    if (!symbol.is_function || symbol.section.empty()) continue;
    const auto section = std::find_if(sections_.begin(), sections_.end(), [&](const Section& each) {
      return ".text." + each.code->name == symbol.section;
    });
    if (section == sections_.end()) continue;
    const std::uint64_t end = symbol.value + symbol.size;
    if (section->function_at(end).empty()) section->numbers.try_emplace(end, next);
    ++next;
  }
}

std::string Labels::target(std::size_t section, std::uint64_t offset) const {
  const Section& of = sections_[section];
  if (const std::string function = of.function_at(offset); !function.empty())
    return fmt::format("`({})", function);
  const auto label = of.numbers.find(offset);
  return label == of.numbers.end() ? fmt::format("{:#x}", offset) : fmt::format("`(.L_x_{})", label->second);
}

std::string Labels::at(std::size_t section, std::uint64_t offset) const {
  const Section& of = sections_[section];
  const auto label = of.numbers.find(offset);
  return label == of.numbers.end() ? std::string() : fmt::format(".L_x_{}", label->second);
}

std::string Labels::end_of(std::size_t section, const Symbol& function) const {
  const std::uint64_t offset = function.value + function.size;
  const std::string next = sections_[section].function_at(offset);
  return next.empty() ? at(section, offset) : next;
}

std::string text_at(const Labels& labels, const CodeSection& code, std::size_t section, std::uint64_t offset,
                    const Instruction& instruction) {
  return text_of(instruction, [&](const Operand& operand) {
    const auto relocation =
        std::find_if(code.relocations.begin(), code.relocations.end(), [&](const Relocation& each) {
          return each.offset == offset &&
                 (each.type == Relocation::kCall75 || each.type == Relocation::kCall90);
        });
    if (relocation != code.relocations.end()) return fmt::format("`({})", relocation->symbol);
    if (operand.kind == Operand::Kind::kAbsoluteTarget) return fmt::format("{:#x}", operand.value);
    return labels.target(section, offset + kInstructionBytes + static_cast<std::uint64_t>(operand.value));
  });
}

Disassembly disassemble(const Cubin& cubin, const DisassemblyOptions& options) {
  return Listing(cubin, options).run();
}

}  // namespace heddle::sass
