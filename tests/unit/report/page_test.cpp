#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::report::page_test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kTemplate = "<title>Heddle report</title><script>@data@</script>";

TEST(Page, NoTextOfTheDataEndsItsElement) {
  const std::string page =
      page_text(kTemplate, "a <b> & c", {{"text", "</script><script>alert(1)</script><!--"}});
  EXPECT_EQ(page,
            "<title>a &lt;b> &amp; "
            "c</title><script>{\"text\":\"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\\u003c!--\"}</"
            "script>");
}

TEST(Page, DataThatIsNotUtf8IsReplaced) {
  EXPECT_THAT(page_text(kTemplate, "t", {{"text", "a\xff"}}), HasSubstr("a\xef\xbf\xbd"));
}

TEST(Page, ATemplateWithoutAPlaceIsRefused) {
  EXPECT_THROW((void)page_text("<html>", "t", Json::object()), base::InputError);
}

TEST(Page, TextColumnsNumberTheirDifferentTexts) {
  const std::string gto = "gto", lrr = "lrr";
  EXPECT_EQ(text_column({&gto, &lrr, nullptr, &gto}),
            Json({{"texts", {"gto", "lrr"}}, {"index", {0, 1, -1, 0}}}));
}

Json profile() {
  const Json waiting = {{"barrier", 0}, {"memory", 7}};
  return {{"kernels",
           {{{"kernel", "k"},
             {"source", "k.ptx"},
             {"launches", 1},
             {"cycles", 9},
             {"total", {{"waiting", waiting}}},
             {"pcs",
              {{{"pc", "0x0"},
                {"line", 3},
                {"ptx", "ret;"},
                {"issues", 2},
                {"lanes", 64},
                {"divergences", 0},
                {"transactions", 0},
                {"waiting", waiting}}}}}}}};
}

TEST(Page, ProfilesAreColumnsOfCausesThatOccur) {
  const Json kernel = profile_columns(profile()).at(0);
  EXPECT_EQ(kernel.at("causes"), Json({"memory"}));
  EXPECT_EQ(kernel.at("waiting"), Json::array({Json::array({7})}));
  EXPECT_EQ(kernel.at("text"), Json::array({"ret;"}));
  EXPECT_EQ(kernel.at("pcs_left_out"), 0);
  EXPECT_THROW((void)profile_columns(Json({{"kernels", {Json::object()}}})), nlohmann::json::exception);
}

Json event(const std::string& kind, int split, int begin, Json arguments,
           const std::string& name = "line 3") {
  return {{"ph", kind},
          {"pid", 0},
          {"tid", split},
          {"ts", begin},
          {"dur", 5},
          {"name", name},
          {"args", std::move(arguments)}};
}

TEST(Page, TimelinesAreStretchesAndIssuesByRow) {
  const Json events = {event("M", 0, 0, {{"name", "core 0"}}, "process_name"),
                       event("M", 1, 0, {{"name", "warp 0 split at lane 1"}}, "thread_name"),
                       event("X", 1, 10, {{"lanes", 16}, {"from", "bra;"}}),
                       event("X", 0, 4, {{"lanes", 32}, {"from", "mov;"}}),
                       event("X", 1, 12, {{"lanes", 16}}, "bra"),
                       event("C", 0, 4, {{"warps", 2}}, "backed-off warps")};
  const Json columns = timeline_columns({{"traceEvents", events}}, 100);
  EXPECT_EQ(columns.at("rows"), Json({"core 0, warp 0 split at lane 1", "core 0, split 0"}));
  EXPECT_EQ(columns.at("order"), Json({1, 0}));
  EXPECT_EQ(columns.at("from"), Json({10, 4}));
  EXPECT_EQ(columns.at("issue_at"), Json::array({12}));
  EXPECT_EQ(columns.at("left_out"), 0);
  EXPECT_EQ(timeline_columns({{"traceEvents", events}}, 2).at("left_out"), 1);
  EXPECT_TRUE(timeline_columns({{"traceEvents", Json::array()}}, 2).is_null());
}

}  // namespace
}  // namespace heddle::report::page_test
