// Micro-kernels after Appendix B: control flow of a few blocks around code that is big enough to be worth sharing.
#include <cmath>

#include "native.h"

namespace native {
namespace {

/// "Big function": some two hundred instructions without a branch that depends on the thread.
NATIVE_NOINLINE std::uint64_t big(std::uint64_t x) {
  for (int i = 0; i < 20; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    x += 0x9e37;
  }
  return x;
}
NATIVE_NOINLINE std::uint64_t small_one(std::uint64_t x) { return x * 3 + 1; }
NATIVE_NOINLINE std::uint64_t small_two(std::uint64_t x) { return (x ^ 5) + 2; }
/// The same amount of code in place.
#define BIG_CODE(x)                       \
  for (int big_ = 0; big_ < 20; ++big_) { \
    x ^= x << 13;                         \
    x ^= x >> 7;                          \
    x ^= x << 17;                         \
    x += 0x79b9;                          \
  }

void loop_01(unsigned t, unsigned) {
  std::uint64_t x = t;
  for (unsigned i = 0; i <= t; ++i) BIG_CODE(x);
  BIG_CODE(x);
  sink[t] = x;
}

NATIVE_NOINLINE std::uint64_t factorial_before(unsigned n, std::uint64_t x) {
  if (n == 0) return x + 1;
  BIG_CODE(x);
  return n * factorial_before(n - 1, x);
}
NATIVE_NOINLINE std::uint64_t factorial_after(unsigned n, std::uint64_t x) {
  if (n == 0) return x + 1;
  std::uint64_t r = n * factorial_after(n - 1, x);
  BIG_CODE(r);
  return r;
}
NATIVE_NOINLINE std::uint64_t factorial_start(unsigned n, std::uint64_t x) {
  BIG_CODE(x);
  if (n == 0) return x;
  return n * factorial_start(n - 1, x);
}
NATIVE_NOINLINE std::uint64_t factorial_join(unsigned n, std::uint64_t x) {
  std::uint64_t r = x + 1;
  if (n != 0) r = n * factorial_join(n - 1, x);
  BIG_CODE(r);
  return r;
}
void recursion_02a(unsigned t, unsigned) { sink[t] = factorial_before(t, 1); }
void recursion_02b(unsigned t, unsigned) { sink[t] = factorial_after(t, 1); }
void recursion_02c(unsigned t, unsigned) { sink[t] = factorial_start(t, 1); }
void recursion_02d(unsigned t, unsigned) { sink[t] = factorial_join(t, 1); }

NATIVE_NOINLINE std::uint64_t fibonacci(unsigned n, std::uint64_t* memo) {
  if (n < 2) return n;
  if (memo[n] != 0) return memo[n];
  std::uint64_t r = fibonacci(n - 1, memo) + fibonacci(n - 2, memo);
  BIG_CODE(r);
  return memo[n] = r;
}
void recursion_03(unsigned t, unsigned) {
  std::uint64_t memo[80] = {};
  sink[t] = fibonacci(t + 2, memo);
}

void both_arms_04(unsigned t, unsigned) {
  std::uint64_t x = t;
  if (t % 2 == 0)
    x = big(x + 1) * 3;
  else
    x = big(x * 5) + 7;
  sink[t] = x;
}
void three_way_05(unsigned t, unsigned) {
  std::uint64_t x = t;
  if (t % 3 == 0)
    x = big(x + 1) * 3;
  else if (t % 3 == 1)
    x = big(x * 5) + 7;
  else
    x ^= 0x55;
  BIG_CODE(x);
  sink[t] = x;
}
void break_06(unsigned t, unsigned) {
  std::uint64_t x = t;
  for (unsigned i = 0;; ++i) {
    if (i == t) {
      x = big(x + i);
      break;
    }
    x = x * 3 + i;
  }
  sink[t] = x;
}
void break_07(unsigned t, unsigned) {
  std::uint64_t x = t;
  for (unsigned i = 0; i < 12; ++i) {
    if (i == t) {
      x = big(x + i);
      break;
    }
    x = x * 3 + i;
  }
  sink[t] = x;
}
void break_08(unsigned t, unsigned) {
  std::uint64_t x = t;
  for (unsigned i = 0; i < 12; ++i) {
    if ((x & 15) == 7) break;
    x = x * 5 + i;
  }
  BIG_CODE(x);
  sink[t] = x;
}
template <bool kInline, bool kBefore>
void continue_in(unsigned t, unsigned) {
  std::uint64_t x = t;
  for (unsigned i = 0; i < 12; ++i) {
    if (kBefore && ((i ^ t) & 1) != 0) {
      x += i;
      continue;
    }
    if constexpr (kInline) {
      BIG_CODE(x);
    } else {
      x = big(x);
    }
    if (!kBefore && ((i ^ t) & 1) != 0) continue;
    x = x * 7 + i;
  }
  sink[t] = x;
}
void if_13(unsigned t, unsigned) {
  std::uint64_t x = t;
  if ((t & 1) != 0) x = big(x);
  BIG_CODE(x);
  sink[t] = x;
}
void if_15(unsigned t, unsigned) {
  std::uint64_t x = t;
  if ((t & 1) != 0) BIG_CODE(x);
  x *= 3;
  BIG_CODE(x);
  sink[t] = x;
}
void distant_14(unsigned t, unsigned) {
  std::uint64_t x = t;
  bool d = true;
  if ((t & 1) != 0) {
    d = (t & 2) != 0;
  } else {
    x = small_one(x);
  }
  if (d) BIG_CODE(x);
  sink[t] = x;
}
using Function = std::uint64_t (*)(std::uint64_t);
void indirect_16(unsigned t, unsigned) {
  static const Function table[] = {small_one, small_two};
  std::uint64_t x = t;
  for (unsigned i = 0; i < 8; ++i) {
    x = table[(t + i) & 1](x);
    BIG_CODE(x);
  }
  sink[t] = x;
}
void parity_17(unsigned t, unsigned) {
  std::uint64_t x = t;
  for (unsigned i = 0; i < 40; ++i)
    if (((i + t) & 1) == 0) x = big(x);
  sink[t] = x;
}
template <int kFrame>
NATIVE_NOINLINE std::uint64_t through_one(std::uint64_t x) {
  volatile std::uint64_t frame[kFrame];
  frame[x % kFrame] = x;
  return big(frame[x % kFrame]) + 1;
}
template <int kFrame>
NATIVE_NOINLINE std::uint64_t through_two(std::uint64_t x) {
  volatile std::uint64_t frame[kFrame];
  frame[x % kFrame] = x + 2;
  return big(frame[x % kFrame]) * 3;
}
template <int kOne, int kTwo>
void virtual_21(unsigned t, unsigned) {
  static const Function table[] = {through_one<kOne>, through_two<kTwo>};
  sink[t] = table[t & 1](t);
}
template <int kFrame>
void virtual_22(unsigned t, unsigned) {
  static const Function table[] = {big, through_one<kFrame>};
  sink[t] = table[t & 1](t);
}
template <int kOne, int kTwo>
void direct_23(unsigned t, unsigned) {
  sink[t] = (t & 1) != 0 ? through_one<kOne>(t) : through_two<kTwo>(t);
}
template <int kFrame>
void direct_24(unsigned t, unsigned) {
  sink[t] = (t & 1) != 0 ? big(t) : through_two<kFrame>(t);
}

/// What SPLASH-2's programs do between phases: one thread calls what lies behind all code of the program.
void one_calls_25(unsigned t, unsigned) {
  double y = t;
  if (__builtin_expect(t == 0, true)) y = std::nextafter(y, 3.0);
  auto x = static_cast<std::uint64_t>(y + 1);
  for (int i = 0; i < 20; ++i) BIG_CODE(x);
  sink[t] = x;
}

}  // namespace

const std::vector<Kernel>& micro_kernels() {
  static const std::vector<Kernel> all = {
      {"01", "loop with the thread's trip count, big code after it", nullptr, loop_01},
      {"02a", "recursion to the thread's depth, big code before the call", nullptr, recursion_02a},
      {"02b", "the same, behind the call", nullptr, recursion_02b},
      {"02c", "the same, at the function's start", nullptr, recursion_02c},
      {"02d", "the same, at the join", nullptr, recursion_02d},
      {"03", "double recursion with a memory", nullptr, recursion_03},
      {"04", "both arms call the big function", nullptr, both_arms_04},
      {"05", "two of three arms call it, big code after", nullptr, three_way_05},
      {"06", "loop left by break after a call of the big function", nullptr, break_06},
      {"07", "the same, of a bounded loop", nullptr, break_07},
      {"08", "loop with break, big code after", nullptr, break_08},
      {"09", "continue after the big function", nullptr, continue_in<false, false>},
      {"10", "continue before the big function", nullptr, continue_in<false, true>},
      {"11", "continue after big code", nullptr, continue_in<true, false>},
      {"12", "continue before big code", nullptr, continue_in<true, true>},
      {"13", "if without else calls the big function, big code after", nullptr, if_13},
      {"14", "a join that is no post-dominator", nullptr, distant_14},
      {"15", "if without else with big code, big code after", nullptr, if_15},
      {"16", "indirect calls of two small functions, big code after", nullptr, indirect_16},
      {"17", "the big function at alternate iterations", nullptr, parity_17},
      {"21a", "indirect calls of two functions that call the big one, equal frames", nullptr,
       virtual_21<4, 4>},
      {"21b", "the same, the second frame larger", nullptr, virtual_21<4, 32>},
      {"21c", "the same, the first frame larger", nullptr, virtual_21<32, 4>},
      {"22a", "the big function, or through another one with a small frame", nullptr, virtual_22<2>},
      {"22b", "the same with a medium frame", nullptr, virtual_22<16>},
      {"22c", "the same with a large frame", nullptr, virtual_22<64>},
      {"23a", "as 21a with direct calls", nullptr, direct_23<5, 5>},
      {"23b", "as 21b with direct calls", nullptr, direct_23<5, 33>},
      {"23c", "as 21c with direct calls", nullptr, direct_23<33, 5>},
      {"24a", "as 22a with direct calls", nullptr, direct_24<3>},
      {"24b", "as 22b with direct calls", nullptr, direct_24<17>},
      {"24c", "as 22c with direct calls", nullptr, direct_24<65>},
      {"25", "one thread calls the library, big code after", nullptr, one_calls_25},
  };
  return all;
}

}  // namespace native
