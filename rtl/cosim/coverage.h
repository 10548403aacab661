// Functional coverage of a bench: named events, each of which must occur.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cosim {

class Coverage {
 public:
  explicit Coverage(const std::vector<std::string>& events) {
    for (const std::string& event : events) declare(event);
  }
  void declare(const std::string& event) { counts_[event] = 0; }
  /// Throws std::out_of_range for an undeclared event.
  void hit(const std::string& event, bool happened = true) {
    std::uint64_t& count = counts_.at(event);
    if (happened) ++count;
  }
  [[nodiscard]] std::vector<std::string> missing() const {
    std::vector<std::string> names;
    for (const auto& [name, count] : counts_)
      if (count == 0) names.push_back(name);
    return names;
  }
  [[nodiscard]] std::string table() const {
    std::string text;
    for (const auto& [name, count] : counts_) text += "  " + name + ": " + std::to_string(count) + "\n";
    return text;
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace heddle::cosim
