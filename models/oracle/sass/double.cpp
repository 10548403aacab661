// Double precision.
#include <bit>
#include <cmath>
#include <initializer_list>

#include "oracle/bits.h"
#include "oracle/rounding.h"
#include "oracle/sass/compare.h"
#include "oracle/sass/lane.h"
#include "oracle/sass/rounding_mode.h"

namespace heddle::oracle::machine_code {
namespace {

double double_input(const Values& v, Role role) { return std::bit_cast<double>(v.double_bits(role)); }

/// Without sign modifiers, which a NaN does not follow.
std::uint64_t unsigned_bits(const Values& v, Role role) {
  const bool immediate = v.op().find(role)->kind == Operand::Kind::kImmediate;
  return immediate ? std::uint64_t{v.word(role)} << 32 : v.pair(role);
}

/// A NaN operand is the result, quiet, with its own sign and payload; of several B, then C, then A (measured on an H200).
/// `roles`: the last one that is a NaN.
void finish_double(Values& v, double value, std::initializer_list<Role> roles) {
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51;
  if (!std::isnan(value)) return v.set_pair(bits_of(value));
  std::uint64_t result = float_result(value);
  for (const Role role : roles)
    if (std::isnan(double_input(v, role))) result = unsigned_bits(v, role) | kQuiet;
  v.set_pair(result);
}

void dadd(Values& v) {
  // DADD counts its second source as C.
  const Role second = v.op().find(Role::kC) != nullptr ? Role::kC : Role::kB;
  finish_double(v, rounded_add(double_input(v, Role::kA), double_input(v, second), rounding_of(v)),
                {Role::kA, second});
}

void dmul(Values& v) {
  finish_double(v, rounded_mul(double_input(v, Role::kA), double_input(v, Role::kB), rounding_of(v)),
                {Role::kA, Role::kB});
}

void dfma(Values& v) {
  finish_double(v,
                rounded_fma(double_input(v, Role::kA), double_input(v, Role::kB), double_input(v, Role::kC),
                            rounding_of(v)),
                {Role::kA, Role::kC, Role::kB});
}

/// MIN and MAX say whether the first operand is to be chosen; the second predicate, whether both are NaNs.
void choose(Values& v, bool least) {
  const double a = double_input(v, Role::kA), b = double_input(v, Role::kB);
  bool first = std::isnan(b) && !std::isnan(a);
  if (a == b)
    first = std::signbit(a) != std::signbit(b) && std::signbit(a) == least;  // -0 is below +0
  else if (!std::isnan(a) && !std::isnan(b))
    first = (a < b) == least;
  const bool pin = v.predicate(Role::kPs0);
  const unsigned how = v.code(Modifier::kCombine);
  v.set_predicate(Role::kPd0, combined(how, first, pin));
  v.set_predicate(Role::kPd1, combined(how, std::isnan(a) && std::isnan(b), pin));
}

void dsetp(Values& v) {
  enum : unsigned { kMin = 0, kMax = 15 };
  const unsigned compare = v.code(Modifier::kCompare);
  if (compare == kMin || compare == kMax) return choose(v, compare == kMin);
  set_both(v, holds(compare, order_of(double_input(v, Role::kA), double_input(v, Role::kB))));
}

}  // namespace

LaneFunction double_function(Opcode op) {
  switch (op) {
    case Opcode::kDadd:
      return dadd;
    case Opcode::kDmul:
      return dmul;
    case Opcode::kDfma:
      return dfma;
    case Opcode::kDsetp:
      return dsetp;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
