// Machine code on cores whose issue knows control codes only: no cubin lets a hazard through, and a word that is made weaker is
// reported.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "blocks/isolated.h"
#include "fewer_cores.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "workload_scenario.h"

namespace heddle::control_codes_test {
namespace {

using testing::run;
using testing::Scenario;

const std::string kData = HEDDLE_SOURCE_DIR "/tests/data/sass/";

struct Row {
  std::string workload;
  std::string cubin;  ///< below kData, without its ending
};

std::vector<Row> rows() {
  return {{"aes", "aes"},
          {"apriori", "apriori"},
          {"atm-coarse", "atm"},
          {"bh-build", "bh_build"},
          {"dispatch", "dispatch"},
          {"gaussian", "gaussian"},
          {"hashtable", "hashtable"},
          {"hashtable-mimd", "hashtable"},
          {"nn-packed", "nn_packed"},
          {"nqueens", "nqueens"},
          {"nqueens-recursive", "nqueens"},
          {"reduction", "reduction"},
          {"sgemm", "sgemm"},
          {"vecadd", "vecadd"},
          {"dispatch", "sm_75/dispatch"},
          {"hashtable", "sm_75/hashtable"},
          {"nn-packed", "sm_75/nn_packed"},
          {"reduction", "sm_75/reduction"},
          {"strmatch", "sm_75/strmatch"},
          {"vecadd", "sm_75/vecadd"}};
}

Scenario scenario(const std::string& workload, const std::string& cubin, bool check) {
  Scenario what{workload, "tiny", workloads::Compiler::kNvcc};
  const std::vector<std::string> codes{
      "core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.barrier_registers=20",
      "core.control_flow.hanoi.yield_releases=1", "core.scoreboard.kind=control_codes"};
  what.assignments.insert(what.assignments.end(), codes.begin(), codes.end());
  if (check) what.assignments.emplace_back("core.scoreboard.check_hazards=true");
  what.machine_code = cubin;
  what.oracle = true;
  what.max_cycles = 20'000'000;
  return what;
}

/// With what the check has found in `hazards`.
nlohmann::ordered_json checked(Scenario what) {
  const gpu::Gpu* gpu = nullptr;
  what.extend = [&gpu](gpu::Gpu& made) { gpu = &made; };
  what.inspect = [&gpu](nlohmann::ordered_json& result) { result["hazards"] = gpu->hazards.text(); };
  return run(what);
}

void expect_right(const nlohmann::ordered_json& result, const Row& row) {
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  // Tables of functions hold addresses of the machine code.
  if (testing::same_on_the_oracle(*workloads::find(row.workload)) && row.workload != "dispatch") {
    EXPECT_EQ(result["oracle"], "same");
  }
}

class ControlCodes : public ::testing::TestWithParam<Row> {};

TEST_P(ControlCodes, OfACubinLetNoHazardThrough) {
  const auto result = checked(scenario(GetParam().workload, kData + GetParam().cubin + ".cubin", true));
  expect_right(result, GetParam());
  EXPECT_EQ(result["hazards"], "");
}

// Latencies that the codes were not made for: they do not change a result. Values that take their time, of memory and special
// functions, have counters.
TEST_P(ControlCodes, GiveTheOraclesMemoryWithoutACheck) {
  Scenario what = scenario(GetParam().workload, kData + GetParam().cubin + ".cubin", false);
  what.platform = "rtx2060";
  expect_right(run(what), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Workloads, ControlCodes, ::testing::ValuesIn(rows()), [](const auto& of) {
  std::string name = testing::test_name(of.param.workload);
  return name + (of.param.cubin.starts_with("sm_75/") ? "_sm_75" : "_sm_90");
});

/// Lanes of other mechanisms run in another order; counters are of the warp all the same.
TEST(ControlCodesOf, EveryMechanism) {
  for (const char* mechanism : {"simt_stack", "aware", "multi_path"}) {
    SCOPED_TRACE(mechanism);
    Scenario what = scenario("reduction", kData + "reduction.cubin", true);
    what.assignments.insert(what.assignments.end(),
                            {std::string("core.control_flow.mechanism=") + mechanism,
                             "core.control_flow.ignores_convergence_instructions=true"});
    const auto result = checked(what);
    expect_right(result, {"reduction", "reduction"});
    EXPECT_EQ(result["hazards"], "");
  }
}

// ---- Operands of constant banks

std::uint64_t sum_over_cores(const nlohmann::ordered_json& statistics, const std::string& of) {
  std::uint64_t sum = 0;
  for (const auto& [name, tree] : statistics.items())
    if (name.starts_with("core")) sum += tree.at(nlohmann::json::json_pointer(of)).get<std::uint64_t>();
  return sum;
}

/// The first launch of a workload on one core, whose operands may have to be waited for.
nlohmann::ordered_json with_immediates(const std::string& workload, unsigned kib) {
  Scenario what = scenario(workload, kData + workload + ".cubin", false);
  what.assignments.insert(what.assignments.end(), {"cores=1", "core.constant_cache.second_kib=4",
                                                   "core.constant_cache.immediate_kib=" + std::to_string(kib),
                                                   "core.constant_cache.immediate_latency_cycles=200"});
  what.statistics = testing::all_of;
  const auto result = run(what);
  expect_right(result, {workload, workload});
  return result["launches"][0];
}

// vecadd has ULDC c[0x0][0x228] and c[0x0][0x208], of one line; sgemm's c[0x3][0x0] comes from memory.
TEST(BankWords, AreWaitedForLineByLine) {
  const auto always = with_immediates("vecadd", 0), waited = with_immediates("vecadd", 1);
  EXPECT_EQ(sum_over_cores(waited["stats"], "/constant_cache/immediate_misses"), 1u);
  EXPECT_GE(sum_over_cores(waited["stats"], "/issue/slots/constant"), 150u);
  EXPECT_GT(waited["cycles"].get<std::uint64_t>(), always["cycles"].get<std::uint64_t>() + 100);
  EXPECT_EQ(sum_over_cores(with_immediates("sgemm", 1)["stats"], "/constant_cache/immediate_misses"), 2u);
}

// ---- Words made weaker

struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  [[nodiscard]] std::string bytes() const {
    std::string text(2 * sizeof low, '\0');
    std::memcpy(text.data(), &low, sizeof low);
    std::memcpy(text.data() + sizeof low, &high, sizeof high);
    return text;
  }
};

/// vecadd.cubin with another word.
std::string vecadd_with(const Word& word, const Word& instead) {
  std::ifstream file(kData + "vecadd.cubin", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = bytes.find(word.bytes());
  if (at == std::string::npos || bytes.find(word.bytes(), at + 1) != std::string::npos)
    throw std::runtime_error("the word is not there once");
  return bytes.replace(at, word.bytes().size(), instead.bytes());
}

/// In a file, with another high half.
class Weakened {
 public:
  Weakened(const Word& word, std::uint64_t instead) {
    path_ =
        std::filesystem::temp_directory_path() / ("heddle_weakened_" + std::to_string(word.high ^ instead) +
                                                  "_" + std::to_string(::getpid()) + ".cubin");
    std::ofstream(path_, std::ios::binary) << vecadd_with(word, {word.low, instead});
  }
  ~Weakened() { std::filesystem::remove(path_); }
  Weakened(const Weakened&) = delete;
  Weakened& operator=(const Weakened&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// 0110 FADD R9, R4, R3, which waits for counter 3 and has a stall count of 5.
constexpr Word kFadd{0x0000000304097221, 0x008fca0000000000};
constexpr std::uint64_t kStall = 15ull << 41, kWaitMask = 63ull << 52;

/// An H100 issues what the codes let through; other platforms fetch some of these words too late for that.
void expect_reported(const Weakened& cubin, const std::vector<std::string>& says) {
  Scenario what = scenario("vecadd", cubin.path(), true);
  what.platform = "h100";
  const std::vector<std::string> fewer = depth::fewer_cores(1, what.platform);
  what.assignments.insert(what.assignments.end(), fewer.begin(), fewer.end());
  const auto result = checked(what);
  expect_right(result, {"vecadd", "vecadd"});  // what is reported waits for its value
  const auto text = result["hazards"].get<std::string>();
  for (const std::string& each : says) EXPECT_NE(text.find(each), std::string::npos) << text;
}

// 00e0 IMAD.WIDE R4, R9, 0x4, R4, stall 6; 00f0 LDG.E R4, [R4.64].
TEST(WeakenedWord, AStallCountOfOne) {
  constexpr Word kWord{0x0000000409047825, 0x002fcc00078e0204};
  expect_reported({kWord, (kWord.high & ~kStall) | 1ull << 41 | 1ull << 45},
                  {"kernel vector_add, 0xf0: `", "LDG.E R4, desc[UR4][R4.64]", "reads the old value of R4",
                   "of 0xe0: `", "IMAD.WIDE R4, R9, 0x4, R4", "1 cycles before; it takes 5"});
}

struct Closest {
  Word word;
  std::vector<std::string> says;
};

// Words of kernel vector_add4 whose readers stand as close behind them as the hardware allows: a cycle less is reported.
TEST(WeakenedWord, AStallCountThatIsOneTooSmall) {
  const std::vector<Closest> rows{
      {{0x0000001f3f047899, 0x000fc80008011405},  // USHF.R.S32.HI
       {"0x50: `", "ULEA.HI", "of 0x40: `", "3 cycles before; it takes 4"}},
      {{0x0000000609097c24, 0x001fca000f8e0200},  // IMAD
       {"0x90: `", "ISETP.GE.AND P0", "of 0x80: `", "4 cycles before; it takes 5"}},
      {{0x000000100c0c7221, 0x000fca0000000000},  // FADD
       {"0x180: `", "STG.E.128", "of 0x170: `", "4 cycles before; it takes 5"}},
      {{0x0000001009027825, 0x001fca00078e0202},  // IMAD.WIDE
       {"0x100: `", "LDG.E.128 R12", "of 0xf0: `", "4 cycles before; it takes 5"}},
      {{0x0000001009047825, 0x002fca00078e0204},
       {"0x120: `", "LDG.E.128 R16", "of 0x110: `", "4 cycles before; it takes 5"}}};
  for (const Closest& row : rows) expect_reported({row.word, row.word.high - (1ull << 41)}, row.says);
}

// 0110 FADD R9, R4, R3 waits for counter 3, which both loads raise.
TEST(WeakenedWord, AWaitMaskOfNothing) {
  expect_reported({kFadd, kFadd.high & ~kWaitMask},
                  {"kernel vector_add, 0x110: `", "FADD R9, R4, R3", "reads the old value of R", "LDG.E R",
                   "nothing waits for it"});
}

// ---- From words to instructions

/// [stall, yield, write barrier, read barrier, wait mask, counted, at most] by code address, of kernel vector_add.
nlohmann::ordered_json codes_of(const std::string& cubin) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {.on_progress = {}});
    const auto kernel =
        gpu.kernel(gpu.load_module(std::as_bytes(std::span(cubin)), "vecadd.cubin"), "vector_add");
    nlohmann::ordered_json codes = nlohmann::ordered_json::object();
    for (std::uint32_t pc = 0; pc < kernel->code.size(); ++pc) {
      const isa::ControlCodes& of = kernel->code[pc].codes;
      codes[std::to_string(kernel->code_address(base::Pc{pc}))] = {
          +of.stall, +of.yield, +of.write_barrier, +of.read_barrier, +of.wait_mask, +of.counted, +of.at_most};
    }
    return codes;
  });
}

TEST(LoweredCodes, AreThoseOfTheWords) {
  const auto codes = codes_of(vecadd_with(kFadd, kFadd));
  const auto expect = [&](unsigned address, std::vector<unsigned> of) {
    EXPECT_EQ(codes.at(std::to_string(address)).get<std::vector<unsigned>>(), of) << address;
  };
  expect(0x10, {7, 0, 0, 7, 0, 7, 0});   // S2R raises counter 0
  expect(0x40, {1, 0, 7, 7, 1, 7, 0});   // IMAD waits for it
  expect(0x50, {4, 1, 7, 7, 0, 7, 0});   // ULDC may give way
  expect(0xf0, {1, 0, 3, 7, 0, 7, 0});   // LDG
  expect(0x110, {5, 1, 7, 7, 8, 7, 0});  // FADD
}

TEST(LoweredCodes, HaveTheCountersOfDepbar) {
  // DEPBAR.LE SB2, 0x1, {4,3}
  constexpr Word kDepbar{0x791a | 0x18ull << 32 | 1ull << 38 | 2ull << 44 | 1ull << 47, kFadd.high};
  constexpr Word kNoCount{kDepbar.low & ~(1ull << 47), kFadd.high};
  EXPECT_EQ(codes_of(vecadd_with(kFadd, kDepbar)).at("272").get<std::vector<unsigned>>(),
            (std::vector<unsigned>{5, 1, 7, 7, 8 | 0x18, 2, 1}));
  EXPECT_EQ(codes_of(vecadd_with(kFadd, kNoCount)).at("272").get<std::vector<unsigned>>(),
            (std::vector<unsigned>{5, 1, 7, 7, 8 | 0x18, 7, 0}));
}

}  // namespace
}  // namespace heddle::control_codes_test
