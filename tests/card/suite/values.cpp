#include "values.h"

#include <algorithm>
#include <bit>

#include "regression/generator/random_source.h"

namespace heddle::card {
namespace {

using generator::RandomSource;
using List = std::vector<std::uint64_t>;

constexpr std::size_t kTuples = 4096, kUnaryTuples = 16384, kAllHalves = 65536;

List integers(unsigned bits) {
  const std::uint64_t most = bits == 64 ? ~0ull : (1ull << bits) - 1, sign = 1ull << (bits - 1);
  List list = {0, 1, 2, 3, 7, 8, 31, 32, 33, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff};
  for (const std::uint64_t value : List{
           sign - 1, sign, sign + 1, most, most - 1, most - 255, sign >> 1, 0x5555'5555'5555'5555ull & most,
           0xaaaa'aaaa'aaaa'aaaaull & most, 0x0123'4567'89ab'cdefull & most, 0xfedc'ba98'7654'3210ull & most,
           0x00ff'00ff'00ff'00ffull & most, 0x8080'8080'8080'8080ull & most, 0x7f80'ff01'7f80'ff01ull & most})
    list.push_back(value);
  if (bits == 64)
    list.insert(list.end(), {0xffff'ffff, 0x8000'0000, 0x7fff'ffff, 0x1'0000'0000, 0xffff'ffff'0000'0000});
  return list;
}

List halves() {
  return {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3bff,
          0x3c01, 0x3800, 0x3e00, 0x4100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe01,
          0x7fff, 0x6400, 0x6801, 0x5bff, 0x1400, 0x0801, 0x3555, 0x4248, 0xc248, 0x7800};
}

List singles() {
  return {0x0000'0000, 0x8000'0000, 0x0000'0001, 0x8000'0001, 0x007f'ffff, 0x807f'ffff, 0x0080'0000,
          0x8080'0000, 0x0040'0000, 0x3f80'0000, 0xbf80'0000, 0x3f7f'ffff, 0x3f80'0001, 0x3f00'0000,
          0xbf00'0000, 0x3fc0'0000, 0x4020'0000, 0xc020'0000, 0x4b00'0000, 0x4b00'0001, 0x4b7f'ffff,
          0x4b80'0000, 0x4eff'ffff, 0x4f00'0000, 0xcf00'0000, 0xcf00'0001, 0x4f7f'ffff, 0x4f80'0000,
          0x5eff'ffff, 0x5f00'0000, 0xdf00'0000, 0x5f80'0000, 0x7f7f'ffff, 0xff7f'ffff, 0x7f80'0000,
          0xff80'0000, 0x7fc0'0000, 0x7f80'0001, 0xffc1'2345, 0x477f'e000, 0x477f'efff, 0x477f'f000,
          0x3300'0000, 0x3300'0001, 0x3880'0000, 0x387f'e000, 0x4049'0fdb, 0x3eaa'aaab, 0x42ff'0000,
          0x437f'0000, 0x7e80'0000, 0x0100'0000};
}

List doubles() {
  return {0,
          0x8000'0000'0000'0000,
          1,
          0x8000'0000'0000'0001,
          0x000f'ffff'ffff'ffff,
          0x0010'0000'0000'0000,
          0x800f'ffff'ffff'ffff,
          0x3ff0'0000'0000'0000,
          0xbff0'0000'0000'0000,
          0x3fef'ffff'ffff'ffff,
          0x3ff0'0000'0000'0001,
          0x3fe0'0000'0000'0000,
          0x3ff8'0000'0000'0000,
          0x4004'0000'0000'0000,
          0xc004'0000'0000'0000,
          0x7fef'ffff'ffff'ffff,
          0xffef'ffff'ffff'ffff,
          0x7ff0'0000'0000'0000,
          0xfff0'0000'0000'0000,
          0x7ff8'0000'0000'0000,
          0x7ff0'0000'0000'0001,
          0xfff8'0000'0000'0123,
          0x41df'ffff'ffc0'0000,
          0x41df'ffff'ffe0'0000,
          0x41e0'0000'0000'0000,
          0xc1e0'0000'0000'0000,
          0xc1e0'0000'0020'0000,
          0x41ef'ffff'ffe0'0000,
          0x43df'ffff'ffff'ffff,
          0x43e0'0000'0000'0000,
          0xc3e0'0000'0000'0000,
          0x43ef'ffff'ffff'ffff,
          0x43f0'0000'0000'0000,
          0x4330'0000'0000'0000,
          0x4330'0000'0000'0001,
          0x4340'0000'0000'0001,
          0x47ef'ffff'e000'0000,
          0x47ef'ffff'efff'ffff,
          0x47ef'ffff'f000'0000,
          0x36a0'0000'0000'0000,
          0x3690'0000'0000'0000,
          0x3690'0000'0000'0001,
          0x380f'ffff'ffff'ffff,
          0x3810'0000'0000'0000,
          0x40ef'fe00'0000'0000,
          0x40ef'fdff'ffff'ffff,
          0x3e60'0000'0000'0000,
          0x3fd5'5555'5555'5555};
}

List halves_in_pairs() {
  const List single = halves();
  List list;
  for (std::size_t i = 0; i < single.size(); ++i)
    list.push_back(single[i] | single[(i * 7 + 3) % single.size()] << 16);
  return list;
}

List specials(Values values) {
  List list;
  switch (values) {
    case Values::kPredicate:
    case Values::kBit:
      return {0, 1};
    case Values::kInteger16:
      return integers(16);
    case Values::kInteger32:
      return integers(32);
    case Values::kInteger64:
      return integers(64);
    case Values::kHalf:
      return halves();
    case Values::kHalves:
      return halves_in_pairs();
    case Values::kSingle:
      return singles();
    case Values::kDouble:
      return doubles();
    case Values::kAmount:
      for (std::uint64_t i = 0; i < 70; ++i) list.push_back(i);
      list.insert(list.end(), {127, 128, 255, 256, 0x8000'0000, 0xffff'ffff});
      return list;
    case Values::kField:
      for (std::uint64_t i = 0; i < 70; ++i) list.push_back(i);
      list.insert(list.end(), {96, 127, 128, 224, 255});
      return list;
    case Values::kLane:
      for (std::uint64_t i = 0; i < 32; ++i) list.push_back(i);
      return list;
    case Values::kOffset:
      for (std::int32_t i = -40; i <= 40; ++i) list.push_back(static_cast<std::uint32_t>(i));
      return list;
  }
  return list;
}

/// Added since results of a card were recorded: what tells whether .ftz flushes by the exact value or by the rounded one.
List added(Values values) {
  if (values == Values::kSingle) return {0x00a1'e58f, 0x3f4a'6691};  // their product is 2^-126 (1 - 2^-47)
  if (values == Values::kDouble) return {0x380f'ffff'e000'0000};
  return {};
}

bool only_special(Values values) {
  return values == Values::kPredicate || values == Values::kBit || values >= Values::kAmount;
}

std::uint64_t random_bits(RandomSource& random, unsigned bits) {
  const std::uint64_t value = random.next();
  return bits == 64 ? value : value & ((1ull << bits) - 1);
}

/// A number of ordinary size: around halves of integers, and around powers of two.
std::uint64_t moderate(RandomSource& random, Values values) {
  const auto whole = static_cast<std::int32_t>(random.next());
  double number = static_cast<double>(whole >> random.below(32)) / (random.chance(50) ? 2.0 : 1.0);
  if (random.chance(30)) number /= static_cast<double>(1ull << random.below(40));
  if (values == Values::kSingle) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (values == Values::kDouble) return std::bit_cast<std::uint64_t>(number);
  return random_bits(random, bits_of(values));
}

std::uint64_t one_of(RandomSource& random, const List& list) {
  return list[random.below(static_cast<std::uint32_t>(list.size()))];
}

}  // namespace

unsigned bits_of(Values values) {
  switch (values) {
    case Values::kPredicate:
      return 1;
    case Values::kInteger16:
    case Values::kHalf:
      return 16;
    case Values::kInteger64:
    case Values::kDouble:
      return 64;
    default:
      return 32;
  }
}

std::vector<List> operands_of(const std::vector<Values>& sources, Operands which) {
  std::vector<List> all(sources.size());
  if (sources.empty()) return all;
  if (sources.size() == 1 && bits_of(sources[0]) == 16) {
    for (std::uint64_t value = 0; value < kAllHalves; ++value) all[0].push_back(value);
    return all;
  }
  const std::size_t tuples = sources.size() == 1 ? kUnaryTuples : kTuples;
  RandomSource random(sources.size() * 1000 + static_cast<unsigned>(sources.back()));
  std::vector<List> special;
  for (const Values source : sources) {
    special.push_back(specials(source));
    const List more = which == Operands::kAll ? added(source) : List{};
    special.back().insert(special.back().end(), more.begin(), more.end());
  }
  const std::size_t second = sources.size() > 1 ? special[1].size() : 1;
  for (std::size_t i = 0; i < tuples; ++i)
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const unsigned bits = bits_of(sources[s]);
      if (s < 2 && i < special[0].size() * second && i < tuples / 4 * 3)
        all[s].push_back(s == 0 ? special[0][i / second] : special[1][i % second]);
      else if (only_special(sources[s]) || random.chance(25))
        all[s].push_back(one_of(random, special[s]));
      else if (s > 0 && bits == bits_of(sources[0]) &&
               random.chance(20))  // near the first one, or its negative
        all[s].push_back((all[0][i] + random.below(3)) ^ (random.chance(50) ? 1ull << (bits - 1) : 0));
      else
        all[s].push_back(random.chance(50) ? moderate(random, sources[s]) : random_bits(random, bits));
      if (bits < 64) all[s].back() &= (1ull << bits) - 1;
    }
  return all;
}

}  // namespace heddle::card
