// The text of waiting loops, locks and decisions, in the ways that people and compilers write them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "waiting/program.h"

namespace heddle::waiting {

inline constexpr unsigned kWords = 64;  ///< that threads wait by

class WaitText {
 public:
  explicit WaitText(const char* space) : space_(space) {}

 protected:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += "  " + fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }
  void label(const std::string& name) { text_ += name + ":\n"; }
  std::string new_label() { return fmt::format("L{}", labels_++); }
  std::string new_register() { return fmt::format("%v{}", fresh_++); }
  std::string new_predicate() { return fmt::format("%w{}", fresh_++); }

  std::string word(unsigned number) {
    used_[number] = true;
    return number == 0 ? "[%words]" : fmt::format("[%words+{}]", 4 * number);
  }

  /// %p0: the condition.
  void decide(const Condition& c, const std::string& counter);

  /// What a waiting loop looks at: sets a predicate if it has to go on.
  struct Poll {
    std::string address;
    std::string other;    ///< of a second flag
    bool either = false;  ///< one of them is enough
    bool acquires = false;
    std::string least = "1";  ///< the word has to be this or more
    unsigned kind = 0;
  };
  void try_lock(const Poll& p);
  /// A loop until the poll succeeds.
  void wait(unsigned form, const Poll& p);
  void release(unsigned how, const std::string& address);

  const char* space_;
  std::string text_;
  unsigned labels_ = 0;
  unsigned fresh_ = 0;
  std::vector<bool> used_ = std::vector<bool>(kWords, false);

  void poll(const Poll& p);
};

}  // namespace heddle::waiting
