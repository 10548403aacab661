// What a comparison of two devices has found: lines for people, and counts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace heddle::card {

class Findings {
 public:
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
