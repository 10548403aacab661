// Malformed files in tests/data/ptx/bad. The first lines of each give the expected error:
//   // expect: LINE:COLUMN: message fragment
//   // remedy: fragment              (optional)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::bad_files_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> bad_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/data/ptx/bad"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// The text after "// KEY: " on one of the first two lines.
std::string header_line(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < 2 && std::getline(file, line); ++i)
    if (line.starts_with("// " + key + ": ")) return line.substr(key.size() + 5);
  return {};
}

class PtxBadFile : public ::testing::TestWithParam<std::string> {};

TEST_P(PtxBadFile, gives_the_error_that_it_states) {
  const std::string path = HEDDLE_SOURCE_DIR "/tests/data/ptx/bad/" + GetParam();
  const std::string expected = header_line(path, "expect");
  ASSERT_NE(expected, "") << "the file does not say what to expect";
  std::string message;
  try {
    decode(parse_file(path), [](const std::string&, std::uint64_t, std::uint32_t) {
      return isa::kGlobalBase;
    }).require_all();
  } catch (const base::InputError& error) {
    message = error.what();
  }
  EXPECT_THAT(message, StartsWith(path + ":" + expected));
  EXPECT_THAT(message, HasSubstr(header_line(path, "remedy")));

  // The message shows the line and a caret under the column.
  const std::size_t line_number = std::stoul(expected);
  const std::size_t column = std::stoul(expected.substr(expected.find(':') + 1));
  std::ifstream file(path);
  std::string line;
  for (std::size_t i = 0; i < line_number; ++i) std::getline(file, line);
  if (file && line.size() < 160) {
    std::replace(line.begin(), line.end(), '\x01', ' ');  // control characters are shown as blanks
    std::string caret;
    for (std::size_t i = 0; i + 1 < column && i < line.size(); ++i) caret += line[i] == '\t' ? '\t' : ' ';
    EXPECT_THAT(message, HasSubstr("\n  " + line + "\n  " + caret + "^"));
  }
}

INSTANTIATE_TEST_SUITE_P(Data, PtxBadFile, ::testing::ValuesIn(bad_files()),
                         [](const auto& file) { return as_test_name(file.param); });

TEST(PtxBadFiles, are_there) { EXPECT_GE(bad_files().size(), 40u); }

}  // namespace
}  // namespace heddle::ptx::testing::bad_files_test
