// Series over time: chunks, launches, widths.
#include "results/series.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "results/series_packing.h"
#include "results/series_writer.h"
#include "unit/results/scratch_folder.h"

namespace heddle::results {
namespace {

TEST(Series, SamplesOfAllLaunchesAreRead) {
  const ScratchFolder scratch;
  const std::string file = scratch.in(kSeriesFile);
  constexpr std::size_t kSamples = 3000;  // of the first launch: more than two chunks
  {
    SeriesWriter writer(file, 100, {{"a", "u", "d"}, {"zero", "", ""}, {"half", "", ""}});
    for (std::size_t i = 0; i < kSamples; ++i)
      writer.add(std::vector<double>{static_cast<double>(i * i), 0.0, static_cast<double>(i) / 2});
    writer.end_launch("k", 100 * kSamples - 30);
    writer.add(std::vector<double>{7, 0, 1});
    writer.end_launch("m", 42);
    writer.finish();
  }
  ASSERT_EQ(series_in(file).size(), 3u);
  const Series a = read_series(file, "a");
  EXPECT_EQ(a.statistic.unit, "u");
  EXPECT_EQ(a.interval, 100u);
  ASSERT_EQ(a.values.size(), kSamples + 1);
  for (std::size_t i = 0; i < kSamples; ++i) ASSERT_EQ(a.values[i], static_cast<double>(i * i));
  EXPECT_EQ(a.values.back(), 7);
  EXPECT_EQ(a.end[0], 100u);
  EXPECT_EQ(a.end[kSamples - 1], 100 * kSamples - 30) << "the last sample of a launch is shorter";
  EXPECT_EQ(a.end.back(), 100 * kSamples - 30 + 42);
  ASSERT_EQ(a.launches.size(), 2u);
  EXPECT_EQ(a.launches[1].kernel, "m");
  EXPECT_EQ(a.launches[1].first, kSamples);
  EXPECT_EQ(a.launches[1].begin, 100 * kSamples - 30);
  EXPECT_EQ(read_series(file, "half").values[3], 1.5);
  for (const double value : read_series(file, "zero").values) ASSERT_EQ(value, 0);
  EXPECT_THROW((void)read_series(file, "other"), std::out_of_range);
  EXPECT_THROW((void)read_series(scratch.in("none"), "a"), std::out_of_range);
  EXPECT_TRUE(series_in(scratch.in("none")).empty());
}

TEST(Series, PackedAsNarrowAsPossible) {
  const auto round_trip = [](std::vector<double> values, std::size_t width) {
    const auto bytes = pack(values);
    EXPECT_EQ(bytes.size(), width * values.size());
    std::vector<double> back(values.size());
    EXPECT_TRUE(unpack(bytes, back));
    EXPECT_EQ(back, values);
  };
  round_trip({0, 255}, 1);
  round_trip({0, 256}, 2);
  round_trip({65536, 4294967295.0}, 4);
  round_trip({4294967296.0}, 8);
  round_trip({-1, 3}, 8);
  round_trip({0.5}, 8);
  std::vector<double> three(3);
  EXPECT_FALSE(unpack(std::vector<std::byte>(9), three));
}

}  // namespace
}  // namespace heddle::results
