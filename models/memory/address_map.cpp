#include "memory/address_map.h"

#include <array>

namespace heddle::memory {
namespace {

/// Position and partition differ by a number that follows from the round: exclusive or, or, if the partitions are no power
/// of two, a rotation.
class Hashed final : public PartitionOrder {
 public:
  using Hash = std::uint64_t (*)(std::uint64_t round, unsigned bits);

  Hashed(std::uint32_t partitions, unsigned bits, Hash hash)
      : partitions_(partitions), power_of_two_(std::has_single_bit(partitions)), bits_(bits), hash_(hash) {}

  [[nodiscard]] std::uint32_t partition(std::uint64_t round, std::uint32_t position) const override {
    const auto by = static_cast<std::uint32_t>(hash_(round, bits_) % partitions_);
    return power_of_two_ ? position ^ by : (position + by) % partitions_;
  }
  [[nodiscard]] std::uint32_t position(std::uint64_t round, std::uint32_t partition) const override {
    const auto by = static_cast<std::uint32_t>(hash_(round, bits_) % partitions_);
    return power_of_two_ ? partition ^ by : (partition + partitions_ - by) % partitions_;
  }

 private:
  std::uint32_t partitions_;
  bool power_of_two_;
  unsigned bits_;
  Hash hash_;
};

/// The exclusive or of all groups of `bits` bits.
std::uint64_t folded(std::uint64_t round, unsigned bits) {
  std::uint64_t hash = 0;
  for (; round != 0; round >>= bits) hash ^= round & ((std::uint64_t{1} << bits) - 1);
  return hash;
}

constexpr unsigned kMostBits = 10;  // of a partition's number: up to 1024 partitions
/// A primitive polynomial over GF(2) by degree; bit i is the coefficient of x^i.
constexpr std::array<std::uint64_t, kMostBits + 1> kPolynomials{
    0b1,       0b11,       0b111,       0b1011,       0b10011,      0b100101,
    0b1000011, 0b10000011, 0b100011101, 0b1000010001, 0b10000001001};

/// round(x) * x^bits modulo the polynomial of degree `bits`: with the chunk's position in the round added (exclusive or),
/// the chunk's number modulo the polynomial (Rau, Pseudo-Randomly Interleaved Memory, ISCA 1991).
std::uint64_t remainder(std::uint64_t round, unsigned bits) {
  std::uint64_t rest = 0;
  const auto shift_in = [&](std::uint64_t bit) {
    rest = rest << 1 | bit;
    if ((rest >> bits & 1) != 0) rest ^= kPolynomials[bits];
  };
  for (unsigned bit = static_cast<unsigned>(std::bit_width(round)); bit-- > 0;) shift_in(round >> bit & 1);
  for (unsigned i = 0; i < bits; ++i) shift_in(0);
  return rest;
}

unsigned bits_of(std::uint32_t partitions) { return static_cast<unsigned>(std::bit_width(partitions - 1)); }

}  // namespace

AddressMapping interleaved_mapping() {
  return {"interleaved", "partition = address / partition_interleave_bytes mod partitions",
          [](std::uint32_t) { return std::shared_ptr<const PartitionOrder>(); }};
}

AddressMapping xor_mapping() {
  return {
      "xor",
      "that number xor all higher bits of the address, folded; a rotation by them if the partitions are no "
      "power of two",
      [](std::uint32_t partitions) -> std::shared_ptr<const PartitionOrder> {
        if (partitions == 1) return nullptr;
        return std::make_shared<Hashed>(partitions, bits_of(partitions), folded);
      }};
}

AddressMapping ipoly_mapping() {
  return {
      "ipoly",
      "the address as a polynomial over GF(2), modulo a primitive one (Rau, ISCA 1991); a rotation by such a "
      "remainder of its higher bits if the partitions are no power of two",
      [](std::uint32_t partitions) -> std::shared_ptr<const PartitionOrder> {
        if (partitions == 1) return nullptr;
        const unsigned bits = std::has_single_bit(partitions) ? bits_of(partitions) : kMostBits;
        return std::make_shared<Hashed>(partitions, bits, remainder);
      }};
}

AddressMappingChoice default_address_mapping() { return AddressMappingChoice({interleaved_mapping()}); }

}  // namespace heddle::memory
