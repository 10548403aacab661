// The expressions of counters, and that the page lists all of them.
#include "correlation/counters.h"

#include <gtest/gtest.h>

#include <fstream>
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
