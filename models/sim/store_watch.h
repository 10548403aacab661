// Which store a watched word of device memory had last, for --deterministic-check: the cores' taps say what they issue to
// the word, the L2 what reaches it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace heddle::sim {

/// One per GPU, off until watch() is called: then an L2 that writes tests a flag and nothing else happens.
///
/// Stores of one core to one address reach the L2 in the order in which they were issued, so what arrives is the oldest
/// of the core that has not. Where stores go to memory by a log (models/determinism) nothing arrives from a core; the
/// writer is then the last one whose value is there.
class StoreWatch {
 public:
  struct Store {
    std::uint64_t cycle = 0;   ///< core cycle in which it issued
    std::uint64_t launch = 0;  ///< 1 is the first of the device
    std::string kernel;
    std::string position;  ///< isa::Kernel::location
    std::array<std::uint32_t, 3> cta{}, thread{};
    bool atomic = false;
    std::optional<std::uint32_t>
        value;  ///< what it stores to the word; of an atomic, or of a part of the word, not known
  };

  void watch(std::uint64_t word, std::uint32_t cores) {
    word_ = word;
    issued_.resize(cores);
    on_ = true;
  }
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] std::uint64_t word() const { return word_; }
  /// Whether [address, address + bytes) has a byte of the word.
  [[nodiscard]] bool covers(std::uint64_t address, std::uint64_t bytes) const {
    return address < word_ + kWordBytes && word_ < address + bytes;
  }

  /// The core issues it; of a warp's lanes the one whose value counts (the last).
  void issued(std::uint32_t core, Store store) {
    std::deque<Store>& of_core = issued_[core];
    of_core.push_back(std::move(store));
    if (of_core.size() > kRemembered) of_core.pop_front();
    ++stores_;
  }
  /// The L2 has written the word for this core, or for a unit in front of it.
  void performed(base::CoreId core) {
    if (core.value() >= issued_.size() || issued_[core.value()].empty()) {
      arrives_from_cores_ = false;
      return;
    }
    last_ = std::move(issued_[core.value()].front());
    issued_[core.value()].pop_front();
    arrives_from_cores_ = true;
  }
  /// The host has written it.
  void overwritten() {
    last_.reset();
    for (auto& of_core : issued_) of_core.clear();
    arrives_from_cores_ = true;
  }

  /// Whose value, which is `value`, the word has; none: no kernel's.
  [[nodiscard]] std::optional<Store> last(std::uint32_t value) const {
    if (arrives_from_cores_) return last_;
    std::optional<Store> found;
    for (const auto& of_core : issued_)
      for (const Store& store : of_core)
        if (store.value.value_or(value) == value && (!found || store.cycle >= found->cycle)) found = store;
    return found;
  }
  /// Stores and atomics to the word so far.
  [[nodiscard]] std::uint64_t stores() const { return stores_; }

 private:
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr std::size_t kRemembered = 4096;  ///< of a core
  bool on_ = false;
  bool arrives_from_cores_ = true;
  std::uint64_t word_ = 0;
  std::uint64_t stores_ = 0;
  std::vector<std::deque<Store>> issued_;  ///< by core: what has not reached the L2
  std::optional<Store> last_;
};

}  // namespace heddle::sim
