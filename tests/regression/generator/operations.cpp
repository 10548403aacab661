#include "generator/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "generator/instruction_text.h"
#include "generator/operation_forms.h"
#include "generator/templates.h"

namespace heddle::generator {

namespace {

struct Pool {
  std::string_view prefix;
  unsigned count;
};

unsigned bits_of(std::string_view type) {
  if (type == "pred") return 1;
  if (type == "f16x2") return 32;
  return static_cast<unsigned>(std::stoul(std::string(type.substr(1))));
}

bool is_float(std::string_view type) { return type[0] == 'f'; }

Pool pool_of(std::string_view type) {
  if (type == "pred") return {"%p", kPredicates};
  if (type == "f32") return {"%f", kFloats};
  if (type == "f64") return {"%d", kDoubles};
  const unsigned bits = bits_of(type);
  if (bits <= 16) return {"%k", kHalves};
  return bits == 32 ? Pool{"%r", kWords} : Pool{"%w", kLongs};
}

class Filler {
 public:
  Filler(RandomSource& random, std::string_view type) : random_(random), type_(type) {}

  std::string fill(std::string_view pattern) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '$')
        text += token(pattern[++i]);
      else
        text += pattern[i];
    }
    return text;
  }

 private:
  std::string one(Pool pool) { return fmt::format("{}{}", pool.prefix, random_.below(pool.count)); }
  std::string different(Pool pool, unsigned count) {
    const unsigned first = random_.below(pool.count);
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += fmt::format("{}{}{}", i == 0 ? "" : ", ", pool.prefix, (first + i) % pool.count);
    text += "}";
    return text;
  }
  std::string several(Pool pool, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", one(pool));
    text += "}";
    return text;
  }
  [[nodiscard]] unsigned bytes_of(unsigned elements) const {
    return std::max(1u, bits_of(type_) / 8) * elements;
  }
  std::string float_comparison() {
    return random_.pick<const char*>(
        {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  }
  std::string comparison() {
    if (is_float(type_)) return float_comparison();
    if (type_[0] == 'b') return random_.pick<const char*>({"eq", "ne"});
    if (type_[0] == 'u')
      return random_.pick<const char*>({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"});
    return random_.pick<const char*>({"eq", "ne", "lt", "le", "gt", "ge"});
  }

  std::string token(char which) {
    switch (which) {
      case 'T':
        return std::string(type_);
      case 'X':
      case 'x':
        return one(pool_of(type_));
      case 'V':
      case 'v':
        return one(bits_of(type_) == 16 ? Pool{"%r", kWords} : Pool{"%w", kLongs});
      case 'R':
      case 'r':
        return one({"%r", kWords});
      case 'W':
      case 'w':
        return one({"%w", kLongs});
      case 'F':
      case 'f':
        return one({"%f", kFloats});
      case 'D':
      case 'd':
        return one({"%d", kDoubles});
      case 'K':
      case 'k':
        return one({"%k", kHalves});
      case 'P':
      case 'p':
        return one({"%p", kPredicates});
      case 'U': {
        const unsigned first = random_.below(kPredicates);
        return fmt::format("%p{}|%p{}", first, (first + 1 + random_.below(kPredicates - 1)) % kPredicates);
      }
      case '2':
        return different(pool_of(type_), 2);
      case '3':
        return different(pool_of(type_), 4);
      case '4':
        return several(pool_of(type_), 2);
      case '5':
        return several(pool_of(type_), 4);
      case 'c':
        return comparison();
      case 'y':
        return float_comparison();
      case 'b':
        return random_.pick<const char*>({".and", ".or", ".xor"});
      case 'm':
        return random_.pick<const char*>({"rn", "rz", "rm", "rp"});
      case 'z':
        return random_.pick<const char*>({"", ".ftz"});
      case 'a':
        return random_.pick<const char*>({"", "", ".sat"});
      case 'i':
        return std::to_string(static_cast<std::int32_t>(random_.below(66)) - 33);
      case 's':
        return std::to_string(random_.below(random_.chance(85) ? 32 : 70));
      case 'l':
        return std::to_string(random_.below(256));
      case 'o':
        return std::to_string(slot_offset(random_, bytes_of(1)));
      case 'O':
        return std::to_string(slot_offset(random_, bytes_of(2)));
      case 'Q':
        return std::to_string(slot_offset(random_, bytes_of(4)));
      case 'e':
        return std::to_string(random_.below(kLocalBytes / bytes_of(1)) * bytes_of(1));
      case 'C':
        return random_.pick<const char*>({"", ".ca", ".cg", ".cs", ".lu", ".cv"});
      case 'S':
        return random_.pick<const char*>({"", ".wb", ".cg", ".cs", ".wt"});
      default:
        return {};
    }
  }
  RandomSource& random_;
  std::string_view type_;
};

std::vector<std::string> one_of(RandomSource& random, std::span<const Form> forms) {
  const Form& form = forms[random.below(static_cast<std::uint32_t>(forms.size()))];
  const auto count = static_cast<std::uint32_t>(std::count(form.types.begin(), form.types.end(), ' ') + 1);
  std::string_view rest = form.types;
  for (std::uint32_t skip = random.below(count); skip > 0; --skip) rest = rest.substr(rest.find(' ') + 1);
  return split_instructions(Filler(random, rest.substr(0, rest.find(' '))).fill(form.pattern));
}

/// Whether an integer type holds all values of another: then a conversion has no .sat.
bool holds_all_of(std::string_view to, std::string_view from) {
  if (from[0] == 's') return to[0] == 's' && bits_of(to) >= bits_of(from);
  return bits_of(to) >= bits_of(from) + (to[0] == 's' ? 1 : 0);
}

/// cvt between any two types, with registers that may be wider than an integer type.
std::string random_conversion(RandomSource& random) {
  constexpr std::array<std::string_view, 11> kTypes{"u8",  "s8",  "u16", "s16", "u32", "s32",
                                                    "u64", "s64", "f16", "f32", "f64"};
  const std::string_view to = kTypes[random.below(kTypes.size())];
  const std::string_view from = kTypes[random.below(kTypes.size())];
  const bool single = to == "f32" || from == "f32";
  std::string modifiers;
  const auto rounding = [&] { return random.pick<const char*>({".rn", ".rz", ".rm", ".rp"}); };
  const auto integral = [&] { return random.pick<const char*>({".rni", ".rzi", ".rmi", ".rpi"}); };
  if (is_float(to)) {
    if (!is_float(from) || bits_of(to) < bits_of(from))
      modifiers = rounding();
    else if (to == from && random.chance(70))
      modifiers = integral();
  } else if (is_float(from)) {
    modifiers = integral();
  }
  if (single && (is_float(to) || is_float(from)) && random.chance(30)) modifiers += ".ftz";
  const bool saturates = is_float(to) || is_float(from) || !holds_all_of(to, from);
  if (saturates && random.chance(20)) modifiers += ".sat";
  const auto holder = [&](std::string_view type) {
    Pool pool = pool_of(type);
    if (!is_float(type) && random.chance(30))
      pool = bits_of(type) < 32 && random.chance(50) ? Pool{"%r", kWords} : Pool{"%w", kLongs};
    return fmt::format("{}{}", pool.prefix, random.below(pool.count));
  };
  return fmt::format("cvt{}.{}.{} {}, {};", modifiers, to, from, holder(to), holder(from));
}

}  // namespace

std::vector<std::string> random_operation(RandomSource& random) {
  const std::uint32_t kind = random.below(100);
  if (kind < 25) return one_of(random, kIntegerForms);
  if (kind < 42) return one_of(random, kBitForms);
  if (kind < 60) return one_of(random, kFloatForms);
  if (kind < 68) return one_of(random, kHalfForms);
  if (kind < 72) return one_of(random, kNarrowForms);
  if (kind < 86) return one_of(random, kGeneralForms);
  return {random_conversion(random)};
}

std::vector<std::string> random_own_access(RandomSource& random, bool shared) {
  if (shared && random.chance(30)) return one_of(random, kSharedForms);
  return one_of(random, kAccessForms);
}

std::vector<std::string> random_warp_operation(RandomSource& random) { return one_of(random, kWarpForms); }

}  // namespace heddle::generator
