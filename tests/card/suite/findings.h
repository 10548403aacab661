// What a comparison of two devices has found: lines for people, and counts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "base/error.h"

namespace heddle::card {

/// PTX that the assembler of an architecture does not take, which is no finding.
class NotAssembled : public base::InputError {
 public:
  using base::InputError::InputError;
};

class Findings {
 public:
  /// A device refuses something.
  void refused(const std::string& kind, const std::string& text, const base::InputError& error) {
    if (dynamic_cast<const NotAssembled*>(&error) != nullptr)
      compared("that ptxas refuses");
    else
      report(kind, text + ": " + error.what());
  }
  /// Counts something that was compared.
  void compared(const std::string& what, std::uint64_t count = 1) { counts_[what] += count; }
  /// Something differs, or one of the devices refuses it. `kind`: "MISMATCH", "REFUSED"...; a line of its own each.
  void report(const std::string& kind, const std::string& text) {
    ++reports_[kind];
    std::printf("%s %s\n", kind.c_str(), text.c_str());
    std::fflush(stdout);
  }
  /// Says something that is neither right nor wrong.
  static void note(const std::string& text) {
    std::printf("NOTE %s\n", text.c_str());
    std::fflush(stdout);
  }
  /// Whether nothing was reported.
  [[nodiscard]] bool clean() const { return reports_.empty(); }
  void summary(const std::string& group) const {
    std::printf("SUMMARY %s:", group.c_str());
    for (const auto& [what, count] : counts_)
      std::printf(" %llu %s;", static_cast<unsigned long long>(count), what.c_str());
    for (const auto& [kind, count] : reports_)
      std::printf(" %llu %s;", static_cast<unsigned long long>(count), kind.c_str());
    std::printf("%s\n", clean() ? " no difference" : "");
    std::fflush(stdout);
  }

 private:
  std::map<std::string, std::uint64_t> counts_, reports_;
};

}  // namespace heddle::card
