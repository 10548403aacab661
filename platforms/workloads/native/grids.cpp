// In the character of fft (rows of a matrix, transposed between passes), ocean (red-black relaxation with barriers) and radix
// (counting sort by digits).
#include <cmath>
#include <utility>

#include "native.h"

namespace native {
namespace {

unsigned points;  ///< of a row
std::vector<double> real, imaginary, other_real, other_imaginary;

void prepare_fft(unsigned threads, unsigned size) {
  points = 16;
  while (points < threads * size) points *= 2;
  const std::size_t n = std::size_t{points} * points;
  real.resize(n);
  imaginary.assign(n, 0);
  other_real.resize(n);
  other_imaginary.resize(n);
  for (std::size_t i = 0; i < n; ++i) real[i] = std::sin(0.1 * static_cast<double>(i));
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
        const double angle = -3.141592653589793 * k / half;
        const double c = std::cos(angle), s = std::sin(angle);
        double &ar = re[start + k], &ai = im[start + k], &br = re[start + k + half],
               &bi = im[start + k + half];
        const double tr = c * br - s * bi, ti = c * bi + s * br;
        br = ar - tr;
        bi = ai - ti;
        ar += tr;
        ai += ti;
      }
}
void fft(unsigned t, unsigned threads) {
  for (unsigned row = t; row < points; row += threads)
    transform(&real[std::size_t{row} * points], &imaginary[std::size_t{row} * points]);
  barrier();
  for (unsigned row = t; row < points; row += threads)
    for (unsigned column = 0; column < points; ++column) {
      other_real[std::size_t{row} * points + column] = real[std::size_t{column} * points + row];
      other_imaginary[std::size_t{row} * points + column] = imaginary[std::size_t{column} * points + row];
    }
  barrier();
  for (unsigned row = t; row < points; row += threads)
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
void ocean(unsigned t, unsigned threads) {
  const unsigned rows = (side - 2) / threads;
  double change = 0;
  for (int sweep = 0; sweep < 3; ++sweep)
    for (unsigned colour = 0; colour < 2; ++colour) {
      for (unsigned y = 1 + t * rows; y < 1 + (t + 1) * rows; ++y)
        for (unsigned x = 1 + ((y + colour) & 1); x < side - 1; x += 2) {
          double& v = ocean_grid[std::size_t{y} * side + x];
          const double next =
              0.25 * (ocean_grid[std::size_t{y} * side + x - 1] + ocean_grid[std::size_t{y} * side + x + 1] +
                      ocean_grid[std::size_t{y - 1} * side + x] + ocean_grid[std::size_t{y + 1} * side + x]);
          const double d = next - v;
          if (d > 0.01 || d < -0.01) change += d * d;
          v = next;
        }
      barrier();
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
    std::uint32_t* mine = &counts[std::size_t{t} * 16];
    for (int d = 0; d < 16; ++d) mine[d] = 0;
    for (std::size_t i = t * each; i < (t + 1) * each; ++i) ++mine[(from[i] >> shift) & 15];
    barrier();
    std::uint32_t position[16], before = 0;
    for (unsigned d = 0; d < 16; ++d)
      for (unsigned other = 0; other < threads; ++other) {
        if (other == t) position[d] = before;
        before += counts[std::size_t{other} * 16 + d];
      }
    for (std::size_t i = t * each; i < (t + 1) * each; ++i) to[position[(from[i] >> shift) & 15]++] = from[i];
    barrier();
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
