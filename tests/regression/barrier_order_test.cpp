// Memory accesses of a CTA on the two sides of bar.sync, where each sub-core has a queue of its own in front of the load/store unit
// (core.lsu.local_queue_entries): one warp has many accesses in its queue, and warps of other sub-cores have none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "isa_support.h"
#include "oracle/oracle.h"

namespace heddle::testing::barrier_order_test {
namespace {

constexpr unsigned kThreads = 128, kAccesses = 8;
constexpr std::size_t kWords = 4096;

/// The words of `out`, which starts with 0, 1, 2 ...
std::vector<std::uint32_t> left_by(host::Device& device, const std::string& ptx) {
  std::vector<std::uint32_t> initial(kWords);
  for (std::size_t i = 0; i < kWords; ++i) initial[i] = static_cast<std::uint32_t>(i);
  const std::uint64_t out = device.upload(initial, "out");
  const host::ModuleHandle module = device.load_ptx_text(ptx, "barrier.ptx");
  device.launch(module, "k", {{1, 1, 1}, {kThreads, 1, 1}, 0}, host::Args().add(out));
  return device.download<std::uint32_t>(out, kWords);
}

/// Conflicting accesses of the first warp, `before`, then the barrier, then `behind` of all others. %r9: 32 words a lane apart, in
/// shared memory; %w9 the same in `out`; %r2, %w2: the thread's own word.
std::string kernel(const std::string& before, const std::string& behind) {
  std::string many;
  for (unsigned i = 0; i < kAccesses; ++i) many += fmt::format(fmt::runtime(before), i * 4, i + 10);
  return fragment_text(
      {.module = ".shared .align 16 .b8 tile[8192];",
       .body = "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], %t; "
               "mad.wide.u32 %w2, %t, 4, %out; and.b32 %r6, %t, 31; mad.lo.u32 %r9, %r6, 128, %r1; "
               "mad.wide.u32 %w9, %r6, 128, %out; mov.u32 %r20, 0; setp.ge.u32 %p1, %t, 32; bar.sync 0;\n"
               "@%p1 bra MEET;\n" +
               many + "MEET: bar.sync 0;\n@!%p1 bra END;\n" + behind +
               "END: " + "st.global.u32 [%w2+8192], %r20;"});
}

class BarrierOrder : public ::testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(BarrierOrder, AccessesBeforeABarrierAreDoneBeforeThoseBehindIt) {
  gpu::GpuDevice gpu(gpu::load_platform("h100", {}), {});
  oracle::OracleDevice oracle;
  EXPECT_EQ(left_by(gpu, GetParam().second), left_by(oracle, GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    Of, BarrierOrder,
    ::testing::Values(std::pair{"shared_stores", kernel("st.shared.u32 [%r9+{0}], {1};\n",
                                                        "ld.shared.u32 %r20, [%r1+3996];\n")},
                      std::pair{"shared_reductions", kernel("red.shared.add.u32 [%r9+{0}], {1};\n",
                                                            "ld.shared.u32 %r20, [%r1+3996];\n")},
                      std::pair{"global_stores", kernel("st.global.u32 [%w9+{0}], {1};\n",
                                                        "ld.global.u32 %r20, [%out+3996];\n")},
                      std::pair{"loads_and_stores",
                                kernel("ld.shared.u32 %r21, [%r9+{0}]; add.u32 %r20, %r20, %r21;\n",
                                       "st.shared.u32 [%r2], 7; st.shared.u32 [%r2+3584], 9;\n")}),
    [](const auto& test) { return std::string(test.param.first); });

}  // namespace
}  // namespace heddle::testing::barrier_order_test
