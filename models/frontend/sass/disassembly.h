// The listing of a module, as nvdisasm -c prints it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/sass/cubin.h"

namespace heddle::sass {

/// Names of the places that branches go to, in all sections of a module: functions by name, others ".L_x_N", numbered in the
/// order in which instructions name them; behind them the ends of functions.
class Labels {
 public:
  explicit Labels(const Cubin& cubin);

  /// "`(.L_x_3)"; the address if it is outside of the section.
  [[nodiscard]] std::string target(std::size_t section, std::uint64_t offset) const;
  /// What stands before the instruction at an offset, or behind the last one: ".L_x_3"; empty for most.
  [[nodiscard]] std::string at(std::size_t section, std::uint64_t offset) const;
  /// What ends a function: a label, or the function that begins there.
  [[nodiscard]] std::string end_of(std::size_t section, const Symbol& function) const;

 private:
  struct Section {
    std::string function_at(std::uint64_t offset) const;
    const CodeSection* code = nullptr;
    std::uint64_t size = 0;
    std::map<std::uint64_t, unsigned> numbers;  ///< by offset
  };
  std::vector<Section> sections_;
};

/// A word that cannot be decoded, in a listing.
struct Undecoded {
  std::string kernel;
  std::uint64_t offset = 0;
  Word word;
  std::string problem;
};

struct Disassembly {
  std::string text;
  std::vector<Undecoded> problems;
  /// By section, as Cubin::code has them, and instruction: its line in the text, from 1. Empty for sections left out, and
  /// with `hex`.
  std::vector<std::vector<std::uint32_t>> lines;
};

struct DisassemblyOptions {
  bool hex = false;    ///< the words beside their text
  std::string kernel;  ///< only this section; empty: all
};

/// A cubin of another architecture is base::InputError. A word that cannot be decoded is a comment in the text and a problem.
[[nodiscard]] Disassembly disassemble(const Cubin& cubin, const DisassemblyOptions& options);

/// The text of an instruction with its target named; for a listing or a report.
[[nodiscard]] std::string text_at(const Labels& labels, const CodeSection& code, std::size_t section,
                                  std::uint64_t offset, const Instruction& instruction);

}  // namespace heddle::sass
