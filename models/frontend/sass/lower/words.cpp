#include "frontend/sass/lower/words.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/lane_mask.h"
#include "frontend/sass/word.h"
#include "isa/machine_ops.h"
#include "isa/types.h"

namespace heddle::sass {
namespace {

std::uint32_t word_of(const std::byte* row, unsigned lane) {
  std::uint32_t value = 0;
  std::memcpy(&value, row + lane * sizeof value, sizeof value);
  return value;
}
void set_word(std::byte* row, unsigned lane, std::uint32_t value) {
  std::memcpy(row + lane * sizeof value, &value, sizeof value);
}

template <class Value>
void for_each_lane(const isa::LaneArgs& args, std::byte* row, Value&& value) {
  if (row != nullptr)
    base::LaneMask(args.mask).for_each([&](unsigned lane) { set_word(row, lane, value(lane)); });
}

template <class Holds>
void set_predicate(const isa::LaneArgs& args, std::byte* row, Holds&& holds) {
  if (row == nullptr) return;
  std::uint32_t lanes = word_of(row, 0) & ~args.mask;
  base::LaneMask(args.mask).for_each([&](unsigned lane) {
    if (holds(lane)) lanes |= 1u << lane;
  });
  set_word(row, 0, lanes);
}

}  // namespace

void move_words(const isa::LaneArgs& args) {
  for (unsigned i = 0; i < isa::kMaxDestinations; ++i)
    for_each_lane(args, args.dst[i], [&](unsigned lane) { return word_of(args.src[i], lane); });
}

void move_part(const isa::LaneArgs& args) {
  const unsigned shift = args.immediate & 31;
  const auto bits = static_cast<unsigned>(args.immediate >> 8 & 0xff);
  const bool is_signed = (args.immediate >> 16 & 1) != 0;
  for_each_lane(args, args.dst[0], [&](unsigned lane) {
    const std::uint64_t part = word_of(args.src[0], lane) >> shift & Word::ones(bits);
    return static_cast<std::uint32_t>(is_signed ? static_cast<std::uint64_t>(sign_extend(part, bits)) : part);
  });
}

void move_and_test(const isa::LaneArgs& args) {
  set_predicate(args, args.dst[1], [&](unsigned lane) { return word_of(args.src[0], lane) != 0; });
  for_each_lane(args, args.dst[0], [&](unsigned lane) { return word_of(args.src[0], lane); });
}

void add_pairs(const isa::LaneArgs& args) {
  constexpr unsigned kPairs = 3;
  const auto sum = [&](unsigned lane) {
    std::uint64_t all = 0;
    for (unsigned i = 0; i < 2 * kPairs; i += 2) {
      const std::uint64_t pair = word_of(args.src[i], lane) | std::uint64_t{word_of(args.src[i + 1], lane)}
                                                                  << 32;
      all += (args.immediate & isa::negated_source(i)) != 0 ? 0 - pair : pair;
    }
    return all;
  };
  // The sources may be destinations.
  std::array<std::uint64_t, base::kLanes> sums{};
  base::LaneMask(args.mask).for_each([&](unsigned lane) { sums[lane] = sum(lane); });
  for_each_lane(args, args.dst[0], [&](unsigned lane) { return static_cast<std::uint32_t>(sums[lane]); });
  for_each_lane(args, args.dst[1],
                [&](unsigned lane) { return static_cast<std::uint32_t>(sums[lane] >> 32); });
}

void compare_words(const isa::LaneArgs& args) {
  constexpr unsigned kWords = 4;
  set_predicate(args, args.dst[0], [&](unsigned lane) {
    for (unsigned i = 0; i < kWords; ++i)
      if (word_of(args.src[i], lane) != word_of(args.src[kWords + i], lane)) return false;
    return true;
  });
}

void share_bytes(const isa::LaneArgs& args) {
  constexpr std::uint32_t kBytes = 16;
  constexpr unsigned kOperands = 5;
  std::array<std::uint32_t, base::kLanes> with{};  // whom a lane works with, it included
  const auto same = [&](unsigned a, unsigned b) {
    for (unsigned i = 0; i < kOperands; ++i)
      if (word_of(args.src[i], a) != word_of(args.src[i], b)) return false;
    return true;
  };
  base::LaneMask(args.mask).for_each([&](unsigned lane) {
    base::LaneMask(args.mask).for_each([&](unsigned other) {
      if (same(lane, other)) with[lane] |= 1u << other;
    });
  });
  const auto before = [&](unsigned lane) { return with[lane] & ((1u << lane) - 1); };
  for_each_lane(args, args.dst[0], [&](unsigned lane) {
    return kBytes * static_cast<std::uint32_t>(std::popcount(before(lane)));
  });
  for_each_lane(args, args.dst[1], [&](unsigned lane) {
    return kBytes * static_cast<std::uint32_t>(std::popcount(with[lane]));
  });
  set_predicate(args, args.dst[2], [&](unsigned lane) { return before(lane) == 0; });
}

void test_space(const isa::LaneArgs& args) {
  constexpr unsigned kDisplacementBits = 62;
  const auto wanted = static_cast<TestedSpace>(args.immediate >> kDisplacementBits);
  const std::int64_t displacement =
      sign_extend(args.immediate & Word::ones(kDisplacementBits), kDisplacementBits);
  set_predicate(args, args.dst[0], [&](unsigned lane) {
    const auto pair = [&](unsigned first) {
      return word_of(args.src[first], lane) | std::uint64_t{word_of(args.src[first + 1], lane)} << 32;
    };
    const std::uint64_t at = pair(0) + pair(2) + static_cast<std::uint64_t>(displacement);
    const bool shared = at - isa::kSharedWindowBase < isa::kSharedWindowBytes;
    const bool local = at - isa::kLocalWindowBase < isa::kLocalWindowBytes;
    return wanted >= TestedSpace::kShared  ? shared
           : wanted == TestedSpace::kLocal ? local
                                           : !shared && !local;
  });
}

}  // namespace heddle::sass
