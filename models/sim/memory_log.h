// Every value that a word of memory had while the watchdog looked: a proof that lanes wait for ever must hold
// for whatever they may have read meanwhile (hang/README.md).
#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace heddle::sim {

/// Words are 32 bits, named by space and byte address. Costs nothing unless active().
class MemoryLog {
 public:
  enum class Space : std::uint8_t {
    kDevice,     ///< device memory, as the L2 slices have it
    kShared,     ///< a core's shared memory; address: byte offset
    kDelivered,  ///< device memory, as loads of a core found it: its L1 may hold old values
  };

  void start() {
    words_.clear();
    size_ = 0;
    window_ = 0;
    news_ = false;
    unknown_.clear();
    active_ = true;
  }
  void stop() {
    active_ = false;
    words_.clear();
    unknown_.clear();
  }
  [[nodiscard]] bool active() const { return active_; }
  /// More values than are worth looking at: memory is being worked on.
  [[nodiscard]] bool overflown() const { return size_ > kMostValues; }
  /// Values from before are no longer those that a word has had, but none is news when it comes again.
  void next_window() { ++window_; }
  /// From now on a value that its word has not had since start() is news.
  void expect_nothing_new() { news_ = false; }
  [[nodiscard]] bool news() const { return news_ || overflown(); }

  /// `bytes` at `address`, both multiples of 4, changed from `before` to `after`.
  void changed(Space space, std::uint32_t core, std::uint64_t address, const unsigned char* before,
               const unsigned char* after, unsigned bytes) {
    for (unsigned i = 0; i + kWord <= bytes; i += kWord) {
      std::uint32_t old = 0;
      std::uint32_t now = 0;
      std::memcpy(&old, before + i, kWord);
      std::memcpy(&now, after + i, kWord);
      if (old == now) continue;
      add(key(space, core, address + i), old);
      add(key(space, core, address + i), now);
    }
  }
  /// The word at `address` had this value.
  void held(Space space, std::uint32_t core, std::uint64_t address, std::uint32_t value) {
    add(key(space, core, address), value);
  }
  /// `bytes` at `address` of device memory had values that nobody knows any more.
  void unknown(std::uint64_t address, unsigned bytes) {
    if (overflown()) return;
    ++size_;
    news_ = true;
    unknown_.push_back({address, bytes});
  }

  /// Calls fn(value) for every value that the word has had in this window.
  template <class Fn>
  void for_each(Space space, std::uint32_t core, std::uint64_t address, Fn&& fn) const {
    const auto found = words_.find(key(space, core, address));
    if (found == words_.end()) return;
    for (const Value& each : found->second)
      if (each.window == window_) fn(each.value);
  }
  [[nodiscard]] bool is_unknown(std::uint64_t address) const {
    for (const Range& range : unknown_)
      if (address + kWord > range.address && address < range.address + range.bytes) return true;
    return false;
  }

 private:
  static constexpr unsigned kWord = 4;
  static constexpr std::size_t kMostValues = 1u << 16;
  struct Range {
    std::uint64_t address = 0;
    unsigned bytes = 0;
  };
  struct Value {
    std::uint32_t value = 0;
    std::uint32_t window = 0;  ///< the last one in which the word had it
  };
  [[nodiscard]] static std::uint64_t key(Space space, std::uint32_t core, std::uint64_t address) {
    constexpr unsigned kSpaceShift = 62, kCoreShift = 48;
    return (std::uint64_t{static_cast<unsigned>(space)} << kSpaceShift) |
           (std::uint64_t{space == Space::kDevice ? 0 : core} << kCoreShift) | address / kWord;
  }
  void add(std::uint64_t word, std::uint32_t value) {
    if (overflown()) return;
    std::vector<Value>& values = words_[word];
    for (Value& known : values)
      if (known.value == value) {
        known.window = window_;
        return;
      }
    values.push_back({value, window_});
    ++size_;
    news_ = true;
  }

  bool active_ = false;
  bool news_ = false;
  std::size_t size_ = 0;
  std::uint32_t window_ = 0;
  std::unordered_map<std::uint64_t, std::vector<Value>> words_;
  std::vector<Range> unknown_;
};

}  // namespace heddle::sim
