// What a message carries: a transaction between a block of a core and a unit at a memory partition that is no
// memory access. The network knows where it goes and how long it is; everything else is between its two ends.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace heddle::sim {

/// The mechanism that understands a message. Four characters of its own choice: mechanisms need no common list.
enum class MessageOwner : std::uint32_t {};
[[nodiscard]] consteval MessageOwner message_owner(const char (&name)[5]) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(name[i]);
  return MessageOwner{value};
}
[[nodiscard]] inline std::string name_of(MessageOwner owner) {
  std::string name;
  for (unsigned shift = 32; shift != 0; shift -= 8)
    name += static_cast<char>(static_cast<std::uint32_t>(owner) >> (shift - 8) & 0xffu);
  return name;
}

/// 8 of header, and an address and a value for each lane: a row of a transaction log ([KiloTM] §4.2.4, §4.2.5).
inline constexpr unsigned kMessageWords = 72;

/// A message that has a line image ([GPUDet] Fig 4.7: COLOR_UPDATE) carries it as a write does: the payload's
/// address, data and byte enables.
struct MemoryMessage {
  MessageOwner owner{};
  std::uint8_t kind = 0;        ///< the owner's numbering
  bool posted = false;          ///< ends with its END_REQ; nobody answers it
  std::uint8_t word_count = 0;  ///< of `words`, those that mean something; the answer's when it comes back
  /// Bytes on the wire besides the packet header. The sender names those of the request, the unit those of its
  /// answer: how fields are packed is theirs to know.
  std::uint32_t request_bytes = 0;
  std::uint32_t answer_bytes = 0;
  std::array<std::uint64_t, kMessageWords> words{};  ///< the answer's overwrite the request's
};

}  // namespace heddle::sim
