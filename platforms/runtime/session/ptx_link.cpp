#include "runtime/session/ptx_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace heddle::runtime {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool in_word(char c) { return in_name(c) || c == '.'; }

/// A statement outside of all functions.
struct Statement {
  enum class Kind { kVersion, kTarget, kAddressSize, kVariable, kFunction, kPrototype, kOther };
  Kind kind = Kind::kOther;
  std::string text;
  std::string name;
  bool external = false;     ///< .extern: defined elsewhere
  bool shared_name = false;  ///< .visible, .weak, .common: other modules see it
  bool repeatable = false;   ///< .weak, .common
};

/// Without comments and what is for debuggers: lines of .file and .loc, sections.
std::string stripped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string::npos ? text.size() : end + 2;
    } else if (text[at] == '"') {
      const std::size_t end = std::min(text.find('"', at + 1), text.size() - 1);
      result.append(text, at, end + 1 - at);
      at = end + 1;
    } else {
      const bool starts = result.empty() || !in_word(result.back());
      if (starts && (text.compare(at, 6, ".file\t") == 0 || text.compare(at, 6, ".file ") == 0 ||
                     text.compare(at, 5, ".loc\t") == 0 || text.compare(at, 5, ".loc ") == 0)) {
        at = std::min(text.find('\n', at), text.size());
      } else {
        result += text[at++];
      }
    }
  }
  return result;
}

class Splitter {
 public:
  explicit Splitter(const std::string& text) : text_(stripped(text)) {}

  std::vector<Statement> statements() {
    std::vector<Statement> all;
    while (skip_space(), at_ < text_.size()) {
      const std::size_t start = at_;
      const std::string first = word();
      if (first == ".version" || first == ".target" || first == ".address_size") {
        at_ = std::min(text_.find('\n', at_), text_.size());
        using Kind = Statement::Kind;
        all.push_back({first == ".version"  ? Kind::kVersion
                       : first == ".target" ? Kind::kTarget
                                            : Kind::kAddressSize,
                       text_.substr(start, at_ - start),
                       {}});
        continue;
      }
      at_ = start;
      all.push_back(statement());
      if (first == ".section") all.pop_back();
    }
    return all;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  /// Up to its ';', or the end of its body.
  Statement statement() {
    Statement result;
    const std::size_t start = at_;
    bool function = false, initialiser = false;
    int round = 0, curly = 0;
    for (; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"') {
        at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
        continue;
      }
      if (in_word(c) && curly == 0) {
        const std::string token = word();
        if (round != 0 || initialiser) continue;
        if (token == ".func" || token == ".entry") function = true;
        if (token == ".extern") result.external = true;
        if (token == ".visible" || token == ".weak" || token == ".common") result.shared_name = true;
        if (token == ".weak" || token == ".common") result.repeatable = true;
        const bool named = token[0] != '.' && std::isdigit(static_cast<unsigned char>(token[0])) == 0;
        if (named && result.name.empty()) result.name = token;
        continue;
      }
      ++at_;
      if (c == '(') ++round;
      if (c == ')') --round;
      if (c == '=') initialiser = true;
      if (c == '{') ++curly;
      if (c == '}' && --curly == 0 && !initialiser) break;
      if (c == ';' && curly == 0) break;
    }
    result.text = text_.substr(start, at_ - start);
    using Kind = Statement::Kind;
    if (function)
      result.kind = result.text.back() == ';' ? Kind::kPrototype : Kind::kFunction;
    else if (!result.name.empty())
      result.kind = Kind::kVariable;
    return result;
  }

  std::string text_;
  std::size_t at_ = 0;
};

/// `text` with whole words replaced.
std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
  if (names.empty()) return text;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_name(text[at])) {
      result += text[at++];
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && in_name(text[at])) ++at;
    const std::string word = text.substr(start, at - start);
    const auto found = names.find(word);
    result += found == names.end() ? word : found->second;
  }
  return result;
}

std::string without_first(std::string text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.erase(at, word.size());
}

class Linker {
 public:
  Linker(const std::vector<std::string>& texts, std::string name) : name_(std::move(name)) {
    for (const std::string& text : texts) modules_.push_back(Splitter(text).statements());
  }

  std::string link() {
    tell_apart();
    for (const auto& module : modules_)
      for (const Statement& each : module) add(each);
    std::string text = version_ + "\n" + target_ + "\n.address_size 64\n\n";
    for (const auto& [function, prototype] : prototypes_)
      text +=
          (defined_.contains(function)
               ? ".visible " +
                     without_first(without_first(without_first(prototype, ".extern"), ".visible"), ".weak")
               : prototype) +
          "\n";
    for (const auto& [variable, declaration] : externals_)
      if (!defined_.contains(variable)) text += declaration + "\n";
    return text + variables_ + functions_;
  }

 private:
  /// Names of a module's own that another module has, too.
  void tell_apart() {
    std::map<std::string, std::set<std::size_t>> users;
    for (std::size_t i = 0; i < modules_.size(); ++i)
      for (const Statement& each : modules_[i])
        if (!each.name.empty()) users[each.name].insert(i);
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      std::map<std::string, std::string> names;
      for (const Statement& each : modules_[i])
        if (!each.name.empty() && !each.shared_name && !each.external && users[each.name].size() > 1)
          names.emplace(each.name, fmt::format("{}$m{}", each.name, i));
      for (Statement& each : modules_[i]) {
        each.text = renamed(each.text, names);
        if (const auto found = names.find(each.name); found != names.end()) each.name = found->second;
      }
    }
  }

  void add(const Statement& each) {
    using Kind = Statement::Kind;
    switch (each.kind) {
      case Kind::kVersion:
        version_ = std::max(version_, each.text);
        return;
      case Kind::kTarget:
        target_ = std::max(target_, each.text);
        return;
      case Kind::kPrototype:
        prototypes_.emplace(each.name, each.text);
        return;
      case Kind::kVariable:
        if (each.external)
          externals_.emplace(each.name, each.text);
        else if (define(each))
          variables_ += each.text + "\n";
        return;
      case Kind::kFunction:
        if (define(each)) functions_ += each.text + "\n";
        return;
      default:
        return;
    }
  }

  bool define(const Statement& each) {
    if (defined_.insert(each.name).second) return true;
    if (!each.repeatable)
      throw base::InputError(name_, fmt::format("two of its linked modules define '{}'", each.name),
                             "Give one of them another name, or make it static.");
    return false;
  }

  std::string name_;
  std::vector<std::vector<Statement>> modules_;
  std::string version_, target_, variables_, functions_;
  std::map<std::string, std::string> prototypes_, externals_;
  std::set<std::string> defined_;
};

}  // namespace

std::string link_ptx(const std::vector<std::string>& texts, const std::string& name) {
  return texts.size() == 1 ? texts.front() : Linker(texts, name).link();
}

}  // namespace heddle::runtime
