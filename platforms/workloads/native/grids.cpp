// In the character of fft (rows of a matrix, transposed between passes), ocean (red-black relaxation with barriers) and radix
// (counting sort by digits).
#include <cmath>
#include <utility>

#include "native.h"

namespace native {
namespace {

unsigned points;  ///< of a row
std::vector<double> real, imaginary, other_real, other_imaginary, cosine, sine;

void prepare_fft(unsigned threads, unsigned size) {
  points = 16;
  while (points < threads * size) points *= 2;
  const std::size_t n = std::size_t{points} * points;
  real.resize(n);
  imaginary.assign(n, 0);
  other_real.resize(n);
  other_imaginary.resize(n);
  for (std::size_t i = 0; i < n; ++i) real[i] = std::sin(0.1 * static_cast<double>(i));
  cosine.resize(points);
  sine.resize(points);
  for (unsigned k = 0; k < points; ++k) {
    cosine[k] = std::cos(-3.141592653589793 * 2 * k / points);
    sine[k] = std::sin(-3.141592653589793 * 2 * k / points);
  }
}
NATIVE_NOINLINE unsigned reversed(unsigned k, unsigned bits) {
  unsigned r = 0;
  for (unsigned b = 0; b < bits; ++b) r = (r << 1) | ((k >> b) & 1);
  return r;
}
NATIVE_NOINLINE void transform(double* re, double* im) {
  unsigned bits = 0;
  while ((1u << bits) < points) ++bits;
  for (unsigned k = 0; k < points; ++k) {
    const unsigned r = reversed(k, bits);
    if (r > k) {
      std::swap(re[k], re[r]);
      std::swap(im[k], im[r]);
    }
  }
  for (unsigned half = 1; half < points; half *= 2)
    for (unsigned start = 0; start < points; start += 2 * half)
      for (unsigned k = 0; k < half; ++k) {
        const unsigned root = k * (points / (2 * half));
        const double c = cosine[root], s = sine[root];
        double &ar = re[start + k], &ai = im[start + k], &br = re[start + k + half],
               &bi = im[start + k + half];
        const double tr = c * br - s * bi, ti = c * bi + s * br;
        br = ar - tr;
        bi = ai - ti;
        ar += tr;
        ai += ti;
      }
}
/// The blocks of the threads behind this one, then those before it, so that not all read from one.
NATIVE_NOINLINE void transpose(unsigned t, unsigned threads) {
  const unsigned each = points / threads;
  const auto block = [&](unsigned from) {
    for (unsigned row = t * each; row < (t + 1) * each; ++row)
      for (unsigned column = from * each; column < (from + 1) * each; ++column) {
        other_real[std::size_t{row} * points + column] = real[std::size_t{column} * points + row];
        other_imaginary[std::size_t{row} * points + column] = imaginary[std::size_t{column} * points + row];
      }
  };
  for (unsigned from = t + 1; from < threads; ++from) block(from);
  for (unsigned from = 0; from <= t; ++from) block(from);
}
void fft(unsigned t, unsigned threads) {
  const unsigned each = points / threads;
  splash_barrier();
  phase(t, 0);
  for (unsigned row = t * each; row < (t + 1) * each; ++row)
    transform(&real[std::size_t{row} * points], &imaginary[std::size_t{row} * points]);
  splash_barrier();
  phase(t, 1);
  transpose(t, threads);
  splash_barrier();
  phase(t, 2);
  for (unsigned row = t * each; row < (t + 1) * each; ++row)
    transform(&other_real[std::size_t{row} * points], &other_imaginary[std::size_t{row} * points]);
  sink[t] = static_cast<std::uint64_t>(std::fabs(other_real[std::size_t{t} % points * points]) * 1e6);
}

unsigned side;
std::vector<double> ocean_grid;
void prepare_ocean(unsigned threads, unsigned size) {
  side = threads * 2 * size + 2;
  ocean_grid.resize(std::size_t{side} * side);
  Random random(55);
  for (double& v : ocean_grid) v = random.uniform();
}
NATIVE_NOINLINE void border(double* row, const double* inner) {
  for (unsigned x = 0; x < side; ++x) row[x] = 0.5 * (row[x] + inner[x]);
}
NATIVE_NOINLINE double relax(unsigned first, unsigned last, unsigned colour) {
  double change = 0;
  for (unsigned y = first; y < last; ++y)
    for (unsigned x = 1 + ((y + colour) & 1); x < side - 1; x += 2) {
      double& v = ocean_grid[std::size_t{y} * side + x];
      const double next =
          0.25 * (ocean_grid[std::size_t{y} * side + x - 1] + ocean_grid[std::size_t{y} * side + x + 1] +
                  ocean_grid[std::size_t{y - 1} * side + x] + ocean_grid[std::size_t{y + 1} * side + x]);
      const double d = next - v;
      if (d > 0.01 || d < -0.01) change += d * d;
      v = next;
    }
  return change;
}
void ocean(unsigned t, unsigned threads) {
  const unsigned rows = (side - 2) / threads;
  double change = 0;
  for (unsigned sweep = 0; sweep < 3; ++sweep) {
    phase(t, sweep);
    // The first and the last thread have the borders as well; in line, as in native.h.
    if (__builtin_expect(t == 0, true)) border(&ocean_grid[0], &ocean_grid[side]);
    if (__builtin_expect(t == threads - 1, true))
      border(&ocean_grid[std::size_t{side - 1} * side], &ocean_grid[std::size_t{side - 2} * side]);
    splash_barrier();
    for (unsigned colour = 0; colour < 2; ++colour) {
      change += relax(1 + t * rows, 1 + (t + 1) * rows, colour);
      splash_barrier();
    }
  }
  sink[t] = static_cast<std::uint64_t>(change * 1e9);
}

std::vector<std::uint32_t> keys, sorted, counts;
void prepare_radix(unsigned threads, unsigned size) {
  Random random(66);
  keys.resize(std::size_t{threads} * 96 * size);
  sorted.resize(keys.size());
  counts.assign(std::size_t{threads} * 16, 0);
  for (std::uint32_t& k : keys) k = random.next() & 0xfff;
}
void radix(unsigned t, unsigned threads) {
  const std::size_t each = keys.size() / threads;
  std::uint32_t *from = keys.data(), *to = sorted.data();
  for (unsigned shift = 0; shift < 12; shift += 4) {
    phase(t, shift);
    std::uint32_t* mine = &counts[std::size_t{t} * 16];
    for (int d = 0; d < 16; ++d) mine[d] = 0;
    for (std::size_t i = t * each; i < (t + 1) * each; ++i) ++mine[(from[i] >> shift) & 15];
    splash_barrier();
    std::uint32_t position[16], before = 0;
    for (unsigned d = 0; d < 16; ++d)
      for (unsigned other = 0; other < threads; ++other) {
        if (other == t) position[d] = before;
        before += counts[std::size_t{other} * 16 + d];
      }
    for (std::size_t i = t * each; i < (t + 1) * each; ++i) to[position[(from[i] >> shift) & 15]++] = from[i];
    splash_barrier();
    std::swap(from, to);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = t * each; i < (t + 1) * each; ++i) sum = sum * 31 + from[i];
  sink[t] = sum;
}

}  // namespace

const std::vector<Kernel>& grid_kernels() {
  static const std::vector<Kernel> all = {{"fft", "transforms of rows, transposed between", prepare_fft, fft},
                                          {"ocean", "red-black relaxation", prepare_ocean, ocean},
                                          {"radix", "radix sort", prepare_radix, radix}};
  return all;
}

}  // namespace native
