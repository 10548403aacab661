// Pages of memory that something has written since the marks were taken last.
#pragma once

#include <algorithm>
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
    if (bytes == 0) return;
    const std::uint64_t end = (address + bytes - 1) / kPageBytes + 1;
    for (std::uint64_t page = address / kPageBytes; page < end;) {
      const std::uint64_t first = page % kGroup, count = std::min(kGroup - first, end - page);
      groups_[page / kGroup] |= (~std::uint64_t{0} >> (kGroup - count)) << first;
      page += count;
    }
  }
  /// Adds the numbers of the marked pages, ascending, and forgets them.
  void take(std::vector<std::uint64_t>& pages) {
    for (const auto& [group, marks] : groups_)
      for (std::uint64_t i = 0; i < kGroup; ++i)
        if ((marks >> i & 1) != 0) pages.push_back(group * kGroup + i);
    groups_.clear();
    last_ = kNone;
  }

 private:
  static constexpr std::uint64_t kGroup = 64;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::map<std::uint64_t, std::uint64_t> groups_;  ///< a bit a page
  std::uint64_t last_ = kNone;
};

}  // namespace heddle::base
