// Extended-precision arithmetic (PTX ISA "Extended-Precision Arithmetic Instructions") on the GPU and on the oracle,
// which share a parser: both are compared with 128-bit integers of the C++ compiler. Random chains mix additions,
// subtractions and products, types and guards; tests/data/wide is what nvcc makes of 128-bit integers.
//
// CC.CF is the carry of the adder. A subtraction adds the complement, so that its carry says "not borrow": the last
// example below is what ptxas folds these instructions to, and what nvcc's 128-bit division counts on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "depth.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::carry_chains_test {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;
using host::Args;

constexpr std::uint32_t kThreads = 64;

/// splitmix64
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e37'79b9'7f4a'7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  /// Often a number whose sums and differences carry, borrow or just do not.
  std::uint64_t operand() {
    constexpr std::array kEdges = {0ull,
                                   1ull,
                                   0xffff'ffffull,
                                   0x8000'0000ull,
                                   1ull << 63,
                                   ~0ull,
                                   0x7fff'ffff'ffff'ffffull,
                                   ~0ull << 32,
                                   0x7fff'ffffull,
                                   ~0ull - 1,
                                   1ull << 32};
    const std::uint64_t choice = below(3);
    return choice == 0 ? kEdges[below(kEdges.size())] : choice == 1 ? next() >> below(64) : next();
  }
};

// ---- random chains ----

constexpr unsigned kRegisters = 4;  ///< %w0 .. %w3 of 64 bits, %r0 .. %r3 of 32
constexpr std::size_t kSteps = 24;

struct State {
  std::array<std::uint64_t, kRegisters> w{};
  std::array<std::uint32_t, kRegisters> r{};
  bool p = false;
  bool carry = false;
};

struct Operand {
  bool is_constant = false;
  unsigned reg = 0;
  std::int32_t constant = 0;
};

struct Step {
  enum class Op : std::uint8_t { kAdd, kSub, kMadLo, kMadHi };
  Op op = Op::kAdd;
  bool reads = false;   ///< addc, subc, madc
  bool writes = false;  ///< .cc
  bool is_signed = false;
  unsigned bits = 32;
  unsigned guard = 0;  ///< 1: @%p, 2: @!%p
  unsigned target = 0;
  std::array<Operand, 3> from{};

  [[nodiscard]] bool product() const { return op == Op::kMadLo || op == Op::kMadHi; }
};

Step random_step(Random& random, bool first) {
  Step step;
  step.op = static_cast<Step::Op>(random.below(4));
  // The flag is defined from the first .cc on. mad without a carry is not of this family.
  step.reads = !first && random.below(3) != 0;
  step.writes = first || random.below(3) != 0 || (step.product() && !step.reads);
  step.is_signed = random.below(2) != 0;
  step.bits = random.below(2) != 0 ? 64 : 32;
  step.guard = first ? 0 : static_cast<unsigned>(random.below(6));
  step.target = static_cast<unsigned>(random.below(kRegisters));
  for (Operand& operand : step.from) {
    operand.is_constant = random.below(5) == 0;
    operand.reg = static_cast<unsigned>(random.below(kRegisters));
    operand.constant = static_cast<std::int32_t>(random.below(5)) - 2;
  }
  return step;
}

std::string text_of(const Step& step, std::size_t number) {
  const std::string bank = step.bits == 64 ? "%w" : "%r";
  std::string text = step.guard == 1 ? "@%p " : step.guard == 2 ? "@!%p " : "";
  text += step.product() ? "mad" : step.op == Step::Op::kAdd ? "add" : "sub";
  if (step.reads) text += "c";
  if (step.product()) text += step.op == Step::Op::kMadHi ? ".hi" : ".lo";
  if (step.writes) text += ".cc";
  text +=
      (step.is_signed ? ".s" : ".u") + std::to_string(step.bits) + " " + bank + std::to_string(step.target);
  for (std::size_t i = 0; i < (step.product() ? 3 : 2); ++i) {
    const Operand& operand = step.from[i];
    text +=
        ", " + (operand.is_constant ? std::to_string(operand.constant) : bank + std::to_string(operand.reg));
  }
  return text + "; st.global.u" + std::to_string(step.bits) + " [%out+" + std::to_string(8 * number) + "], " +
         bank + std::to_string(step.target) + ";\n";
}

/// The step's effect on one thread.
void execute(const Step& step, State& state) {
  if ((step.guard == 1 && !state.p) || (step.guard == 2 && state.p)) return;
  const Wide mask = (Wide{1} << step.bits) - 1;
  const auto value = [&](std::size_t i) -> Wide {
    const Operand& operand = step.from[i];
    if (operand.is_constant) return static_cast<Wide>(SignedWide{operand.constant}) & mask;
    return step.bits == 64 ? Wide{state.w[operand.reg]} : Wide{state.r[operand.reg]};
  };
  const auto extended = [&](Wide number) {
    const bool negative = step.is_signed && (number >> (step.bits - 1)) != 0;
    return negative ? number | ~mask : number;
  };
  const Wide carry = state.carry ? 1 : 0;
  Wide sum = 0;
  if (step.op == Step::Op::kSub) {
    sum = value(0) + (~value(1) & mask) + (step.reads ? carry : 1);
  } else if (step.op == Step::Op::kAdd) {
    sum = value(0) + value(1) + (step.reads ? carry : 0);
  } else {
    const Wide product = extended(value(0)) * extended(value(1));
    const Wide half = (step.op == Step::Op::kMadHi ? product >> step.bits : product) & mask;
    sum = half + value(2) + (step.reads ? carry : 0);
  }
  if (step.writes) state.carry = (sum >> step.bits) != 0;
  if (step.bits == 64)
    state.w[step.target] = static_cast<std::uint64_t>(sum);
  else
    state.r[step.target] = static_cast<std::uint32_t>(sum);
}

struct Chain {
  std::vector<Step> steps;
  std::string text;  ///< of its kernel
};

Chain random_chain(Random& random, const std::string& name) {
  Chain chain;
  chain.text = ".visible .entry " + name +
               "(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %w<4>; .reg .b32 %t, %r<4>; .reg "
               ".pred %p;\n"
               "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"
               "mad.wide.u32 %in, %t, 32, %in; mad.wide.u32 %out, %t, " +
               std::to_string(8 * (kSteps + 1)) + ", %out;\n";
  for (unsigned i = 0; i < kRegisters; ++i)
    chain.text += "ld.global.u64 %w" + std::to_string(i) + ", [%in+" + std::to_string(8 * i) +
                  "]; cvt.u32.u64 %r" + std::to_string(i) + ", %w" + std::to_string(i) + ";\n";
  chain.text += "setp.lt.s64 %p, %w0, %w1;\n";
  for (std::size_t i = 0; i < kSteps; ++i)
    chain.text += text_of(chain.steps.emplace_back(random_step(random, i == 0)), i);
  chain.text +=
      "addc.u64 %w0, 0, 0; st.global.u64 [%out+" + std::to_string(8 * kSteps) + "], %w0;\nret;\n}\n";
  return chain;
}

/// What the kernel stores: of every step its target, then the carry.
std::vector<std::uint64_t> expected(const Chain& chain, const std::vector<std::uint64_t>& in) {
  std::vector<std::uint64_t> out;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    State state;
    for (unsigned i = 0; i < kRegisters; ++i) {
      state.w[i] = in[thread * kRegisters + i];
      state.r[i] = static_cast<std::uint32_t>(state.w[i]);
    }
    state.p = static_cast<std::int64_t>(state.w[0]) < static_cast<std::int64_t>(state.w[1]);
    for (const Step& step : chain.steps) {
      execute(step, state);
      out.push_back(step.bits == 64 ? state.w[step.target] : state.r[step.target]);
    }
    out.push_back(state.carry ? 1 : 0);
  }
  return out;
}

const std::string kHeader = ".version 7.5\n.target sm_75\n.address_size 64\n";

TEST(CarryChains, RandomChainsOnTheGpuAndOnTheOracle) {
  Random random{39};
  std::vector<std::uint64_t> in(kThreads * kRegisters);
  std::vector<Chain> chains;
  std::string text = kHeader;
  for (std::uint64_t i = 0; i < depth::times(40); ++i)
    text += chains.emplace_back(random_chain(random, "chain" + std::to_string(i))).text;
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&oracle, &gpu}) {
    const auto module = device->load_ptx_text(text, "chains.ptx");
    Random operands{75};
    for (std::size_t c = 0; c < chains.size(); ++c) {
      for (std::uint64_t& value : in) value = operands.operand();
      const std::uint64_t in_d = device->upload(in, "in");
      const std::uint64_t out_d = device->allocate(8 * kThreads * (kSteps + 1), "out");
      device->launch(module, "chain" + std::to_string(c), {{1}, {kThreads}}, Args().add(in_d).add(out_d));
      const auto got = device->download<std::uint64_t>(out_d, kThreads * (kSteps + 1));
      const auto want = expected(chains[c], in);
      const auto [wrong, right] = std::mismatch(got.begin(), got.end(), want.begin());
      if (wrong != got.end()) {
        const auto at = static_cast<std::size_t>(wrong - got.begin());
        FAIL() << (device == &gpu ? "the GPU" : "the oracle") << ": step " << at % (kSteps + 1)
               << " of thread " << at / (kSteps + 1) << " is " << std::hex << *wrong << " instead of "
               << *right << "\n"
               << chains[c].text;
      }
      device->free(in_d);
      device->free(out_d);
    }
  }
}

// ---- compiled 128-bit integers ----

/// Runs a kernel of tests/data/wide on the GPU and on the oracle. `args` uploads the inputs and adds all arguments;
/// it returns the addresses of the results, in the order of `want`.
class CarryCode : public ::testing::Test {
 protected:
  using Outputs = std::vector<std::vector<std::uint64_t>>;
  void expect(const std::string& kernel, const std::vector<std::vector<std::uint64_t>>& inputs,
              const Outputs& want) {
    for (host::Device* device : std::initializer_list<host::Device*>{&oracle_, &gpu_}) {
      const auto module =
          device->load_ptx_file(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/wide/wide.nvcc.ptx");
      Args args;
      for (const auto& values : inputs) args.add(device->upload(values, "in"));
      std::vector<std::uint64_t> outputs;
      for (const auto& values : want)
        args.add(outputs.emplace_back(device->allocate(8 * values.size(), "out")));
      device->launch(module, kernel, {{kCount / kThreads}, {kThreads}}, args);
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(device->download<std::uint64_t>(outputs[i], want[i].size()), want[i])
            << "result " << i << " of " << kernel << " on " << (device == &gpu_ ? "the GPU" : "the oracle");
    }
  }

  /// Two words per number, the lower first.
  static std::vector<std::uint64_t> words(const std::vector<Wide>& numbers) {
    std::vector<std::uint64_t> all;
    for (const Wide number : numbers) {
      all.push_back(static_cast<std::uint64_t>(number));
      all.push_back(static_cast<std::uint64_t>(number >> 64));
    }
    return all;
  }
  static std::vector<Wide> numbers(std::uint64_t seed, bool zero_allowed) {
    Random random{seed};
    std::vector<Wide> all(kCount);
    for (Wide& number : all) do {
        number = Wide{random.operand()} << 64 | random.operand();
        if (random.below(3) == 0) number >>= random.below(128);
      } while (number == 0 && !zero_allowed);
    return all;
  }
  template <class Function>
  static std::vector<Wide> each(const std::vector<Wide>& a, const std::vector<Wide>& b, Function function) {
    std::vector<Wide> all(kCount);
    for (std::size_t i = 0; i < kCount; ++i) all[i] = static_cast<Wide>(function(a[i], b[i]));
    return all;
  }

  static constexpr std::uint32_t kCount = 4 * kThreads;

 private:
  gpu::GpuDevice gpu_{gpu::load_platform("tiny", {}), {}};
  oracle::OracleDevice oracle_;
};

TEST_F(CarryCode, DivisionOf128Bits) {
  const auto a = numbers(1, true), b = numbers(2, false);
  expect("divide", {words(a), words(b)},
         {words(each(a, b, [](Wide x, Wide y) { return x / y; })),
          words(each(a, b, [](Wide x, Wide y) { return x % y; }))});
}

TEST_F(CarryCode, SignedDivisionOf128Bits) {
  auto a = numbers(3, true), b = numbers(4, false);
  // The one quotient that does not exist.
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] == Wide{1} << 127 && b[i] == ~Wide{0}) a[i] = 1;
  const auto signed_each = [&](auto function) {
    return words(each(a, b, [&](Wide x, Wide y) {
      return function(static_cast<SignedWide>(x), static_cast<SignedWide>(y));
    }));
  };
  expect("divide_signed", {words(a), words(b)},
         {signed_each([](SignedWide x, SignedWide y) { return x / y; }),
          signed_each([](SignedWide x, SignedWide y) { return x % y; })});
}

TEST_F(CarryCode, SumsProductsComparisonsAndShifts) {
  const auto a = numbers(5, true), b = numbers(6, true);
  std::vector<Wide> want;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Wide x = a[i], y = b[i];
    const bool less = x < y, less_signed = static_cast<SignedWide>(x) < static_cast<SignedWide>(y);
    for (const Wide value : {x + y, x - y, x * y, -x, Wide{(less ? 1u : 0u) + (less_signed ? 2u : 0u)},
                             x << static_cast<unsigned>(y & 127) | y >> static_cast<unsigned>(x & 127)})
      want.push_back(value);
  }
  expect("arithmetic", {words(a), words(b)}, {words(want)});
}

TEST_F(CarryCode, ModularArithmetic) {
  Random random{7};
  std::vector<std::uint64_t> a(kCount), b(kCount), m(kCount), product(kCount), difference(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    m[i] = random.operand() | 1;
    a[i] = random.operand() % m[i];
    b[i] = random.operand() % m[i];
    product[i] = static_cast<std::uint64_t>(Wide{a[i]} * b[i] % m[i]);
    difference[i] = a[i] >= b[i] ? a[i] - b[i] : m[i] - (b[i] - a[i]);
  }
  expect("modular", {a, b, m}, {product, difference});
}

TEST_F(CarryCode, ABorrowBecomesAMask) {
  const Wide prime = Wide{0} - 159;
  auto a = numbers(8, true), b = numbers(9, true);
  for (auto* all : {&a, &b})
    for (Wide& number : *all) number %= prime;
  expect("field_subtract", {words(a), words(b)},
         {words(each(a, b, [prime](Wide x, Wide y) { return x >= y ? x - y : prime - (y - x); }))});
}

TEST_F(CarryCode, AnAdditionBehindASubtraction) {
  Random random{10};
  std::vector<std::uint64_t> a(kCount), b(kCount), difference(kCount), flag(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    a[i] = random.operand();
    b[i] = random.below(4) == 0 ? a[i] : random.operand();
    difference[i] = a[i] - b[i];
    flag[i] = a[i] >= b[i] ? 1 : 0;
  }
  expect("subtract_then_add", {a, b}, {difference, flag});
}

TEST(CarryChains, AsPtxasFoldsThem) {
  // ptxas 13.0 -arch=sm_75 -O3 stores these four constants.
  const std::string text = kHeader + R"(.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<10>; .reg .b64 %out;
  ld.param.u64 %out, [out];
  mov.u32 %r1, 5; mov.u32 %r2, 3; mov.u32 %r9, 0;
  sub.cc.u32 %r3, %r1, %r2; addc.u32 %r4, %r9, %r9;
  sub.cc.u32 %r5, %r2, %r1; addc.u32 %r6, %r9, %r9;
  add.cc.u32 %r7, %r1, %r2; subc.u32 %r8, %r9, %r9;
  st.global.v4.u32 [%out], {%r4, %r6, %r8, %r9};
  ret;
}
)";
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&oracle, &gpu}) {
    const auto module = device->load_ptx_text(text, "folded.ptx");
    const std::uint64_t out = device->allocate(16, "out");
    device->launch(module, "k", {{1}, {1}}, Args().add(out));
    EXPECT_THAT(device->download<std::uint32_t>(out, 4), ::testing::ElementsAre(1, 0, 0xffff'ffffu, 0));
  }
}

}  // namespace
}  // namespace heddle::carry_chains_test
