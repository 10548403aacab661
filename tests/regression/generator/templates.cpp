#include "generator/templates.h"

#include <span>
#include <string_view>

#include "generator/instruction_text.h"
#include "generator/operations.h"
#include "generator/patterns.h"

namespace heddle::generator {

namespace {

std::string numbered(std::string_view prefix, unsigned number) {
  return std::string(prefix) + std::to_string(number);
}

std::string token(RandomSource& random, char which) {
  switch (which) {
    case 'R':
    case 'r':
      return numbered("%r", random.below(kWords));
    case 'W':
    case 'w':
      return numbered("%w", random.below(kLongs));
    case 'F':
    case 'f':
      return numbered("%f", random.below(kFloats));
    case 'D':
    case 'd':
      return numbered("%d", random.below(kDoubles));
    case 'P':
    case 'p':
      return numbered("%p", random.below(kPredicates));
    case 'i':
      return std::to_string(random.chance(70) ? static_cast<std::int32_t>(random.below(64)) - 16
                                              : static_cast<std::int32_t>(random.next()));
    case 'l':
      return std::to_string(random.chance(50) ? static_cast<std::int64_t>(random.below(64)) - 16
                                              : static_cast<std::int64_t>(random.next() >> 1));
    case 's':
      return std::to_string(random.below(random.chance(90) ? 32 : 70));
    case 't':
      return std::to_string(random.below(96));
    case 'a':
      return std::to_string(slot_offset(random, 1));
    case 'b':
      return std::to_string(slot_offset(random, 2));
    case 'c':
      return std::to_string(slot_offset(random, 4));
    case 'e':
      return std::to_string(slot_offset(random, 8));
    case 'g':
      return std::to_string(slot_offset(random, 16));
    case 'm':
      return std::to_string(random.below(kLocalBytes / 4) * 4);
    default:
      return {};
  }
}

std::string filled(RandomSource& random, Pattern pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$')
      text += token(random, pattern[++i]);
    else
      text += pattern[i];
  }
  return text;
}

std::vector<std::string> one_of(RandomSource& random, std::span<const Pattern> patterns) {
  return split_instructions(
      filled(random, patterns[random.below(static_cast<std::uint32_t>(patterns.size()))]));
}

}  // namespace

std::vector<std::string> random_simple_lines(RandomSource& random, const PatternOptions& options) {
  if (random.chance(8)) return one_of(random, kReadBackPatterns);
  if (options.operations && random.chance(75))
    return random.chance(75) ? random_operation(random) : random_own_access(random, options.barriers);
  const std::uint32_t kind = random.below(100);
  if (kind < 40) return one_of(random, kIntegerPatterns);
  if (kind < 60) return one_of(random, kLongPatterns);
  if (kind < 80) return one_of(random, kFloatPatterns);
  return one_of(random, kMemoryPatterns);
}

std::vector<std::string> random_lines(RandomSource& random, const PatternOptions& options) {
  const std::uint32_t kind = random.below(100);
  if (kind < (options.operations ? 78u : 60u)) return random_simple_lines(random, options);
  if (kind < 88) return one_of(random, kCompoundPatterns);
  if (kind < 94 && options.barriers) return one_of(random, kSharedCounterPatterns);
  return one_of(random, kCounterPatterns);
}

std::vector<std::string> random_warp_lines(RandomSource& random, const PatternOptions& options) {
  if (options.operations && random.chance(75)) return random_warp_operation(random);
  return one_of(random, kWarpPatterns);
}

std::vector<std::string> random_barrier_lines(RandomSource& random) {
  return one_of(random, kBarrierPatterns);
}

std::string random_condition(RandomSource& random) {
  std::string text = filled(random, kConditions[random.below(kConditions.size())]);
  // Conditions on %s0 test a few low bits of data, so that both sides are taken.
  if (text.find("%s0") != std::string::npos) {
    const std::string word = numbered("%r", random.below(kWords));
    const std::string mask = std::to_string(random.pick<unsigned>({1, 3, 7, 28}));
    text = "and.b32 %s0, " + word + ", " + mask + ";\n\t" + text;
  }
  return text + ";";
}

}  // namespace heddle::generator
