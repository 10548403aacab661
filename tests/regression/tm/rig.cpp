#include "regression/tm/rig.h"

#include <algorithm>
#include <tuple>

#include "blocks/isolated.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"
#include "tm/tm_mechanism.h"

namespace heddle::testing {
namespace {

void launch(host::Device& device, const TxRun& run, Json& result) {
  const auto module = device.load_ptx_text(run.ptx, "test.ptx");
  const std::uint64_t a = device.allocate(run.words_a * 4, "a"), b = device.allocate(run.words_b * 4, "b");
  if (!run.initial.empty()) device.write(a, std::as_bytes(std::span(run.initial)));
  device.launch(module, "test", {{run.ctas, 1, 1}, {run.threads, 1, 1}, 0}, host::Args().add(a).add(b));
  result["a"] = device.download<std::uint32_t>(a, run.words_a);
  result["b"] = device.download<std::uint32_t>(b, run.words_b);
}

class Order final : public oracle::TransactionOrder {
 public:
  explicit Order(const Json& commits) {
    for (const Json& commit : commits)
      order_.emplace_back(commit[0].get<std::uint64_t>(), commit[1].get<std::uint32_t>());
  }
  [[nodiscard]] bool is_next(std::uint64_t cta, std::uint32_t thread) override {
    return next_ < order_.size() && order_[next_] == std::pair(cta, thread);
  }
  void committed(std::uint64_t, std::uint32_t) override { ++next_; }
  [[nodiscard]] bool finished() const { return next_ == order_.size(); }

 private:
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_;
  std::size_t next_ = 0;
};

}  // namespace

Json run_tx(const TxRun& run) {
  return tb::isolated([&]() -> Json {
    std::vector<std::string> assignments{"tm.enabled=true", "tm.checks=true"};
    assignments.insert(assignments.end(), run.settings.begin(), run.settings.end());
    Json result;
    std::vector<tm::CommitRecord> records;
    gpu::RunOptions options;
    options.max_cycles = 40'000'000;
    options.extend = [&](gpu::Gpu& gpu) {
      for (const auto& mechanism : gpu.mechanisms)
        if (auto* const tm = dynamic_cast<tm::TmMechanism*>(mechanism.get()))
          tm->on_commit([&](const tm::CommitRecord& record) { records.push_back(record); });
    };
    try {
      gpu::GpuDevice device(gpu::load_platform("tiny", assignments), options);
      launch(device, run, result);
      result["statistics"] = device.stats().to_json();
    } catch (const std::exception& error) {
      result["errors"].push_back(error.what());
    }
    const auto key = [](const tm::CommitRecord& record) {
      return std::tuple(record.cid, record.silent, record.sequence);
    };
    std::ranges::stable_sort(records, {}, key);
    const std::uint64_t warps = (run.threads + 31) / 32;
    result["commits"] = Json::array();
    for (const tm::CommitRecord& record : records)
      result["commits"].push_back({record.warp / warps, record.warp % warps * 32 + record.lane});
    return result;
  });
}

std::string replay_difference(const TxRun& run, const Json& result) {
  if (result.contains("errors")) return result["errors"].dump();
  Order order(result["commits"]);
  oracle::Options options;
  options.max_thread_instructions = 50'000'000;
  options.transactions = &order;
  oracle::OracleDevice oracle(options);
  Json expected;
  try {
    launch(oracle, run, expected);
  } catch (const std::exception& error) {
    return std::string("replay: ") + error.what();
  }
  if (!order.finished()) return "the hardware claims more transactions than threads execute";
  for (const char* buffer : {"a", "b"})
    for (std::size_t i = 0; i < expected[buffer].size(); ++i)
      if (expected[buffer][i] != result[buffer][i])
        return std::string(buffer) + "[" + std::to_string(i) + "] is " + result[buffer][i].dump() +
               ", one by one " + expected[buffer][i].dump();
  return "";
}

std::string tx_kernel_text(const std::string& body) {
  return R"(.version 7.5
.target sm_75
.address_size 64
.extern .func tx_begin();
.extern .func tx_commit();
.extern .func tx_abort();
.visible .entry test(.param .u64 a, .param .u64 b)
{
  .reg .b32 %t, %g, %n, %r<32>;
  .reg .b64 %a, %b, %d<16>;
  .reg .b16 %h<4>;
  .reg .pred %p<16>;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  mov.u32 %t, %tid.x;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mad.lo.u32 %g, %r0, %r1, %t;
)" + body +
         "  ret;\n}\n";
}

}  // namespace heddle::testing
