// Listings: kernels written with the machine's control and convergence instructions ([Hanoi] §V), in the manner of
// SASS. README.md has the grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ptx/ast.h"
#include "isa/kernel.h"

namespace heddle::listing {

struct Guard {
  bool present = false;
  bool negated = false;
  std::string predicate;  ///< "P0"
  bool operator==(const Guard&) const = default;
};

/// One line: a label, an instruction, or both.
struct Line {
  std::string label;
  Guard guard;   ///< @P0
  Guard guard2;  ///< the second predicate of a control instruction: its first operand
  std::string opcode;
  std::vector<std::string> operands;  ///< as written, without blanks
  isa::SourceLoc where;               ///< of the opcode, else of the label
  isa::SourceLoc label_where;
  std::vector<isa::SourceLoc> operand_where;
};

struct Param {
  std::string name;
  unsigned bits = 64;  ///< 32 or 64
  isa::SourceLoc where;
};

/// A kernel or a function.
struct Section {
  bool is_kernel = true;
  std::string name;
  std::vector<Param> params;  ///< of a kernel
  std::vector<Line> lines;
  isa::SourceLoc where;
};

struct Listing {
  std::vector<Section> sections;
  std::shared_ptr<const isa::SourceText> source;
};

/// Whether a text begins with .listing, behind blanks and comments.
[[nodiscard]] bool is_listing(std::string_view text);
/// Throws base::InputError at "name:line:column" with the line and a caret below it.
[[nodiscard]] Listing parse(const std::string& text, const std::string& name);
/// In canonical form: parse(print(l)) prints the same text.
[[nodiscard]] std::string print(const Listing& listing);

/// PTX line by line: an instruction is in the line of the listing's. Convergence instructions are what a thread alone
/// notices of them: nothing, or a register that is written.
[[nodiscard]] std::string to_ptx(const Listing& listing);
/// Its syntax tree, whose source is the listing.
[[nodiscard]] ptx::Module tree_of(const Listing& listing);
/// tree_of() a listing, or of PTX text.
[[nodiscard]] ptx::Module parse_module(const std::string& text, const std::string& name);
/// Puts the convergence instructions and second predicates in place in what was decoded from tree_of().
void complete(const Listing& listing, isa::Module& module);

}  // namespace heddle::listing
