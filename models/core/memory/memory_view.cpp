#include "core/memory/memory_view.h"

#include <array>
#include <cstring>
#include <span>

namespace heddle::core {
namespace {

using WordBytes = std::array<std::byte, sizeof(std::uint32_t)>;

std::uint32_t word_of(const WordBytes& bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

bool MemoryView::byte(LsuInspection::Ask question, std::uint64_t address, std::byte& value) const {
  const LsuInspection found = ask({.ask = question, .address = address});
  if (found.yes) value = found.value;
  return found.yes;
}

bool MemoryView::word_in_l1(std::uint64_t address, std::uint32_t& value) const {
  WordBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (!byte(LsuInspection::Ask::kHeldByte, address + i, bytes[i])) return false;
  value = word_of(bytes);
  return true;
}

std::uint32_t MemoryView::local_word(std::uint64_t address, KernelServices& services) const {
  WordBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (!byte(LsuInspection::Ask::kHeldByte, address + i, bytes[i]) &&
        !byte(LsuInspection::Ask::kDisplacedByte, address + i, bytes[i]))
      services.read_local(address + i, std::span(bytes).subspan(i, 1));
  return word_of(bytes);
}

std::uint32_t MemoryView::shared_word(std::uint32_t offset) const {
  WordBytes bytes{};
  for (std::uint32_t i = 0; i < bytes.size(); ++i) bytes[i] = shared_byte(offset + i);
  return word_of(bytes);
}

}  // namespace heddle::core
