// The packets that wait at the inputs of a crossbar with virtual output queues. Plain C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace tlm {
class tlm_generic_payload;
}

namespace heddle::memory {

/// A packet in an input queue of the network.
struct WaitingPacket {
  tlm::tlm_generic_payload* payload = nullptr;
  std::uint32_t output = 0;
  std::uint32_t bytes = 0;
  std::uint32_t flits = 0;
  base::Cycle pushed = 0;
};

/// Each input has a buffer that its queues share, one queue for each output. To put a packet in or to take one out costs the same
/// however many wait. A packet that becomes the first of its queue is *new* until somebody has seen it: those are listed by age.
class VirtualOutputQueues {
 public:
  VirtualOutputQueues(unsigned inputs, unsigned outputs, std::uint32_t capacity)
      : outputs_(outputs),
        slots_(std::size_t{inputs} * capacity),
        inputs_(inputs),
        queues_(std::size_t{inputs} * outputs) {
    for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].next = static_cast<std::uint32_t>(s) + 1;
    for (unsigned i = 0; i < inputs; ++i) {
      inputs_[i].free = i * capacity;
      slots_[std::size_t{i} * capacity + capacity - 1].next = kNone;
    }
  }

  /// The caller knows that there is room. Whether the packet is the first of its queue.
  bool push(unsigned input, const WaitingPacket& packet) {
    Input& from = inputs_[input];
    const std::uint32_t s = from.free;
    from.free = slots_[s].next;
    slots_[s] = {packet, kNone, kNone, from.pushed++, false};
    Queue& queue = queue_of(input, packet.output);
    const bool first = queue.first == kNone;
    (first ? queue.first : slots_[queue.last].next) = s;
    queue.last = s;
    if (first) list(from, s);
    return first;
  }
  /// Takes it out of a queue whose first packet is not new.
  WaitingPacket take(unsigned input, unsigned output) {
    Queue& queue = queue_of(input, output);
    Input& from = inputs_[input];
    const std::uint32_t s = queue.first;
    queue.first = slots_[s].next;
    if (queue.first != kNone) list(from, queue.first);
    slots_[s].next = from.free;
    from.free = s;
    return slots_[s].packet;
  }
  /// What has been seen of the input's queue is to be seen again.
  void renew(unsigned input, unsigned output) { list(inputs_[input], queue_of(input, output).first); }

  enum class Seen : std::uint8_t {
    kAsks,    ///< it is new no longer
    kLater,   ///< it still is
    kLeaves,  ///< to be taken out; the others are not looked at
  };
  /// see(packet, again) for the input's new packets, the oldest first; `again`: it has been seen before. Whether one leaves: it is in
  /// `left` then.
  template <class See>
  bool look_at_new(unsigned input, WaitingPacket& left, See see) {
    Input& from = inputs_[input];
    for (std::uint32_t s = from.first_new, before = kNone; s != kNone;) {
      Slot& slot = slots_[s];
      const std::uint32_t behind = slot.next_new;
      const Seen seen = see(slot.packet, slot.seen);
      if (seen == Seen::kLater) {
        before = s;
      } else {
        slot.seen = true;
        (before == kNone ? from.first_new : slots_[before].next_new) = behind;
        if (behind == kNone) from.last_new = before;
      }
      if (seen == Seen::kLeaves) {
        left = take(input, slot.packet.output);
        return true;
      }
      s = behind;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Slot {
    WaitingPacket packet;
    std::uint32_t next = kNone;      ///< in its queue, or of the free ones
    std::uint32_t next_new = kNone;  ///< younger
    std::uint32_t number = 0;        ///< of the input's packets
    bool seen = false;
  };
  struct Input {
    std::uint32_t free = kNone;
    std::uint32_t first_new = kNone, last_new = kNone;
    std::uint32_t pushed = 0;
  };
  struct Queue {
    std::uint32_t first = kNone, last = kNone;
  };
  [[nodiscard]] Queue& queue_of(unsigned input, unsigned output) {
    return queues_[std::size_t{input} * outputs_ + output];
  }
  /// Numbers wrap; those of one input's packets lie close to each other.
  [[nodiscard]] bool older(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(slots_[a].number - slots_[b].number) < 0;
  }
  /// The packet is new.
  void list(Input& from, std::uint32_t s) {
    std::uint32_t before = from.last_new;
    if (before != kNone && older(s, before)) {  // mostly it is the youngest
      before = kNone;
      for (std::uint32_t n = from.first_new; n != kNone && older(n, s); n = slots_[n].next_new) before = n;
    }
    std::uint32_t& link = before == kNone ? from.first_new : slots_[before].next_new;
    slots_[s].next_new = link;
    link = s;
    if (slots_[s].next_new == kNone) from.last_new = s;
  }

  unsigned outputs_;
  std::vector<Slot> slots_;  ///< `capacity` of each input
  std::vector<Input> inputs_;
  std::vector<Queue> queues_;  ///< by input and output
};

}  // namespace heddle::memory
