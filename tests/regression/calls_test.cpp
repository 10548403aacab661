// Functions on the GPU as nvcc and clang compile them (tests/data/calls): results against plain C++ on the
// CPU, on a tiny platform and a big one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "calls_support.h"

namespace heddle::calls::calls_test {
namespace {

std::uint32_t fib(std::uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
std::uint32_t ackermann(std::uint32_t m, std::uint32_t n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

struct Node {
  std::int32_t left, right, value;
};

std::int32_t walk(const std::vector<Node>& nodes, std::int32_t at, std::int32_t depth) {
  if (at < 0) return 0;
  const Node& node = nodes[static_cast<std::size_t>(at)];
  const std::int32_t sum = node.value * depth + walk(nodes, node.left, depth + 1);
  return node.value % 7 == 3 ? sum - 1 : sum + walk(nodes, node.right, depth + 1);
}

std::int32_t dispatch(std::int32_t kind, std::int32_t x) {
  switch (kind) {
    case 0:
      return x + 17;
    case 1:
      return x * 3 - 1;
    case 2:
      return x ^ 0x5555;
    case 3: {
      const std::int32_t n = x & 7;
      return n * (n - 1) / 2 * x;
    }
    case 4:
      return -x;
    case 5:
      return x / 3;
    case 6:
      return x * 4;
    case 7:
      return (x & 1) != 0 ? x + 1 : x - 1;
    case 8:
      return 99;
    default:
      return 7 * x;
  }
}

std::int32_t queens(std::int32_t n, std::vector<std::int32_t>& columns) {
  const auto row = static_cast<std::int32_t>(columns.size());
  if (row == n) return 1;
  std::int32_t found = 0;
  for (std::int32_t c = 0; c < n; ++c) {
    bool free = true;
    for (std::int32_t k = 0; k < row; ++k) {
      const std::int32_t other = columns[static_cast<std::size_t>(k)];
      free = free && other != c && std::abs(other - c) != row - k;
    }
    if (!free) continue;
    columns.push_back(c);
    found += queens(n, columns);
    columns.pop_back();
  }
  return found;
}
class Compiled : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Compiled, functions_compute_what_the_cpu_does) {
  Machine m(std::get<0>(GetParam()), {});
  m.load(std::string("calls.") + std::get<1>(GetParam()));
  using I = std::int32_t;
  using U = std::uint32_t;

  {
    const auto in = table<U>(kThreads, [](I i) { return static_cast<U>(i % 11); });
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("fibonacci", Args().add(m.up(in)).add(out));
    EXPECT_EQ(m.down<U>(out), table<U>(kThreads,
                                       [&](I i) {
                                         const U n = in[static_cast<std::size_t>(i)];
                                         return i % 3 == 0 ? fib(n) + 1000 : 2 * fib(n / 2);
                                       }))
        << "fibonacci";
  }
  {
    constexpr I kLength = 24;
    auto data =
        table<I>(std::size_t{kThreads} * kLength, [](I i) { return (i * 7919 + i / 13 * 104729) % 1009; });
    const std::uint64_t at = m.up(data);
    m.run("sort_segments", Args().add(at).add(kLength));
    for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{kThreads}; ++i)
      std::sort(data.begin() + i * kLength, data.begin() + (i + 1) * kLength - i % 5);
    EXPECT_EQ(m.down<I>(at, data.size()), data) << "sort_segments";
  }
  {
    constexpr I kNodes = 40;
    const auto nodes = table<Node>(kNodes, [](I i) {
      const I left = 2 * i + 1;
      const I right = 3 * i + 2;
      return Node{left < kNodes ? left : -1, right < kNodes ? right : -1, i * 5 % 23};
    });
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("tree_sums", Args().add(m.up(nodes)).add(kNodes).add(out));
    EXPECT_EQ(m.down<I>(out), table<I>(kThreads, [&](I i) { return walk(nodes, i % kNodes, 1); }))
        << "tree_sums";
  }
  {
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("mutual", Args().add(out));
    EXPECT_EQ(m.down<U>(out), table<U>(kThreads,
                                       [](I i) {
                                         const auto n = static_cast<U>(i);
                                         return (n % 13 % 2 == 0 ? 1u : 0u) + 2 * ackermann(n % 3, n % 4) +
                                                (n % 7 % 2 == 1 ? 4096u : 0u);
                                       }))
        << "mutual";
  }
  {
    const auto which = table<I>(kThreads, [](I i) { return i * 3 % 7; });
    const auto values = table<float>(kThreads, [](I i) { return 0.5f * static_cast<float>(i); });
    const std::uint64_t at = m.up(values);
    m.run("pointers", Args().add(m.up(which)).add(at));
    EXPECT_EQ(m.down<float>(at),
              table<float>(kThreads,
                           [&](I i) {
                             float v = values[static_cast<std::size_t>(i)];
                             const float b = 1.5f + static_cast<float>(i);
                             for (I k = 0; k < 3; ++k) {
                               const I op = (which[static_cast<std::size_t>(i)] + k) & 3;
                               v = op == 0 ? v + b : op == 1 ? v - b : op == 2 ? v * b : std::max(v, b);
                             }
                             return v;
                           }))
        << "pointers";
  }
  {
    const auto kinds = table<I>(kThreads, [](I i) { return i * 5 % 11; });
    const auto values = table<I>(kThreads, [](I i) { return i * 17 - 300; });
    const std::uint64_t at = m.up(values);
    m.run("switches", Args().add(m.up(kinds)).add(at));
    EXPECT_EQ(m.down<I>(at), table<I>(kThreads,
                                      [&](I i) {
                                        I v = values[static_cast<std::size_t>(i)];
                                        for (I k = 0; k < 4; ++k)
                                          v = dispatch(kinds[static_cast<std::size_t>(i)] + k, v);
                                        return v;
                                      }))
        << "switches";
  }
  {
    const auto weights = table<double>(kThreads, [](I i) { return 0.125 * i; });
    const std::uint64_t at = m.up(weights);
    const std::uint64_t counts = m.room(kThreads * sizeof(I));
    m.run("structures", Args().add(at).add(counts));
    std::vector<double> want_weights(kThreads);
    std::vector<I> want_counts(kThreads);
    for (I i = 0; i < static_cast<I>(kThreads); ++i) {
      double weight = weights[static_cast<std::size_t>(i)];
      I count[3] = {0, i, 2 * i};
      I tag = i;
      I flag = i % 9;
      const I a = i % 8;
      for (I scale = 1; scale <= 3; ++scale) {
        if (a > 3) count[a % 3] += scale;
        weight = weight * 2 + 0.25f * static_cast<float>(i);
        tag -= scale;
        if (flag <= 5) ++flag;
      }
      want_weights[static_cast<std::size_t>(i)] = weight + tag;
      want_counts[static_cast<std::size_t>(i)] = count[0] + 100 * count[1] + 10000 * count[2] + flag;
    }
    EXPECT_EQ(m.down<double>(at), want_weights) << "structures";
    EXPECT_EQ(m.down<I>(counts), want_counts) << "structures";
  }
  {
    constexpr I kLength = 50;
    const auto data = table<I>(kLength, [](I i) { return i == 37 ? -5 : i * 11 % 64; });
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("searches", Args().add(m.up(data)).add(kLength).add(out));
    EXPECT_EQ(m.down<I>(out), table<I>(kThreads,
                                       [&](I i) {
                                         I sum = 0;
                                         for (I k = 0; k < 6; ++k) {
                                           I at = -1;
                                           for (I s = k; s < kLength && at == -1; ++s)
                                             at = data[static_cast<std::size_t>(s)] == i + k ? s - k
                                                  : data[static_cast<std::size_t>(s)] < 0    ? -2
                                                                                             : -1;
                                           if (at == -2) break;
                                           if (at >= 0) sum += at * (k + 1);
                                         }
                                         return sum;
                                       }))
        << "searches";
  }
  {
    const auto in = table<I>(kThreads, [](I i) { return i * i % 101; });
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("block_sums", Args().add(m.up(in)).add(out));
    EXPECT_EQ(
        m.down<I>(out),
        table<I>(
            kThreads,
            [&](I i) {
              I first = 0;
              I second = 0;
              for (I t = 0; t < static_cast<I>(kBlock); ++t) {
                const I value =
                    in[static_cast<std::size_t>(i / static_cast<I>(kBlock) * static_cast<I>(kBlock) + t)];
                first += value;
                second += value * (t & 3);
              }
              return second - first;
            }))
        << "block_sums";
  }
  {
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("shapes", Args().add(out));
    EXPECT_EQ(m.down<I>(out),
              table<I>(kThreads,
                       [](I i) {
                         const I square = i * i;
                         const I box = i * 3;
                         const I nested = (i % 2 != 0 ? square : box) + 1;
                         I sum = 0;
                         for (I k = 0; k < 3; ++k) {
                           const I by = k + 2;
                           const I shape = (i + k) % 3;
                           sum = sum * 10 + (shape == 0 ? square * by : shape == 1 ? box + by : nested * by);
                         }
                         return sum;
                       }))
        << "shapes";
  }
  {
    const std::uint64_t out = m.room(kThreads * sizeof(I));
    m.run("queens", Args().add(out));
    EXPECT_EQ(m.down<I>(out), table<I>(kThreads,
                                       [](I i) {
                                         std::vector<I> columns;
                                         return queens(1 + i % 5, columns);
                                       }))
        << "queens";
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Compiled,
                         ::testing::Combine(::testing::Values("tiny", "gtx480"),
                                            ::testing::Values("nvcc", "clang")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace heddle::calls::calls_test
