// CUDA's intrinsics of the warp as nvcc and clang (with platforms/workloads/cuda_lite.h) compile them:
// tests/data/warp. The expected results follow the CUDA C++ Programming Guide, computed here for every lane.
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::warp_intrinsics_test {
namespace {

constexpr std::uint32_t kBlock = 64;
constexpr std::uint32_t kWarp = 32;

using Row = std::vector<std::uint64_t>;

std::vector<std::int32_t> inputs() {
  std::vector<std::int32_t> values(kBlock);
  for (std::uint32_t i = 0; i < kBlock; ++i) values[i] = static_cast<std::int32_t>((i * 37 + 5) % 101);
  values[40] = 7;  // in the second warp only
  for (std::int32_t& value : values)
    if (&value != &values[40] && value == 7) value = 8;
  return values;
}

Row row(const std::function<std::uint64_t(std::uint32_t)>& of_thread) {
  Row all(kBlock);
  for (std::uint32_t i = 0; i < kBlock; ++i) all[i] = of_thread(i);
  return all;
}

/// Threads of the segments of `width` lanes that the four shuffles read from.
std::uint32_t index_source(std::uint32_t i, std::uint32_t lane, std::uint32_t width) {
  return i / width * width + lane % width;
}
std::uint32_t up_source(std::uint32_t i, std::uint32_t delta, std::uint32_t width) {
  return i % width >= delta ? i - delta : i;
}
std::uint32_t down_source(std::uint32_t i, std::uint32_t delta, std::uint32_t width) {
  return i % width + delta < width ? i + delta : i;
}
/// Lower-numbered segments may be read, higher ones not.
std::uint32_t xor_source(std::uint32_t i, std::uint32_t mask, std::uint32_t width) {
  const std::uint32_t from = i ^ mask;
  return from / width <= i / width ? from : i;
}

struct Values {
  std::vector<std::int32_t> v = inputs();
  [[nodiscard]] std::uint64_t a(std::uint32_t i) const { return static_cast<std::uint32_t>(v[i]); }
  [[nodiscard]] std::uint64_t u(std::uint32_t i) const {
    return static_cast<std::uint32_t>(v[i]) * 2654435761u;
  }
  [[nodiscard]] std::uint64_t l(std::uint32_t i) const { return a(i) << 32 | a(i); }
  [[nodiscard]] std::uint64_t w(std::uint32_t i) const { return u(i) << 20 | i; }
  [[nodiscard]] std::uint64_t f(std::uint32_t i) const { return a(i) / 2; }
  [[nodiscard]] std::uint64_t d(std::uint32_t i) const { return a(i) / 4; }
};

std::vector<Row> expected_shuffles() {
  const Values x;
  const auto shuffled = [](std::function<std::uint64_t(std::uint32_t)> value, auto source, auto lane,
                           std::uint32_t width) {
    return row([=](std::uint32_t i) { return value(source(i, lane(i), width)); });
  };
  const auto always = [](std::uint32_t lane) { return [lane](std::uint32_t) { return lane; }; };
  const auto a = [x](std::uint32_t i) { return x.a(i); };
  const auto u = [x](std::uint32_t i) { return x.u(i); };
  const auto l = [x](std::uint32_t i) { return x.l(i); };
  const auto w = [x](std::uint32_t i) { return x.w(i); };
  const auto f = [x](std::uint32_t i) { return x.f(i); };
  const auto d = [x](std::uint32_t i) { return x.d(i); };
  std::uint64_t sums[2] = {};
  for (std::uint32_t i = 0; i < kBlock; ++i) sums[i / kWarp] += x.a(i);
  return {
      shuffled(a, index_source, always(5), 32),
      shuffled(
          u, index_source, [](std::uint32_t i) { return i * 3; }, 8),
      shuffled(
          l, index_source, [](std::uint32_t i) { return 31 - i % kWarp; }, 32),
      shuffled(w, index_source, always(3), 16),
      shuffled(f, index_source, always(7), 32),
      shuffled(d, index_source, always(2), 4),
      shuffled(a, up_source, always(3), 32),
      shuffled(u, up_source, always(1), 8),
      shuffled(l, up_source, always(17), 32),
      shuffled(w, up_source, always(2), 4),
      shuffled(f, up_source, always(1), 32),
      shuffled(d, up_source, always(5), 16),
      shuffled(a, down_source, always(16), 32),
      shuffled(u, down_source, always(2), 8),
      shuffled(l, down_source, always(1), 32),
      shuffled(w, down_source, always(1), 2),
      shuffled(f, down_source, always(4), 32),
      shuffled(d, down_source, always(3), 16),
      shuffled(a, xor_source, always(1), 32),
      shuffled(u, xor_source, always(6), 8),
      shuffled(l, xor_source, always(31), 32),
      shuffled(w, xor_source, always(16), 16),
      shuffled(f, xor_source, always(2), 32),
      shuffled(d, xor_source, always(9), 32),
      row([&](std::uint32_t i) { return sums[i / kWarp]; }),
      row([&](std::uint32_t i) { return i % 2 != 0 ? x.a(i ^ 2) : 0; }),
  };
}

std::vector<Row> expected_votes() {
  const std::vector<std::int32_t> v = inputs();
  /// The lanes of i's warp for which `holds`, among `members`.
  const auto lanes = [](std::uint32_t i, std::uint32_t members, auto holds) {
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < kWarp; ++lane)
      if (((members >> lane) & 1) != 0 && holds(i / kWarp * kWarp + lane)) mask |= 1u << lane;
    return mask;
  };
  constexpr std::uint32_t kAll = ~0u;
  const auto odd = [&](std::uint32_t i) { return v[i] % 2 != 0; };
  std::uint64_t odds = 0;
  for (std::uint32_t i = 0; i < kBlock; ++i) odds += odd(i) ? 1 : 0;
  return {
      row([&](std::uint32_t i) { return i / kWarp; }),  // 7 is in the second warp
      row([](std::uint32_t) { return 0; }),
      row([](std::uint32_t) { return 1; }),
      row([&](std::uint32_t i) { return i < kWarp ? 1 : 0; }),
      row([&](std::uint32_t i) { return lanes(i, kAll, [&](std::uint32_t j) { return (v[j] & 4) != 0; }); }),
      row([](std::uint32_t) { return kAll; }),
      row([&](std::uint32_t i) {
        return lanes(i, kAll, [&](std::uint32_t j) { return v[j] % 3 == v[i] % 3; });
      }),
      row([&](std::uint32_t i) {
        return lanes(i, kAll, [&](std::uint32_t j) { return v[j] % 5 == v[i] % 5; });
      }),
      row([](std::uint32_t) { return kAll; }),  // all are below 1000
      row([](std::uint32_t) { return 1; }),
      row([](std::uint32_t) { return 0; }),
      row([](std::uint32_t) { return 0; }),
      row([&](std::uint32_t i) { return i % kWarp < 16 ? lanes(i, 0x0000'ffff, odd) : 0; }),
      row([&](std::uint32_t i) { return i % kWarp >= 16 && lanes(i, 0xffff'0000, odd) != 0 ? 1 : 0; }),
      row([&](std::uint32_t) { return odds; }),
      row([](std::uint32_t) { return 1; }),
      row([](std::uint32_t) { return 1; }),
  };
}

std::vector<Row> expected_order() {
  const std::vector<std::int32_t> v = inputs();
  return {row([&](std::uint32_t i) { return static_cast<std::uint64_t>(v[i]) + 1; }),
          row([](std::uint32_t) { return 1; }), row([](std::uint32_t) { return 1; })};
}

using Setting = std::tuple<std::string, std::string>;  ///< compiler; platform and keys, empty: the oracle

class WarpIntrinsics : public ::testing::TestWithParam<Setting> {
 protected:
  static std::unique_ptr<host::Device> device() {
    const std::string& machine = std::get<1>(GetParam());
    if (machine.empty()) return std::make_unique<oracle::OracleDevice>();
    const auto blank = machine.find(' ');
    std::vector<std::string> keys;
    if (blank != std::string::npos) keys.push_back(machine.substr(blank + 1));
    return std::make_unique<gpu::GpuDevice>(gpu::load_platform(machine.substr(0, blank), keys),
                                            gpu::RunOptions{});
  }
};

TEST_P(WarpIntrinsics, mean_what_cuda_says) {
  const auto on = device();
  const auto module = on->load_ptx_file(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/warp/warp." +
                                        std::get<0>(GetParam()) + ".ptx");
  const std::uint64_t v = on->upload(inputs(), "v");
  const std::vector<std::pair<const char*, std::vector<Row>>> kernels{
      {"shuffles", expected_shuffles()}, {"votes", expected_votes()}, {"order", expected_order()}};
  for (const auto& [kernel, expected] : kernels) {
    const std::uint64_t out = on->allocate(expected.size() * kBlock * 8, "out");
    on->launch(module, kernel, {{1, 1, 1}, {kBlock, 1, 1}, 0}, host::Args{}.add(v).add(out));
    const auto all = on->download<std::uint64_t>(out, expected.size() * kBlock);
    for (std::size_t r = 0; r < expected.size(); ++r)
      EXPECT_EQ(Row(all.begin() + static_cast<std::ptrdiff_t>(r * kBlock),
                    all.begin() + static_cast<std::ptrdiff_t>((r + 1) * kBlock)),
                expected[r])
          << kernel << ", row " << r;
  }
}

std::string setting_name(const ::testing::TestParamInfo<Setting>& info) {
  std::string name = std::get<0>(info.param) + "_";
  for (const char c : std::get<1>(info.param).empty() ? std::string("oracle") : std::get<1>(info.param))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Machines, WarpIntrinsics,
                         ::testing::Combine(::testing::Values("nvcc", "clang"),
                                            ::testing::Values("", "tiny", "rtx2060",
                                                              "tiny core.control_flow.mechanism=aware",
                                                              "tiny core.control_flow.mechanism=multi_path")),
                         setting_name);

}  // namespace
}  // namespace heddle::warp_intrinsics_test
