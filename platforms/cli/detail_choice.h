// Which launches of a run are simulated (--detail).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::cli {

/// Launches FROM to TO, counted from 1, of a kernel: by its name in the module, its name in the source (with its
/// named namespaces or without), or * for each kernel.
struct DetailRange {
  std::string kernel;
  std::uint64_t from = 1, to = 1;
  bool used = false;  ///< there was such a launch
};

/// "KERNEL:FROM-TO", "KERNEL:NUMBER", or "none": no launch. Throws base::InputError.
[[nodiscard]] DetailRange detail_range(const std::string& text);

class DetailChoice {
 public:
  explicit DetailChoice(std::vector<DetailRange> ranges) : ranges_(std::move(ranges)) {}

  /// The next launch of the kernel.
  bool chooses(const std::string& kernel);
  /// What the last launch that was simulated took, in ns.
  void simulated(double ns);
  /// What the last launch may have taken that was not: the mean of those of its kernel that were simulated.
  [[nodiscard]] double likely_ns() const;
  [[nodiscard]] std::uint64_t detailed() const { return detailed_; }
  [[nodiscard]] std::uint64_t quick() const { return quick_; }
  /// Ranges that no launch was in.
  [[nodiscard]] std::vector<DetailRange> empty_ranges() const;

 private:
  struct Seen {
    std::uint64_t launches = 0, simulated = 0;
    double ns = 0;  ///< of the simulated ones
  };
  std::vector<DetailRange> ranges_;
  std::map<std::string, Seen> kernels_;
  Seen* last_ = nullptr;
  std::uint64_t detailed_ = 0, quick_ = 0;
};

}  // namespace heddle::cli
