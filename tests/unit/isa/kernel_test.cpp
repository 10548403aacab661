// Atomics, names, and a kernel's descriptions of its instructions.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "isa/kernel.h"
#include "unit/isa/warp.h"

namespace heddle::isa::test::kernel_test {
namespace {

struct AtomicCase {
  AtomicOp op;
  Type type;
  std::uint64_t old, operand, compare, expected;
};

TEST(Atomic, ReadModifyWriteTable) {
  constexpr std::uint64_t kMinus1 = 0xffff'ffffu;
  const AtomicCase cases[] = {
      {AtomicOp::kAdd, Type::kU32, kMinus1, 2, 0, 1},
      {AtomicOp::kAdd, Type::kS32, 5, kMinus1, 0, 4},
      {AtomicOp::kAdd, Type::kU64, kMinus1, 1, 0, 0x1'0000'0000u},
      {AtomicOp::kAdd, Type::kF32, f32(1.5f), f32(2.25f), 0, f32(3.75f)},
      {AtomicOp::kAdd, Type::kF64, f64(1.5), f64(-1.5), 0, 0},
      // NaNs, measured on an H200 but for two of them
      {AtomicOp::kAdd, Type::kF64, 0, 0x7ff0'0000'0000'0001u, 0, 0x7ff0'0000'0000'0001u},
      {AtomicOp::kAdd, Type::kF64, 0, 0xfff8'0000'0000'0123u, 0, 0xfff8'0000'0000'0123u},
      {AtomicOp::kAdd, Type::kF64, 0x7ff0'0000'0000'0001u, f64(1), 0, 0x7ff0'0000'0000'0001u},
      {AtomicOp::kAdd, Type::kF64, 0x7ff0'0000'0000'0001u, 0xfff8'0000'0000'0123u, 0, 0xfff8'0000'0000'0123u},
      {AtomicOp::kAdd, Type::kF64, 0x7ff0'0000'0000'0000u, 0xfff0'0000'0000'0000u, 0, 0xfff8'0000'0000'0000u},
      {AtomicOp::kAdd, Type::kF32, 0x7f80'0000u, 0xff80'0000u, 0, 0x7fff'ffffu},
      {AtomicOp::kAdd, Type::kF32, 1, 1, 0, 0},  // subnormals are flushed
      {AtomicOp::kAdd, Type::kF32, 0x8000'0001u, 0x8000'0001u, 0, 0x8000'0000u},
      {AtomicOp::kMin, Type::kS32, kMinus1, 1, 0, kMinus1},
      {AtomicOp::kMin, Type::kU32, kMinus1, 1, 0, 1},
      {AtomicOp::kMax, Type::kS32, kMinus1, 1, 0, 1},
      {AtomicOp::kMax, Type::kU32, kMinus1, 1, 0, kMinus1},
      {AtomicOp::kMax, Type::kS64, 0x8000'0000'0000'0000u, 3, 0, 3},
      {AtomicOp::kMin, Type::kU64, 0x8000'0000'0000'0000u, 3, 0, 3},
      {AtomicOp::kAnd, Type::kB32, 0xff00, 0x0ff0, 0, 0x0f00},
      {AtomicOp::kOr, Type::kB64, 0xff00, 0x0ff0, 0, 0xfff0},
      {AtomicOp::kXor, Type::kB32, 0xff00, 0x0ff0, 0, 0xf0f0},
      {AtomicOp::kExch, Type::kB32, 1, 2, 0, 2},
      {AtomicOp::kExch, Type::kB64, 1, ~std::uint64_t{0}, 0, ~std::uint64_t{0}},
      {AtomicOp::kCas, Type::kB32, 7, 9, 7, 9},
      {AtomicOp::kCas, Type::kB32, 7, 9, 8, 7},
      {AtomicOp::kCas, Type::kB16, 0x1'0007u, 9, 7, 9},  // only the low 16 bits are the value
      {AtomicOp::kInc, Type::kU32, 3, 5, 0, 4},
      {AtomicOp::kInc, Type::kU32, 5, 5, 0, 0},
      {AtomicOp::kInc, Type::kU32, 9, 5, 0, 0},
      {AtomicOp::kDec, Type::kU32, 3, 5, 0, 2},
      {AtomicOp::kDec, Type::kU32, 0, 5, 0, 5},
      {AtomicOp::kDec, Type::kU32, 9, 5, 0, 5},
  };
  for (const AtomicCase& c : cases)
    EXPECT_EQ(apply_atomic(c.op, c.type, c.old, c.operand, c.compare), c.expected)
        << atomic_name(c.op) << "." << type_name(c.type) << " of " << c.old << ", " << c.operand;
}

TEST(Atomic, SharedMemoryAddKeepsSubnormals) {
  EXPECT_EQ(apply_atomic(AtomicOp::kAdd, Type::kF32, 1, 1, 0, false), 2u);
  EXPECT_EQ(apply_atomic(AtomicOp::kAdd, Type::kF64, 0, 0x7ff0'0000'0000'0001u, 0, false),
            0x7ff8'0000'0000'0001u);
}

template <class E, class Name>
void expect_distinct_names(unsigned last, Name name) {
  std::set<std::string> names;
  for (unsigned i = 0; i <= last; ++i) names.insert(std::string(name(static_cast<E>(i))));
  EXPECT_EQ(names.size(), last + 1u);
}

TEST(Names, AreDistinct) {
  expect_distinct_names<Type>(static_cast<unsigned>(Type::kF64), type_name);
  expect_distinct_names<StateSpace>(static_cast<unsigned>(StateSpace::kGeneric), space_name);
  expect_distinct_names<AtomicOp>(static_cast<unsigned>(AtomicOp::kDec), atomic_name);
  expect_distinct_names<LatencyClass>(kLatencyClasses - 1, latency_class_name);
  EXPECT_EQ(type_name(Type::kBf16x2), "bf16x2");
  EXPECT_EQ(space_name(StateSpace::kShared), "shared");
}

Kernel spinlock() {
  Kernel kernel;
  kernel.name = "spinlock";
  kernel.code.resize(9);
  kernel.code[7].where = {3, 5};
  auto source = std::make_shared<SourceText>();
  source->name = "file.ptx";
  source->lines = {".version 6.0", "L:", "\t atom.global.cas.b32 %r1, [%rd1], 0, 1; \r"};
  kernel.source = source;
  return kernel;
}

TEST(Kernel, PlaceNamesFileLineAndPc) {
  const Kernel kernel = spinlock();
  EXPECT_EQ(kernel.location(base::Pc{7}), "file.ptx:3 (pc 0x038 in kernel spinlock)");
  EXPECT_EQ(kernel.location(base::Pc{8}),
            "file.ptx (pc 0x040 in kernel spinlock)");  // made by the decoder: no line
  EXPECT_EQ(kernel.location(base::kNoPc), "file.ptx: kernel spinlock");
  EXPECT_EQ(Kernel{}.location(base::Pc{0}), "kernel ");
}

TEST(Kernel, SourceLineIsTrimmed) {
  const Kernel kernel = spinlock();
  EXPECT_EQ(kernel.source_line(base::Pc{7}), "atom.global.cas.b32 %r1, [%rd1], 0, 1;");
  EXPECT_EQ(kernel.source_line(base::Pc{0}), "");
  EXPECT_EQ(kernel.source_line(base::kNoPc), "");
}

TEST(Kernel, RegisterBlockLayout) {
  const RegisterLayout layout{.rows32 = 3, .rows64 = 2, .predicates = 5};
  EXPECT_EQ(layout.offset64(1), 3u * 128 + 256);
  EXPECT_EQ(layout.offset_predicate(4), 3u * 128 + 2 * 256 + 16);
  EXPECT_EQ(layout.bytes(), 960u);
  EXPECT_EQ(layout.bytes() % 64, 0u);
}

TEST(Module, FindsKernelsByName) {
  Module module;
  module.kernels.push_back(std::make_shared<const Kernel>(spinlock()));
  ASSERT_NE(module.find("spinlock"), nullptr);
  EXPECT_EQ(module.find("spinlock")->code.size(), 9u);
  EXPECT_EQ(module.find("other"), nullptr);
}

}  // namespace
}  // namespace heddle::isa::test::kernel_test
