// Loads, stores, atomics, fences, and the addresses of variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "frontend/ptx/decode/library.h"
#include "isa/matrix.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_memory_test {
namespace {

using isa::AtomicOp;
using isa::CacheOp;
using isa::FenceOrder;
using isa::MemoryScope;
using isa::Opcode;

isa::Instruction one(const std::string& text, const std::string& params = "",
                     const std::string& globals = "") {
  const auto list = code(text, params, globals);
  EXPECT_EQ(list.size(), 1u) << text;
  return list.at(0);
}

TEST(PtxDecodeMemory, vector_load) {
  const auto k = kernel("@%p1 ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1+-16];");
  const isa::Instruction& i = k->code.at(0);
  EXPECT_EQ(i.op, Opcode::kLoad);
  EXPECT_EQ(i.space, StateSpace::kGlobal);
  EXPECT_EQ(i.type, Type::kF32);
  EXPECT_EQ(i.vector, 4);
  EXPECT_EQ(name_of(*k, i.memory.base), "%rd1");
  EXPECT_EQ(i.memory.displacement, -16);
  EXPECT_EQ(name_of(*k, i.dst[2]), "%f3");
  EXPECT_FALSE(i.dst[1].present);
  EXPECT_EQ(i.read_count, 2);
  EXPECT_EQ(i.write_count, 3);
  EXPECT_EQ(i.unit, isa::Unit::kMemory);
  EXPECT_EQ(i.latency_class, isa::LatencyClass::kMemory);
}

TEST(PtxDecodeMemory, a_load_in_two_halves_reads_its_address_before_it_loads_over_it) {
  for (const char* const of_both : {"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];",
                                    "ld.global.v4.b64 {%rd5, %rd2, %rd3, %rd1}, [%rd1];"}) {
    const auto k = kernel(of_both);
    ASSERT_EQ(k->code.size(), 3u);
    for (const isa::Operand& dst : k->code[0].dst) EXPECT_NE(name_of(*k, dst), "%rd1") << of_both;
    EXPECT_EQ(k->code[0].memory.displacement + k->code[1].memory.displacement, 16) << of_both;
  }
}

TEST(PtxDecodeMemory, fragments_that_are_loaded_over_their_stride) {
  const auto k = kernel(
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], %r1;");
  bool loaded = false;
  for (const isa::Instruction& i : k->code) {
    for (const isa::Operand& src : i.src) {
      if (name_of(*k, src) != "%r1") continue;
      // Behind the loads, only the copies to the second half of the fragment read it.
      EXPECT_TRUE(!loaded || name_of(*k, i.dst[0]) == "%r5");
    }
    loaded = loaded || name_of(*k, i.dst[0]) == "%r1";
  }
  EXPECT_TRUE(loaded);
}

TEST(PtxDecodeMemory, at_most_all_products_of_a_matrix_are_summed_at_once) {
  Library library(false, {.block_bits = 512, .extra_bits = 2});
  const isa::Module module = decode(
      std::make_shared<const Module>(parse(kernel_text("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                                                       "{%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
                                                       "{%f1,%f2,%f3,%f4};"))),
      [](const std::string&, std::uint64_t, std::uint32_t) { return isa::kGlobalBase; }, library);
  EXPECT_EQ(isa::MatrixProduct::unpack(module.kernels.at(0)->code.at(0).immediate).block, 32u);
}

TEST(PtxDecodeMemory, special_registers_of_clusters_are_vectors) {
  for (const char* const name : {"%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"})
    EXPECT_EQ(body_error(std::string("mov.v4.u32 {%r1,%r2,%r3,%r4}, ") + name + ";"), "") << name;
}

TEST(PtxDecodeMemory, vector_store_with_constants) {
  const auto k = kernel("st.shared.v2.b32 [%r1+8], {%r2, 5};");
  const isa::Instruction& i = k->code.at(0);
  EXPECT_EQ(i.op, Opcode::kStore);
  EXPECT_EQ(i.space, StateSpace::kShared);
  EXPECT_EQ(name_of(*k, i.src[0]), "%r2");
  EXPECT_EQ(constant_of(*k, i.src[1]), 5u);
  EXPECT_EQ(i.write_count, 0);
}

TEST(PtxDecodeMemory, narrow_types_go_with_wider_registers) {
  EXPECT_EQ(one("ld.global.s8 %r1, [%rd1];").dst[0].width, isa::RowWidth::k32);
  EXPECT_EQ(one("ld.global.s32 %rd2, [%rd1];").dst[0].width, isa::RowWidth::k64);
  EXPECT_EQ(one("ld.global.u8 %rs1, [%rd1];").type, Type::kU8);
  EXPECT_EQ(one("st.global.u8 [%rd1], %rd2;").src[0].width, isa::RowWidth::k64);
}

TEST(PtxDecodeMemory, a_space_that_is_not_named_is_generic) {
  EXPECT_EQ(one("ld.u32 %r1, [%rd1];").space, StateSpace::kGeneric);
  EXPECT_EQ(one("atom.add.u32 %r1, [%rd1], 1;").space, StateSpace::kGeneric);
}

TEST(PtxDecodeMemory, cache_operators) {
  EXPECT_EQ(one("ld.global.u32 %r1, [%rd1];").cache_op, CacheOp::kDefault);
  EXPECT_EQ(one("ld.global.ca.u32 %r1, [%rd1];").cache_op, CacheOp::kCacheAll);
  EXPECT_EQ(one("ld.global.cg.u32 %r1, [%rd1];").cache_op, CacheOp::kCacheGlobal);
  EXPECT_EQ(one("ld.global.cs.u32 %r1, [%rd1];").cache_op, CacheOp::kStreaming);
  EXPECT_EQ(one("ld.global.lu.u32 %r1, [%rd1];").cache_op, CacheOp::kLastUse);
  EXPECT_EQ(one("ld.global.cv.u32 %r1, [%rd1];").cache_op, CacheOp::kVolatile);
  EXPECT_EQ(one("ld.global.nc.u32 %r1, [%rd1];").cache_op, CacheOp::kNonCoherent);
  EXPECT_EQ(one("ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1];").cache_op, CacheOp::kStreaming);
  EXPECT_EQ(one("st.global.wt.u32 [%rd1], %r1;").cache_op, CacheOp::kWriteThrough);
  EXPECT_EQ(one("ld.volatile.global.u32 %r1, [%rd1];").cache_op, CacheOp::kVolatile);
  EXPECT_EQ(one("ld.relaxed.gpu.u32 %r1, [%rd1];").cache_op, CacheOp::kVolatile);
  EXPECT_EQ(one("st.volatile.u32 [%rd1], %r1;").cache_op, CacheOp::kVolatile);
  EXPECT_EQ(one("ld.weak.u32 %r1, [%rd1];").cache_op, CacheOp::kDefault);
}

TEST(PtxDecodeMemory, strong_accesses_have_a_scope) {
  EXPECT_EQ(one("ld.relaxed.cta.u32 %r1, [%rd1];").scope, MemoryScope::kCta);
  EXPECT_EQ(one("st.relaxed.gpu.u32 [%rd1], %r1;").scope, MemoryScope::kGpu);
  EXPECT_EQ(one("ld.relaxed.cluster.u32 %r1, [%rd1];").scope, MemoryScope::kGpu)
      << "its CTAs may be on other cores";
  EXPECT_EQ(one("ld.volatile.u32 %r1, [%rd1];").scope, MemoryScope::kSystem);
  EXPECT_EQ(one("ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];").scope, MemoryScope::kSystem);
  EXPECT_EQ(one("ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];").cache_op, CacheOp::kVolatile);
}

TEST(PtxDecodeMemory, acquire_and_release_bring_a_fence) {
  const auto load = code("ld.acquire.gpu.b32 %r1, [%rd1];");
  ASSERT_EQ(load.size(), 2u);
  EXPECT_EQ(load[0].op, Opcode::kLoad);
  EXPECT_EQ(load[0].cache_op, CacheOp::kVolatile);
  EXPECT_EQ(load[1].op, Opcode::kFence);
  EXPECT_EQ(load[1].scope, MemoryScope::kGpu);
  EXPECT_EQ(load[1].fence_order, FenceOrder::kAcquire);
  const auto store = code("@%p1 st.release.sys.b32 [%rd1], %r1;");
  ASSERT_EQ(store.size(), 2u);
  EXPECT_EQ(store[0].op, Opcode::kFence);
  EXPECT_EQ(store[0].scope, MemoryScope::kSystem);
  EXPECT_EQ(store[0].fence_order, FenceOrder::kRelease);
  EXPECT_TRUE(store[0].guard.present);
  EXPECT_EQ(store[1].op, Opcode::kStore);
  const auto both = code("atom.acq_rel.cta.global.add.u32 %r1, [%rd1], 1;");
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[1].op, Opcode::kAtomic);
  EXPECT_EQ(both[0].fence_order, FenceOrder::kRelease);
  EXPECT_EQ(both[2].scope, MemoryScope::kCta);
  EXPECT_EQ(both[2].fence_order, FenceOrder::kAcquire);
  EXPECT_EQ(code("atom.acquire.gpu.global.exch.b32 _, [%rd1], 1;")[1].fence_order,
            FenceOrder::kAcquireRelease)
      << "no register waits for it";
}

TEST(PtxDecodeMemory, fences) {
  EXPECT_EQ(one("membar.cta;").scope, MemoryScope::kCta);
  EXPECT_EQ(one("membar.gl;").scope, MemoryScope::kGpu);
  EXPECT_EQ(one("membar.sys;").scope, MemoryScope::kSystem);
  for (const auto& [text, order] : {std::pair{"membar.gl;", FenceOrder::kSequential},
                                    {"fence.sc.gpu;", FenceOrder::kSequential},
                                    {"fence.gpu;", FenceOrder::kAcquireRelease},
                                    {"fence.acq_rel.gpu;", FenceOrder::kAcquireRelease},
                                    {"fence.acquire.gpu;", FenceOrder::kAcquireRelease},
                                    {"fence.release.gpu;", FenceOrder::kRelease}})
    EXPECT_EQ(one(text).fence_order, order) << text;
  const isa::Instruction i = one("fence.acq_rel.gpu;");
  EXPECT_EQ(i.op, Opcode::kFence);
  EXPECT_EQ(i.scope, MemoryScope::kGpu);
}

TEST(PtxDecodeMemory, atomics) {
  struct Case {
    const char* text;
    AtomicOp op;
    Type type;
  };
  for (const Case& c : {Case{"atom.global.add.u32 %r1, [%rd1], 1;", AtomicOp::kAdd, Type::kU32},
                        Case{"atom.global.add.u64 %rd2, [%rd1], 1;", AtomicOp::kAdd, Type::kU64},
                        Case{"atom.global.add.f32 %f1, [%rd1], %f2;", AtomicOp::kAdd, Type::kF32},
                        Case{"atom.shared.add.f64 %fd1, [%r1], %fd2;", AtomicOp::kAdd, Type::kF64},
                        Case{"atom.global.min.s32 %r1, [%rd1], %r2;", AtomicOp::kMin, Type::kS32},
                        Case{"atom.global.max.u64 %rd2, [%rd1], 1;", AtomicOp::kMax, Type::kU64},
                        Case{"atom.global.and.b32 %r1, [%rd1], 1;", AtomicOp::kAnd, Type::kB32},
                        Case{"atom.global.or.b32 %r1, [%rd1], 1;", AtomicOp::kOr, Type::kB32},
                        Case{"atom.global.xor.b64 %rd2, [%rd1], 1;", AtomicOp::kXor, Type::kB64},
                        Case{"atom.global.exch.b32 %f1, [%rd1], %f2;", AtomicOp::kExch, Type::kB32},
                        Case{"atom.global.inc.u32 %r1, [%rd1], 7;", AtomicOp::kInc, Type::kU32},
                        Case{"atom.global.dec.u32 %r1, [%rd1], 7;", AtomicOp::kDec, Type::kU32},
                        // the order libcu++ writes
                        Case{"atom.add.relaxed.gpu.u32 %r1, [%rd1], 7;", AtomicOp::kAdd, Type::kU32}}) {
    const isa::Instruction i = one(c.text);
    EXPECT_EQ(i.op, Opcode::kAtomic) << c.text;
    EXPECT_EQ(i.atomic_op, c.op) << c.text;
    EXPECT_EQ(i.type, c.type) << c.text;
    EXPECT_TRUE(i.dst[0].present) << c.text;
  }
}

TEST(PtxDecodeMemory, compare_and_swap_takes_the_compared_value_first) {
  const auto k = kernel("atom.global.cas.b32 %r1, [%rd1], 0, %r3;");
  EXPECT_EQ(constant_of(*k, k->code[0].src[0]), 0u);
  EXPECT_EQ(name_of(*k, k->code[0].src[1]), "%r3");
}

TEST(PtxDecodeMemory, reductions_have_no_destination) {
  const isa::Instruction i = one("red.global.add.u32 [%rd1+4], %r1;");
  EXPECT_EQ(i.op, Opcode::kAtomic);
  EXPECT_FALSE(i.dst[0].present);
  EXPECT_EQ(i.memory.displacement, 4);
  EXPECT_FALSE(one("atom.global.add.u32 _, [%rd1], 1;").dst[0].present);
}

TEST(PtxDecodeMemory, parameters_are_laid_out_with_their_alignment) {
  const std::string params =
      ".param .u32 a, .param .u64 b, .param .u8 c, .param .align 16 .b8 s[20], .param .f32 d";
  const auto k = kernel(
      "ld.param.u64 %rd1, [b]; ld.param.u32 %r1, [s+16]; mov.b64 %rd2, s; ld.param.v2.u32 {%r2,%r3}, [s];"
      "ld.param.u32 %r4, [%rd2+4];",
      params);
  ASSERT_EQ(k->params.size(), 5u);
  EXPECT_EQ(k->params[1].offset, 8u);
  EXPECT_EQ(k->params[2].offset, 16u);
  EXPECT_EQ(k->params[3].offset, 32u);
  EXPECT_EQ(k->params[3].bytes, 20u);
  EXPECT_EQ(k->params[4].offset, 52u);
  EXPECT_EQ(k->param_bytes, 56u);
  const isa::Instruction& load = k->code.at(0);
  EXPECT_EQ(load.op, Opcode::kLoad);
  EXPECT_EQ(load.space, StateSpace::kParam);
  EXPECT_EQ(load.memory.displacement, 8);
  EXPECT_FALSE(load.memory.base.present);
  EXPECT_EQ(load.unit, isa::Unit::kMemory);
  EXPECT_EQ(load.latency_class, isa::LatencyClass::kMemory);
  EXPECT_EQ(k->code.at(1).memory.displacement, 48);
  EXPECT_EQ(constant_of(*k, k->code.at(2).src[0]), 32u);
  EXPECT_TRUE(k->code.at(4).memory.base.present);
}

TEST(PtxDecodeMemory, shared_variables_that_a_kernel_uses_take_memory_in_order) {
  const auto k = kernel(
      ".shared .b8 own[3]; st.shared.u8 [own+1], 0; ld.shared.u64 %rd1, [b]; ld.shared.u32 %r1, [dyn+4];"
      "ld.u32 %r2, [b];",
      "", ".shared .b8 unused[64]; .shared .b32 a; .shared .b64 b; .extern .shared .align 16 .b8 dyn[];");
  EXPECT_EQ(k->code.at(1).memory.displacement, 0);
  EXPECT_EQ(k->code.at(0).memory.displacement, 9);
  EXPECT_EQ(k->static_shared_bytes, 16u);
  EXPECT_EQ(k->code.at(2).memory.displacement, 20);
  EXPECT_EQ(k->code.at(3).memory.displacement, static_cast<std::int64_t>(isa::kSharedWindowBase));
}

// With -rdc=true nvcc writes the alignment of the type; 16-byte accesses to such an array are aligned on a card.
TEST(PtxDecodeMemory, open_shared_arrays_lie_at_16_bytes_whatever_alignment_they_state) {
  const char* use = ".shared .b8 own[3]; st.shared.u8 [own], 0; ld.shared.u32 %r1, [dyn];";
  for (const char* align : {"", ".align 4 ", ".align 16 "}) {
    const auto k = kernel(use, "", std::string(".extern .shared ") + align + ".b8 dyn[];");
    EXPECT_EQ(k->static_shared_bytes, 16u) << align;
    EXPECT_EQ(k->code.at(1).memory.displacement, 16) << align;
  }
  EXPECT_EQ(kernel(use, "", ".extern .shared .align 64 .b8 dyn[];")->static_shared_bytes, 64u);
}

TEST(PtxDecodeMemory, local_variables_have_offsets_per_thread) {
  const auto k =
      kernel(".local .align 8 .b8 depot[12]; .local .b32 x; st.local.u32 [x], 1; st.local.u32 [depot], 1;");
  EXPECT_EQ(k->code.at(0).memory.displacement, 12);
  EXPECT_EQ(k->local_bytes_per_thread, 16u);
}

TEST(PtxDecodeMemory, global_variables_get_addresses_and_initial_bytes) {
  const isa::Module m = decode_module(
      std::string(kHeader) +
      ".global .align 8 .u64 ptr[2] = {generic(tab)+4, tab};\n.visible .global .b32 tab[4] = {1, -2};\n"
      ".const .f32 c[2] = {1.5, 0f40000000};\n.global .u8 parts[2] = {0xFF(tab), 0xFF000000(tab)};\n.global "
      ".b8 zero[3];\n");
  ASSERT_EQ(m.globals.size(), 5u);
  EXPECT_EQ(m.globals[0].name, "ptr");
  EXPECT_EQ(m.globals[0].align, 8u);
  const std::uint64_t tab = m.globals[1].address;
  std::uint64_t pointers[2] = {};
  ASSERT_EQ(m.globals[0].initial.size(), 16u);
  std::memcpy(pointers, m.globals[0].initial.data(), 16);
  EXPECT_EQ(pointers[0], tab + 4);
  EXPECT_EQ(pointers[1], tab);
  EXPECT_EQ(m.globals[1].bytes, 16u);
  std::int32_t words[2] = {};
  std::memcpy(words, m.globals[1].initial.data(), 8);
  EXPECT_EQ(words[1], -2);
  EXPECT_EQ(m.globals[2].space, StateSpace::kConst);
  float floats[2] = {};
  std::memcpy(floats, m.globals[2].initial.data(), 8);
  EXPECT_EQ(floats[0], 1.5f);
  EXPECT_EQ(floats[1], 2.0f);
  EXPECT_EQ(static_cast<std::uint8_t>(m.globals[3].initial.at(0)), tab & 0xff);
  EXPECT_EQ(static_cast<std::uint8_t>(m.globals[3].initial.at(1)), tab >> 24);
  EXPECT_TRUE(m.globals[4].initial.empty());
}

TEST(PtxDecodeMemory, constants_fill_64_kib_with_their_alignment) {
  // tests/data/ptx/bad/constants_too_large.ptx has one more.
  const std::string fits =
      std::string(kHeader) + ".const .b8 first[65520];\n.const .b8 one;\n.const .u64 rest;\n";
  EXPECT_EQ(decode_module(fits).globals.size(), 3u);
  EXPECT_EQ(
      decode_module(fits + ".global .b8 g[70000];\n.extern .const .b8 elsewhere[60000];\n").globals.size(),
      4u);
}

TEST(PtxDecodeMemory, variables_are_addressed_directly) {
  EXPECT_EQ(one("ld.const.f32 %f1, [c+4];", "", ".const .f32 c[2];").memory.displacement,
            static_cast<std::int64_t>(isa::kGlobalBase + 4));
  EXPECT_EQ(one("ld.global.u32 %r1, [64];").memory.displacement, 64);
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_memory_test
