#include "runtime/session/ptx_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "runtime/session/ptx_statements.h"

namespace heddle::runtime {
namespace {

std::string without_first(std::string text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.erase(at, word.size());
}

class Linker {
 public:
  Linker(const std::vector<std::string>& texts, std::string name) : name_(std::move(name)) {
    for (const std::string& text : texts) modules_.push_back(statements_of(text));
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
