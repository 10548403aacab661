// Pages of memory that something has written since the marks were taken last.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::base {

class PageMarks {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  /// The page of an access, which does not cross its end.
  void mark(std::uint64_t address) {
    const std::uint64_t page = address / kPageBytes;
    if (page == last_) return;
    last_ = page;
    groups_[page / kGroup] |= std::uint64_t{1} << page % kGroup;
  }
  void mark(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t page = address / kPageBytes; page * kPageBytes < address + bytes; ++page)
      mark(page * kPageBytes);
  }
  /// Adds the numbers of the marked pages, ascending, and forgets them.
  void take(std::vector<std::uint64_t>& pages) {
    for (const auto& [group, marks] : groups_)
      for (unsigned i = 0; i < kGroup; ++i)
        if ((marks >> i & 1) != 0) pages.push_back(group * kGroup + i);
    groups_.clear();
    last_ = kNone;
  }

 private:
  static constexpr unsigned kGroup = 64;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::map<std::uint64_t, std::uint64_t> groups_;  ///< a bit a page
  std::uint64_t last_ = kNone;
};

}  // namespace heddle::base
