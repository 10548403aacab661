#include "oracle/rounding.h"

#include <cfenv>
#include <cmath>

namespace heddle::oracle {

namespace {

int host_mode(Rounding mode) {
  switch (mode) {
    case Rounding::kNearest:
      return FE_TONEAREST;
    case Rounding::kZero:
      return FE_TOWARDZERO;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kUp:
      return FE_UPWARD;
  }
  return FE_TONEAREST;
}

class ScopedMode {
 public:
  explicit ScopedMode(Rounding mode) { std::fesetround(host_mode(mode)); }
  ~ScopedMode() { std::fesetround(FE_TONEAREST); }
  ScopedMode(const ScopedMode&) = delete;
  ScopedMode& operator=(const ScopedMode&) = delete;
};

// Compilers may move arithmetic across fesetround(); volatile inputs and results keep it in between.
template <class R, class A, class Fn>
R under_mode(Rounding mode, A a, Fn fn) {
  volatile A in = a;
  volatile R out{};
  {
    const ScopedMode scope(mode);
    out = fn(static_cast<A>(in));
  }
  return out;
}

template <class R, class A, class Fn>
R under_mode(Rounding mode, A a, A b, Fn fn) {
  volatile A in[2] = {a, b};
  volatile R out{};
  {
    const ScopedMode scope(mode);
    out = fn(static_cast<A>(in[0]), static_cast<A>(in[1]));
  }
  return out;
}

}  // namespace

template <class F>
F rounded_add(F a, F b, Rounding mode) {
  if (mode == Rounding::kNearest) return a + b;
  return under_mode<F>(mode, a, b, [](F x, F y) { return x + y; });
}

template <class F>
F rounded_mul(F a, F b, Rounding mode) {
  if (mode == Rounding::kNearest) return a * b;
  return under_mode<F>(mode, a, b, [](F x, F y) { return x * y; });
}

template <class F>
F rounded_fma(F a, F b, F c, Rounding mode) {
  if (mode == Rounding::kNearest) return std::fma(a, b, c);
  volatile F third = c;
  return under_mode<F>(mode, a, b, [&third](F x, F y) { return std::fma(x, y, static_cast<F>(third)); });
}

template <class F>
F rounded_div(F a, F b, Rounding mode) {
  if (mode == Rounding::kNearest) return a / b;
  return under_mode<F>(mode, a, b, [](F x, F y) { return x / y; });
}

template <class F>
F rounded_sqrt(F a, Rounding mode) {
  if (mode == Rounding::kNearest) return std::sqrt(a);
  return under_mode<F>(mode, a, [](F x) { return std::sqrt(x); });
}

float rounded_narrow(double a, Rounding mode) {
  if (mode == Rounding::kNearest) return static_cast<float>(a);
  return under_mode<float>(mode, a, [](double x) { return static_cast<float>(x); });
}

template <class F>
F rounded_from_signed(std::int64_t a, Rounding mode) {
  if (mode == Rounding::kNearest) return static_cast<F>(a);
  return under_mode<F>(mode, a, [](std::int64_t x) { return static_cast<F>(x); });
}

// Below 2^63 the signed conversion is exact in every mode. Above it, halving with a sticky lowest bit and
// doubling is exact, because the dropped bit is far below the last bit kept.
template <class F>
F rounded_from_unsigned(std::uint64_t a, Rounding mode) {
  if (a >> 63 == 0) return rounded_from_signed<F>(static_cast<std::int64_t>(a), mode);
  return F{2} * rounded_from_signed<F>(static_cast<std::int64_t>((a >> 1) | (a & 1)), mode);
}

template float rounded_add(float, float, Rounding);
template double rounded_add(double, double, Rounding);
template float rounded_mul(float, float, Rounding);
template double rounded_mul(double, double, Rounding);
template float rounded_fma(float, float, float, Rounding);
template double rounded_fma(double, double, double, Rounding);
template float rounded_div(float, float, Rounding);
template double rounded_div(double, double, Rounding);
template float rounded_sqrt(float, Rounding);
template double rounded_sqrt(double, Rounding);
template float rounded_from_signed(std::int64_t, Rounding);
template double rounded_from_signed(std::int64_t, Rounding);
template float rounded_from_unsigned(std::uint64_t, Rounding);
template double rounded_from_unsigned(std::uint64_t, Rounding);

}  // namespace heddle::oracle
