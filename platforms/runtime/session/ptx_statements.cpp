#include "runtime/session/ptx_statements.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace heddle::runtime {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool in_word(char c) { return in_name(c) || c == '.'; }

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

}  // namespace

std::vector<Statement> statements_of(const std::string& ptx) { return Splitter(ptx).statements(); }

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

}  // namespace heddle::runtime
