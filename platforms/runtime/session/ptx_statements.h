// PTX text as its statements outside of functions, unparsed: what links modules and adds to them needs no more.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle::runtime {

struct Statement {
  enum class Kind { kVersion, kTarget, kAddressSize, kVariable, kFunction, kPrototype, kOther };
  Kind kind = Kind::kOther;
  std::string text;
  std::string name;
  bool external = false;     ///< .extern: defined elsewhere
  bool shared_name = false;  ///< .visible, .weak, .common: other modules see it
  bool repeatable = false;   ///< .weak, .common
};

/// In their order, without comments and what is for debuggers (lines of .file and .loc, sections).
[[nodiscard]] std::vector<Statement> statements_of(const std::string& ptx);
/// `text` with whole words replaced.
[[nodiscard]] std::string renamed(const std::string& text, const std::map<std::string, std::string>& names);

}  // namespace heddle::runtime
