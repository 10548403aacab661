// A hash table by PC that only grows: what policies and statistics keep per instruction.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::resync {

template <class Value>
class PcTable {
 public:
  PcTable() { clear(); }
  void clear() {
    slots_ = std::vector<Slot>(kFirst);
    used_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  /// Makes one if there is none. Valid until the next call.
  [[nodiscard]] Value& at(std::uint64_t pc) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(slots_, pc);
    if (!slot.used) {
      slot = {pc, true, Value{}};
      ++used_;
    }
    return slot.value;
  }
  [[nodiscard]] const Value* find(std::uint64_t pc) const {
    const Slot& slot = find(slots_, pc);
    return slot.used ? &slot.value : nullptr;
  }

 private:
  static constexpr std::size_t kFirst = 1024;
  struct Slot {
    std::uint64_t pc = 0;
    bool used = false;
    Value value{};
  };
  template <class Slots>
  static auto& find(Slots& slots, std::uint64_t pc) {
    const std::size_t mask = slots.size() - 1;
    std::size_t i = static_cast<std::size_t>((pc * 0x9e37'79b9'7f4a'7c15ull) >> 32) & mask;
    while (slots[i].used && slots[i].pc != pc) i = (i + 1) & mask;
    return slots[i];
  }
  void grow() {
    std::vector<Slot> more(2 * slots_.size());
    for (Slot& slot : slots_)
      if (slot.used) find(more, slot.pc) = std::move(slot);
    slots_ = std::move(more);
  }
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace heddle::resync
