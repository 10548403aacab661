#include "cli/detail_choice.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

TEST(DetailChoice, KnowsKernelsByTheirNamesInTheSource) {
  for (const char* const name : {"_ZN1a12_GLOBAL__N_15scaleEPi", "a::scale", "scale", "*"}) {
    DetailChoice choice({{.kernel = name}});
    EXPECT_TRUE(choice.chooses("_ZN1a12_GLOBAL__N_15scaleEPi")) << name;
    EXPECT_FALSE(choice.chooses("_ZN1a12_GLOBAL__N_15scaleEPi")) << name << ": the second one";
    EXPECT_TRUE(choice.empty_ranges().empty()) << name;
  }
  DetailChoice choice(
      {{.kernel = "add", .from = 1, .to = 3}, {.kernel = "ad", .from = 2, .to = 3}, detail_range("none")});
  EXPECT_TRUE(choice.chooses("_Z3addIiEvPT_")) << "void add<int>(int*)";
  ASSERT_EQ(choice.empty_ranges().size(), 1u);
  EXPECT_EQ(choice.empty_ranges()[0].kernel, "ad");
}

}  // namespace
}  // namespace heddle::cli
