// In the character of blackscholes (option pricing) and swaptions (HJM Monte Carlo): functions of floating-point numbers on
// independent data.
#include <cmath>

#include "native.h"

namespace native {
namespace {

struct Option {
  double spot, strike, rate, volatility, time;
  bool put;
};
std::vector<Option> options;
std::vector<double> prices;

void prepare_options(unsigned threads, unsigned size) {
  Random random(7);
  options.resize(std::size_t{threads} * 24 * size);
  prices.resize(options.size());
  for (Option& o : options)
    o = {50 + 100 * random.uniform(),   50 + 100 * random.uniform(), 0.01 + 0.09 * random.uniform(),
         0.05 + 0.6 * random.uniform(), 0.1 + 2 * random.uniform(),  (random.next() & 1) != 0};
}

/// Cumulative normal distribution, as polynomial.
NATIVE_NOINLINE double normal(double x) {
  const bool negative = x < 0;
  if (negative) x = -x;
  const double k = 1 / (1 + 0.2316419 * x);
  const double poly =
      k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double value = 1 - 0.3989422804014327 * std::exp(-0.5 * x * x) * poly;
  return negative ? 1 - value : value;
}
NATIVE_NOINLINE double price(const Option& o) {
  const double root = std::sqrt(o.time);
  const double d1 = (std::log(o.spot / o.strike) + (o.rate + 0.5 * o.volatility * o.volatility) * o.time) /
                    (o.volatility * root);
  const double d2 = d1 - o.volatility * root;
  const double discounted = o.strike * std::exp(-o.rate * o.time);
  const double n1 = normal(d1), n2 = normal(d2);
  if (o.put) return discounted * (1 - n2) - o.spot * (1 - n1);
  return o.spot * n1 - discounted * n2;
}
void black_scholes(unsigned t, unsigned threads) {
  const std::size_t each = options.size() / threads;
  double sum = 0;
  for (std::size_t i = t * each; i < (t + 1) * each; ++i) sum += prices[i] = price(options[i]);
  sink[t] = static_cast<std::uint64_t>(sum * 1e6);
}

constexpr int kSteps = 8;
unsigned trials;
void prepare_swaptions(unsigned, unsigned size) { trials = 6 * size; }

/// Inverse of the normal distribution (central part and tails by different formulas).
NATIVE_NOINLINE double inverse_normal(double u) {
  const double y = u - 0.5;
  if (std::fabs(y) < 0.42) {
    const double r = y * y;
    return y * (((-25.44106049637 * r + 41.39119773534) * r - 18.61500062529) * r + 2.50662823884) /
           ((((3.13082909833 * r - 21.06224101826) * r + 23.08336743743) * r - 8.47351093090) * r + 1);
  }
  double r = y > 0 ? 1 - u : u;
  r = std::log(-std::log(r));
  const double x =
      0.3374754822726147 + r * (0.9761690190917186 + r * (0.1607979714918209 + r * 0.0276438810333863));
  return y < 0 ? -x : x;
}
NATIVE_NOINLINE void simulate(double* forward, Random& random, double volatility) {
  for (int step = 1; step < kSteps; ++step) {
    const double shock = inverse_normal(random.uniform() * 0.9998 + 0.0001);
    for (int i = step; i < kSteps; ++i)
      forward[i] += volatility * volatility * 0.05 * (i - step) + volatility * shock * 0.2236;
  }
}
void swaptions(unsigned t, unsigned) {
  Random random(t + 11);
  const double volatility = 0.02 + 0.002 * t, strike = 0.05 + 0.001 * (t % 5);
  double sum = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    double forward[kSteps];
    for (double& f : forward) f = 0.05;
    simulate(forward, random, volatility);
    double value = 0, discount = 1;
    for (int i = 0; i < kSteps; ++i) {
      discount *= std::exp(-forward[i] * 0.25);
      value += discount * (forward[i] - strike) * 0.25;
    }
    if (value > 0) sum += value;  // exercised
  }
  sink[t] = static_cast<std::uint64_t>(sum * 1e9);
}

}  // namespace

const std::vector<Kernel>& finance_kernels() {
  static const std::vector<Kernel> all = {
      {"blacks", "option pricing by a formula", prepare_options, black_scholes},
      {"swapt", "swaption pricing by simulation", prepare_swaptions, swaptions}};
  return all;
}

}  // namespace native
