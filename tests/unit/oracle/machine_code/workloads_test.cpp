// The workloads' kernels as ptxas has assembled them: their host side accepts the results, and what it reads is what an H100
// gave (tests/data/sass/reads.json), for either architecture and whatever the turns of lanes are.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "oracle/oracle.h"
#include "workloads/workload.h"

namespace heddle::oracle::machine_code {
namespace {

const std::string kData = HEDDLE_SOURCE_DIR "/tests/data/sass/";

/// FNV-1a of everything that the host reads.
class ReadingDevice : public OracleDevice {
 public:
  using OracleDevice::OracleDevice;
  void read(std::uint64_t address, std::span<std::byte> bytes) override {
    OracleDevice::read(address, bytes);
    std::uint64_t hash = 0x14650fb0739d0383;
    for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100'0000'01b3;
    if (!bytes.empty()) reads.push_back(fmt::format("{:016x}", hash));
  }
  std::vector<std::string> reads;
};

struct Code {
  const char* workload;
  bool turing = false;  ///< for sm_75 instead of sm_90
};

std::vector<Code> codes() {
  std::vector<Code> all;
  for (const char* const name : {"aes",
                                 "apriori",
                                 "apriori-coarse",
                                 "atm-coarse",
                                 "atm-mimd",
                                 "bh-build",
                                 "bh-build-coarse",
                                 "bh-build-mimd",
                                 "dispatch",
                                 "gaussian",
                                 "hashtable",
                                 "hashtable-coarse",
                                 "hashtable-mimd",
                                 "hashtable-serial",
                                 "nn-packed",
                                 "nqueens",
                                 "nqueens-recursive",
                                 "reduction",
                                 "sgemm",
                                 "vecadd"})
    all.push_back({name});
  for (const char* const name :
       {"atm-coarse", "atm-mimd", "dispatch", "hashtable", "hashtable-coarse", "hashtable-mimd",
        "hashtable-serial", "nn-packed", "nqueens", "nqueens-recursive", "reduction", "strmatch", "vecadd"})
    all.push_back({name, true});
  return all;
}

nlohmann::json recorded(const std::string& workload) {
  std::ifstream file(kData + "reads.json");
  for (const auto& row : nlohmann::json::parse(file))
    if (row.at("workload") == workload) return row;
  return nullptr;
}

class MachineCodeWorkloads : public ::testing::TestWithParam<Code> {};

TEST_P(MachineCodeWorkloads, GiveTheCardsBytesInEveryOrder) {
  const workloads::Workload& workload = *workloads::find(GetParam().workload);
  const std::string stem = workload.source.substr(0, workload.source.size() - 3);
  const std::string file = kData + (GetParam().turing ? "sm_75/" : "") + stem + ".cubin";
  const nlohmann::json card = recorded(workload.name);
  for (const Options& options : {Options{}, Options{.slice = 1}, Options{.slice = 40, .seed = 9}}) {
    ReadingDevice device(options);
    const auto verdict = workload.run(device, {.size = workloads::Size::kTiny, .machine_code = file});
    EXPECT_TRUE(verdict.passed) << verdict.summary;
    if (!card.is_null()) {
      EXPECT_EQ(nlohmann::json(device.reads), card.at("tiny"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MachineCodeWorkloads, ::testing::ValuesIn(codes()), [](const auto& of) {
  std::string name = of.param.workload;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (of.param.turing ? "_sm_75" : "");
});

}  // namespace
}  // namespace heddle::oracle::machine_code
