// The generator alone: its kernels load, terminate, and give the same results for any interleaving of their
// threads.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "generator/generated_kernel.h"
#include "generator/shrink.h"
#include "oracle/oracle.h"

namespace heddle::generator::random_kernels_generator_test {
namespace {

constexpr std::uint64_t kSeeds = 300;

std::vector<std::byte> oracle_result(const GeneratedKernel& kernel, const oracle::Options& options = {}) {
  oracle::OracleDevice device(options);
  return run(device, kernel);
}

bool contains(const GeneratedKernel& kernel, const std::string& text) {
  return kernel.ptx.find(text) != std::string::npos;
}

TEST(Generator, SameSeedGivesTheSameKernel) {
  const GeneratedKernel a = generate(7);
  const GeneratedKernel b = generate(7);
  EXPECT_EQ(a.ptx, b.ptx);
  EXPECT_EQ(a.buffers[0].initial, b.buffers[0].initial);
  EXPECT_NE(a.ptx, generate(8).ptx);
}

TEST(Generator, ResultDoesNotDependOnTheInterleaving) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const GeneratedKernel kernel = generate(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto expected = oracle_result(kernel);
    EXPECT_EQ(difference(kernel, expected, oracle_result(kernel, {.slice = 1})), "");
    EXPECT_EQ(difference(kernel, expected, oracle_result(kernel, {.slice = 13, .seed = seed + 1})), "");
    EXPECT_EQ(difference(kernel, expected, oracle_result(kernel, {.slice = 1u << 30, .resident_threads = 1})),
              "");
  }
}

TEST(Generator, EveryConstructAppears) {
  std::string all;
  unsigned with_barriers = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const GeneratedKernel kernel = generate(seed);
    all += kernel.ptx;
    with_barriers += contains(kernel, "bar.sync") ? 1 : 0;
  }
  for (const char* text : {"$L_else",
                           "$L_head",
                           "$L_next",
                           "$L_uniform",
                           "$L_case",
                           "@%q exit",
                           "@%q ret",
                           "\texit;",
                           "@%g ",
                           "bar.sync 0, ",
                           "st.shared",
                           "ld.shared",
                           "red.global",
                           "atom.shared",
                           "ld.const",
                           "st.local",
                           "ld.global.v4",
                           "fma.rn.f32",
                           "div.rn.f64",
                           "mul.wide.s32",
                           "prmt.b32",
                           "shfl.sync",
                           "vote.sync",
                           "brx.idx",
                           ".branchtargets",
                           "call (t0, t1, t2), f0",
                           "call (t0, t1, t2), %x1",
                           "@%q bra $L_end",
                           "%depth, 1",
                           "madc.hi.cc.s64",
                           "fma.rn.ftz.sat.f16x2",
                           "setp.geu.ftz.f16x2",
                           "cvt.rpi.s64.f16",
                           "atom.global.cas.b16",
                           "bar.red.popc",
                           "redux.sync",
                           "match.all.sync.b64",
                           "dp4a.s32.u32",
                           "bmsk.clamp",
                           "lop3.or.b32",
                           "cvt.pack.sat.s4"})
    EXPECT_NE(all.find(text), std::string::npos) << text;
  EXPECT_GT(with_barriers, kSeeds / 3);
  EXPECT_LT(with_barriers, kSeeds);
}

TEST(Generator, KernelsDoWork) {
  // A generator that wrote nothing, or the same everywhere, would match on any device. (All threads of a kernel may leave before
  // they have written anything: of these, seed 12's.)
  std::set<std::string> results;
  unsigned idle = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const GeneratedKernel kernel = generate(seed);
    std::vector<std::byte> before;
    for (const Buffer& buffer : kernel.buffers)
      before.insert(before.end(), buffer.initial.begin(), buffer.initial.end());
    const auto after = oracle_result(kernel);
    idle += after == before ? 1 : 0;
    results.emplace(reinterpret_cast<const char*>(after.data()), after.size());
  }
  EXPECT_EQ(results.size(), 20u);
  EXPECT_LE(idle, 1u);
}

TEST(Generator, DifferenceNamesBufferAndThread) {
  const GeneratedKernel kernel = generate(3);
  const auto expected = oracle_result(kernel);
  auto got = expected;
  const std::size_t out_at = kernel.buffers[0].initial.size();
  const std::size_t region =
      kernel.buffers[1].initial.size() / (kernel.shape.block.count() * kernel.shape.grid.count());
  got[out_at + region * 1 + 5] ^= std::byte{1};
  const std::string text = difference(kernel, expected, got);
  EXPECT_NE(text.find("buffer 'out'"), std::string::npos) << text;
  EXPECT_NE(text.find("byte 5 of thread 1 of CTA 0"), std::string::npos) << text;
  EXPECT_NE(text.find("1 bytes differ"), std::string::npos) << text;
}

TEST(Shrinking, KeepsOnlyWhatTheFailureNeeds) {
  KernelTree tree;
  for (std::uint64_t seed = 0;; ++seed) {
    tree = generate_tree(seed);
    if (contains(emit(tree), "prmt.b32") && size_of(tree) > 20) break;
  }
  // "Fails" while the kernel still holds a prmt and still runs.
  const Fails fails = [](const GeneratedKernel& kernel) {
    return contains(kernel, "prmt.b32") && !oracle_result(kernel).empty();
  };
  const KernelTree small = shrink(tree, fails);
  EXPECT_TRUE(fails(emit(small)));
  EXPECT_EQ(size_of(small), 1u);
  EXPECT_EQ(small.shape.grid.count(), 1u);
}

TEST(Shrinking, ReachesIntoFunctions) {
  const Fails fails = [](const GeneratedKernel& kernel) {
    return contains(kernel, "brx.idx") && contains(kernel, "call (") && !oracle_result(kernel).empty();
  };
  std::uint64_t seed = 0;
  const auto in_function = [](const std::string& ptx) {
    const std::size_t at = ptx.find("brx.idx");
    return at != std::string::npos && at < ptx.find(".entry");
  };
  while (!fails(generate(seed)) || !in_function(generate(seed).ptx)) ++seed;
  const KernelTree small = shrink(generate_tree(seed), fails);
  EXPECT_TRUE(fails(emit(small)));
  EXPECT_LE(size_of(small), 3u);
}

TEST(Shrinking, FindsTheStatementThatChangesAResult) {
  // A faulty device that computes popc incorrectly, simulated by an oracle that runs brev instead.
  const auto with_fault = [](GeneratedKernel kernel) {
    for (std::size_t at = kernel.ptx.find("popc.b32"); at != std::string::npos;
         at = kernel.ptx.find("popc.b32", at))
      kernel.ptx.replace(at, 8, "brev.b32");
    return kernel;
  };
  const Fails fails = [&](const GeneratedKernel& kernel) {
    return oracle_result(kernel) != oracle_result(with_fault(kernel));
  };
  std::uint64_t seed = 0;
  while (!fails(generate(seed))) ++seed;
  const KernelTree small = shrink(generate_tree(seed), fails);
  EXPECT_TRUE(fails(emit(small)));
  EXPECT_TRUE(contains(emit(small), "popc.b32"));
  EXPECT_LE(size_of(small), 4u);
}

TEST(Saving, WritesALoadableFileThatGivesShapeAndReason) {
  const GeneratedKernel kernel = generate(11);
  const std::string path = ::testing::TempDir() + "saved_kernel.ptx";
  save(kernel, path, "first line\nsecond line");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("// seed 11, "), std::string::npos);
  EXPECT_NE(text.str().find("// second line\n"), std::string::npos) << text.str().substr(0, 200);
  const GeneratedKernel again = load(path);
  EXPECT_EQ(again.seed, kernel.seed);
  EXPECT_EQ(again.shape.block.count(), kernel.shape.block.count());
  ASSERT_EQ(again.buffers.size(), kernel.buffers.size());
  for (std::size_t i = 0; i < again.buffers.size(); ++i)
    EXPECT_EQ(again.buffers[i].initial, kernel.buffers[i].initial) << i;
  EXPECT_EQ(oracle_result(again), oracle_result(kernel));
  EXPECT_THROW((void)load(std::string(__FILE__)), base::InputError);
  EXPECT_THROW(save(kernel, ::testing::TempDir() + "no/such/folder/kernel.ptx", ""), base::InputError);
}

}  // namespace
}  // namespace heddle::generator::random_kernels_generator_test
