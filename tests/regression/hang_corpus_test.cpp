// The corpus of kernels that hang, or only look as if they did (tests/data/hangs): under every control-flow
// mechanism each finishes with the right memory, or is diagnosed with the right kind of hang. The watchdog
// checks very often, to provoke false alarms, and once at the default interval.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "hang_corpus.h"
#include "oracle/oracle.h"

namespace heddle::hang_corpus_test {
namespace {

using Json = nlohmann::ordered_json;

using testing::hang_corpus;
using testing::HangMachine;
using testing::kFinishes;
constexpr std::uint64_t kWords = 1024;  ///< of every buffer

/// Runs it on a device: {"finished": {buffer: words}}, or {"error": text, "code": exit code}.
Json run(const Json& one, const std::string& compiler, host::Device& device) {
  const std::string stem = testing::hangs_folder() + one["file"].get<std::string>();
  const auto module = device.load_ptx_file(stem + (compiler == "hand" ? "" : "." + compiler) + ".ptx");
  std::vector<std::pair<std::string, std::uint64_t>> buffers;
  host::Args args;
  for (const Json& argument : one["args"]) {
    if (argument.is_string()) {
      const std::string name = argument;
      const std::uint64_t at = device.allocate(kWords * 4, name);
      if (one.contains("init") && one["init"].contains(name)) {
        const auto words = one["init"][name].get<std::vector<std::int32_t>>();
        device.write(at, std::as_bytes(std::span(words)));
      }
      buffers.emplace_back(name, at);
      args.add(at);
    } else if (argument.is_number_float()) {
      args.add(argument.get<float>());
    } else {
      args.add(argument.get<std::int32_t>());
    }
  }
  const host::Launch shape{{one["grid"], 1, 1}, {one["block"], 1, 1}, one.value("shared", std::uint32_t{0})};
  try {
    device.launch(module, one["kernel"], shape, args);
  } catch (const base::Error& error) {
    return {{"error", error.what()}, {"code", static_cast<int>(error.code())}};
  }
  Json memory = Json::object();
  for (const auto& [name, at] : buffers) memory[name] = device.download<std::int32_t>(at, kWords);
  return {{"finished", memory}};
}

/// On a GPU in a separate process: also {"errors"} if that process dies.
Json run(const Json& one, const std::string& compiler, const HangMachine& machine) {
  return tb::isolated([&] {
    gpu::GpuDevice device(
        gpu::load_platform("tiny", testing::assignments_of(one, machine)),
        {.max_cycles = one.value("max_cycles", hang_corpus().at("max_cycles").get<std::uint64_t>()),
         .on_progress = {},
         .on_print = [](const std::string&) {}});
    return run(one, compiler, device);
  });
}

/// A description: {"values"}, or {"count", "value"} and the difference between consecutive words ("step").
std::vector<std::int32_t> words_of(const Json& description) {
  if (description.contains("values")) return description["values"];
  std::vector<std::int32_t> words;
  for (std::int32_t i = 0; i < description["count"]; ++i)
    words.push_back(description["value"].get<std::int32_t>() + i * description.value("step", 0));
  return words;
}

void expect_memory(const Json& one, const Json& memory) {
  ASSERT_TRUE(one.contains("memory")) << "the table does not say what it leaves in memory";
  for (const auto& [name, description] : one["memory"].items()) {
    const auto wanted = words_of(description);
    auto got = memory[name].get<std::vector<std::int32_t>>();
    got.resize(wanted.size());
    EXPECT_EQ(got, wanted) << name;
  }
}

void expect_hang(const Json& one, const Json& result, const std::vector<std::string>& classes) {
  const std::string text = result["error"];
  ASSERT_EQ(result["code"], static_cast<int>(base::ExitCode::kHang))
      << "expected " << Json(classes).dump() << ", got:\n"
      << text;
  EXPECT_TRUE(testing::names_one_of(classes, text, one["kernel"].get<std::string>() + " "))
      << "expected " << Json(classes).dump() << ", got:\n"
      << text;
  for (const std::string word : one.value("words", Json::array()))
    EXPECT_NE(text.find(word), std::string::npos) << word << " is not in:\n" << text;
}

class HangCorpus : public ::testing::TestWithParam<std::tuple<std::size_t, std::string>> {};

TEST_P(HangCorpus, FinishesOrIsDiagnosed) {
  const auto& [index, compiler] = GetParam();
  const Json& one = hang_corpus()["cases"][index];
  for (const HangMachine& machine : testing::machines_of(one, index, compiler)) {
    SCOPED_TRACE(machine.title() + ": " + one["why"].get<std::string>());
    const Json result = run(one, compiler, machine);
    const auto classes = testing::accepted(one, compiler, machine);
    const bool finishes = classes.front() == kFinishes;
    if (result.contains("errors")) {
      ADD_FAILURE() << result["errors"].dump();
    } else if (result.contains("error")) {
      // Hangs that the watchdog is known not to find end at the cycle limit; a wrong name is still an error.
      if (one.value("beyond", false) && result["code"] == static_cast<int>(base::ExitCode::kCycleLimit))
        continue;
      if (finishes)
        ADD_FAILURE() << "should finish: " << result["error"].get<std::string>();
      else
        expect_hang(one, result, classes);
    } else if (finishes) {
      expect_memory(one, result["finished"]);
    } else {
      ADD_FAILURE() << "finished, expected " << Json(classes).dump();
    }
  }
}

void expect_on_oracle(const Json& one, const std::string& compiler, bool finishes,
                      const oracle::Options& options) {
  oracle::OracleDevice device(options);
  const Json result = run(one, compiler, device);
  if (result.contains("error")) {
    EXPECT_FALSE(finishes) << result["error"];
    EXPECT_EQ(result["code"], static_cast<int>(base::ExitCode::kHang)) << result["error"];
  } else {
    EXPECT_TRUE(finishes) << "it finished";
    if (one.contains("memory")) expect_memory(one, result["finished"]);
  }
}

std::vector<std::tuple<std::size_t, std::string>> all_cases() {
  std::vector<std::tuple<std::size_t, std::string>> all;
  for (std::size_t i = 0; i < hang_corpus()["cases"].size(); ++i)
    for (const std::string compiler : hang_corpus()["cases"][i].value("compilers", Json{"nvcc", "clang"}))
      all.emplace_back(i, compiler);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, HangCorpus, ::testing::ValuesIn(all_cases()), [](const auto& test) {
  return hang_corpus()["cases"][std::get<0>(test.param)]["name"].template get<std::string>() + "_" +
         std::get<1>(test.param);
});

class HangCorpusOracle : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Checks the table independently: with threads that all run separately, in turns of fixed and of random
// length, on memory that is coherent. What hangs there too is the program's own fault. What finishes there
// but hangs elsewhere does so because of the mechanism, the scheduler, L1 or the number of CTAs.
TEST_P(HangCorpusOracle, SeesThemAlike) {
  const auto& [file, compiler] = GetParam();
  for (const auto& [index, with] : all_cases()) {
    const Json& one = hang_corpus()["cases"][index];
    if (one["file"] != file || with != compiler) continue;
    SCOPED_TRACE(one["name"].get<std::string>() + ": " + one["why"].get<std::string>());
    const bool finishes = testing::finishes_by_itself(one);
    oracle::Options options{.max_thread_instructions = finishes ? 50'000'000u : 500'000u};
    expect_on_oracle(one, compiler, finishes, options);
    options.seed = 7;
    expect_on_oracle(one, compiler, finishes, options);
    if (one["expect"]["all"] == "cta") {
      options = {.resident_threads = one["block"], .max_thread_instructions = 500'000};
      expect_on_oracle(one, compiler, false, options);
    }
  }
}

/// Every file with every compiler that it has cases for.
std::set<std::tuple<std::string, std::string>> all_files() {
  std::set<std::tuple<std::string, std::string>> all;
  for (const auto& [index, compiler] : all_cases())
    all.emplace(hang_corpus()["cases"][index]["file"].get<std::string>(), compiler);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, HangCorpusOracle, ::testing::ValuesIn(all_files()), [](const auto& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param);
});

}  // namespace
}  // namespace heddle::hang_corpus_test
