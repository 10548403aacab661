#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "groups.h"
#include "workloads/workload.h"

namespace heddle::card {
namespace {

using Bytes = std::vector<std::byte>;

/// Keeps what the host program reads.
class RecordingDevice : public host::Device {
 public:
  explicit RecordingDevice(host::Device& device) : device_(device) {}

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override {
    const std::uint64_t address = device_.allocate(bytes, name);
    names_[address] = name;
    return address;
  }
  void free(std::uint64_t address) override { device_.free(address); }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    device_.write(address, bytes);
  }
  void read(std::uint64_t address, std::span<std::byte> bytes) override {
    device_.read(address, bytes);
    reads.emplace_back(names_[address], Bytes(bytes.begin(), bytes.end()));
  }
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override {
    return device_.load_module(bytes, name);
  }
  void unload(host::ModuleHandle module) override { device_.unload(module); }
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override {
    return device_.kernel(module, name);
  }
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override {
    return device_.symbol(module, name);
  }
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    device_.launch(module, kernel, shape, args);
  }
  void synchronize() override { device_.synchronize(); }
  [[nodiscard]] host::DeviceProperties properties() const override { return device_.properties(); }

  std::vector<std::pair<std::string, Bytes>> reads;  ///< name of the buffer, empty within one

 private:
  host::Device& device_;
  std::map<std::uint64_t, std::string> names_;
};

/// Empty, or the first read that differs, and how many bytes of it.
std::string first_difference(const RecordingDevice& expected, const RecordingDevice& got) {
  if (expected.reads.size() != got.reads.size())
    return fmt::format("{} reads on the oracle, {} on the card", expected.reads.size(), got.reads.size());
  for (std::size_t i = 0; i < expected.reads.size(); ++i) {
    const Bytes &want = expected.reads[i].second, &have = got.reads[i].second;
    if (want == have) continue;
    if (want.size() != have.size())
      return fmt::format("read {} has {} bytes on the oracle, {} on the card", i, want.size(), have.size());
    std::size_t different = 0, first = want.size();
    for (std::size_t b = 0; b < want.size(); ++b)
      if (want[b] != have[b]) {
        ++different;
        first = std::min(first, b);
      }
    std::uint32_t words[2] = {0, 0};
    const std::size_t word = first / 4 * 4, bytes = std::min<std::size_t>(4, want.size() - word);
    std::memcpy(&words[0], want.data() + word, bytes);
    std::memcpy(&words[1], have.data() + word, bytes);
    return fmt::format(
        "read {} of {}, of '{}': {} of {} bytes differ, word {} is {:#x} on the oracle, {:#x} on the card", i,
        expected.reads.size(), expected.reads[i].first, different, want.size(), word / 4, words[0], words[1]);
  }
  return {};
}

}  // namespace

void compare_workloads(host::Device& oracle, host::Device& card, const workloads::Options& options,
                       const Share& share, Findings& findings) {
  std::size_t number = 0;
  for (const workloads::Workload& workload : workloads::all()) {
    if (number++ % share.parts != share.part) continue;
    if (workload.needs_transactions || workload.needs_lockstep) {  // neither is there on a card
      findings.compared("workloads left out");
      continue;
    }
    RecordingDevice expected(oracle), got(card);
    try {
      (void)workload.run(expected, options);
      const workloads::Verdict verdict = workload.run(got, options);
      findings.compared("workloads");
      if (!verdict.passed) findings.report("FAILED", fmt::format("{}: {}", workload.name, verdict.summary));
    } catch (const base::InputError& error) {
      findings.report("REFUSED", fmt::format("{}: {}", workload.name, error.what()));
      continue;
    }
    const std::string different = first_difference(expected, got);
    if (!different.empty())
      findings.report(workload.racy ? "RACY-DIFFERS" : "MISMATCH",
                      fmt::format("{}: {}", workload.name, different));
  }
}

}  // namespace heddle::card
