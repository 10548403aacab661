// The expressions of counters, and that the page lists all of them.
#include "correlation/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace heddle::correlation {
namespace {

std::optional<double> value_of(std::string_view expression) {
  return evaluate(expression, [](const std::string& name) -> std::optional<double> {
    if (name == "six") return 6;
    if (name == "two.sum") return 2;
    return std::nullopt;
  });
}

TEST(Counters, ExpressionsAreEvaluatedFromLeftToRight) {
  EXPECT_EQ(value_of("six"), 6);
  EXPECT_EQ(value_of("six + two.sum * 10"), 80);
  EXPECT_EQ(value_of("six - two.sum / 8"), 0.5);
}

TEST(Counters, WhatHasNoValueGivesNone) {
  EXPECT_EQ(value_of("seven"), std::nullopt);
  EXPECT_EQ(value_of("six + seven"), std::nullopt);
  EXPECT_EQ(value_of("six / 0"), std::nullopt);
}

TEST(Counters, AMalformedExpressionIsABug) {
  EXPECT_THROW((void)value_of("six +"), std::logic_error);
  EXPECT_THROW((void)value_of("six % two.sum"), std::logic_error);
}

TEST(Counters, CyclesComeLastAndNamesAreDistinct) {
  std::set<std::string> names;
  for (const Counter& counter : counters()) EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
  EXPECT_EQ(counters()[cycles_counter()].name, "cycles");
}

TEST(Counters, ReadsOfTheLaunchItselfAreThere) {
  const std::map<std::string, double> values = {{"partition*.l2.sectors.read", 100},
                                                {"partition*.l2.far_sectors.read", 20},
                                                {"partition*.l2.dram_read_bytes", 1024},
                                                {"launch.sectors", 860},
                                                {"launch.dram_sectors", 68},
                                                {"launch.code_sectors", 5},
                                                {"launch.code_lookups", 45}};
  const auto model = [&](const std::string& name) {
    const auto counter = std::ranges::find(counters(), name, &Counter::name);
    return evaluate(counter->model, [&](const std::string& term) -> std::optional<double> {
      const auto found = values.find(term);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(model("l2_read_sectors"), 100 + 20 + 860 + 45);
  EXPECT_EQ(model("dram_read_bytes"), 1024 + (68 + 5) * 32);
}

TEST(Counters, ThePageHasThemAll) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/platforms/correlation/README.md");
  std::ostringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  for (const Counter& counter : counters()) {
    EXPECT_NE(text.find(counter.name), std::string::npos) << counter.name;
    const auto row = text.find(counter.name);
    const std::string line = text.substr(row, text.find('\n', row) - row);
    EXPECT_EQ(line.find("not the same thing") != std::string::npos, !counter.comparable) << counter.name;
  }
}

}  // namespace
}  // namespace heddle::correlation
