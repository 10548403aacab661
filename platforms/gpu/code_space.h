// Device addresses of kernels' code, which instruction fetches look up in the caches.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "isa/kernel.h"

namespace heddle::gpu {

class CodeSpace {
 public:
  /// Address of the kernel's first instruction; assigned on first use and kept until free().
  [[nodiscard]] std::uint64_t address(const isa::Kernel& kernel, std::uint32_t instruction_bytes) {
    const auto known = by_kernel_.find(&kernel);
    if (known != by_kernel_.end()) return known->second;
    const std::uint64_t bytes =
        (kernel.code.size() * instruction_bytes + kAlignment) / kAlignment * kAlignment;
    std::uint64_t at = isa::kCodeWindowBase;  // first fit
    for (const auto& [begin, end] : used_) {
      if (begin - at >= bytes) break;
      at = end;
    }
    used_.emplace(at, at + bytes);
    by_kernel_.emplace(&kernel, at);
    return at;
  }
  [[nodiscard]] std::uint64_t end() const {
    return used_.empty() ? isa::kCodeWindowBase : std::prev(used_.end())->second;
  }
  /// No effect if the kernel has no address.
  void free(const isa::Kernel& kernel) {
    const auto known = by_kernel_.find(&kernel);
    if (known == by_kernel_.end()) return;
    used_.erase(known->second);
    by_kernel_.erase(known);
    ++frees_;
  }
  /// How often an address has become free: what caches hold at addresses of before may be of other code.
  [[nodiscard]] std::uint64_t frees() const { return frees_; }

 private:
  static constexpr std::uint64_t kAlignment = 256;
  std::map<const isa::Kernel*, std::uint64_t> by_kernel_;
  std::map<std::uint64_t, std::uint64_t> used_;  ///< begin to end
  std::uint64_t frees_ = 0;
};

}  // namespace heddle::gpu
