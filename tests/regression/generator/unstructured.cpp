#include "generator/unstructured.h"

#include <fmt/format.h>

#include "generator/random_source.h"

namespace heddle::generator {
namespace {

constexpr std::uint32_t kCounters = 16;
constexpr std::uint64_t kUnstructuredCounterBytes = 64;

/// %x: the hash, %turns: what is left of the thread's turns, %out: the address of its word, %counters.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed), functions_(random_.below(3)) {}

  std::string module() {
    std::string text =
        ".version 7.5\n.target sm_75\n.address_size 64\n.global .align 8 .b8 totals[64];\n.global .align 8 "
        ".b8 spare[8];\n";
    for (std::uint32_t f = 0; f < functions_; ++f) text += function(f);
    return text + kernel();
  }

 private:
  static constexpr const char* kRegisters =
      "  .reg .b32 %x, %turns, %t<6>;\n  .reg .b64 %a<3>;\n  .reg .pred %p, %q;\n";

  std::string label(std::uint32_t block) const { return fmt::format("L{}", block); }
  std::string any_label() { return label(random_.below(blocks_)); }

  /// %p := something that lanes decide differently, or all alike.
  std::string decide() {
    const std::uint32_t shift = random_.below(28);
    switch (random_.below(4)) {
      case 0:
        return fmt::format("  setp.gt.u32 %p, %turns, {};\n", random_.between(1, 20));
      case 1:
        return fmt::format("  bfe.u32 %t0, %x, {}, 1;\n  setp.eq.u32 %p, %t0, 0;\n", shift);
      case 2:
        return fmt::format("  bfe.u32 %t0, %x, {}, 3;\n  setp.eq.u32 %p, %t0, {};\n", shift,
                           random_.below(8));
      default:
        return fmt::format("  mov.u32 %t0, %tid.x;\n  setp.{}.u32 %p, %t0, {};\n",
                           random_.pick({"lt", "ge", "eq"}), random_.below(40));
    }
  }

  std::string work() {
    const std::uint32_t number = random_.below(1000);
    switch (random_.below(8)) {
      case 0:
        return fmt::format("  mov.u32 %t1, {};\n  red.global.add.u32 [%a1+{}], %t1;\n", number,
                           4 * random_.below(kCounters));
      case 1:  // with itself only
        return "  mov.u32 %t1, %lanemask_eq;\n  shfl.sync.idx.b32 %t2, %x, 0, 0x1f, %t1;\n  add.u32 %x, %x, "
               "%t1;\n";
      case 2:
        return "  nanosleep.u32 20;\n";
      case 3:
        return fmt::format("  @%p xor.b32 %x, %x, {};\n", number);
      case 4:
        return "  st.global.u32 [%a0+4], %x;\n";
      default:
        return fmt::format("  mad.lo.u32 %x, %x, {}, {};\n", number | 1, random_.below(100'000));
    }
  }

  std::string call() {
    if (functions_ == 0) return "";
    return fmt::format(
        "  {{\n    .param .b32 i0, i1, o0, o1;\n    st.param.b32 [i0], %x;\n    st.param.b32 [i1], %turns;\n"
        "    call.uni (o0, o1), f{}, (i0, i1);\n    ld.param.b32 %x, [o0];\n    ld.param.b32 %turns, [o1];\n"
        "  }}\n",
        random_.below(functions_));
  }

  std::string jump() {
    switch (random_.below(6)) {
      case 0:
        return fmt::format("  bra {};\n", any_label());
      case 1: {
        const std::uint32_t count = random_.between(2, 5);
        std::string labels = any_label();
        for (std::uint32_t i = 1; i < count; ++i) labels += ", " + any_label();
        const std::string table = fmt::format("T{}_{}", place_, tables_++);
        return fmt::format(
            "  {}: .branchtargets {};\n  bfe.u32 %t0, %x, {}, 8;\n  rem.u32 %t0, %t0, {};\n"
            "  brx.idx %t0, {};\n",
            table, labels, random_.below(24), count, table);
      }
      case 2:
        return decide() +
               fmt::format("  @{}%p bra {};\n  bra {};\n", random_.pick({"", "!"}), any_label(), any_label());
      case 3:  // two branches in a row
        return decide() + fmt::format("  @%p bra {};\n", any_label()) + decide() +
               fmt::format("  @%p bra {};\n", any_label());
      default:
        return decide() + fmt::format("  @{}%p bra {};\n", random_.pick({"", "!"}), any_label());
    }
  }

  /// `end`: where threads go that have no turns left.
  std::string body(const std::string& end, const std::string& leave) {
    blocks_ = random_.between(2, 14);
    std::string text;
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      text += fmt::format(
          "{}:\n  setp.eq.u32 %q, %turns, 0;\n  @%q bra {};\n  sub.u32 %turns, %turns, 1;\n"
          "  mad.lo.u32 %x, %x, 1664525, {};\n",
          label(block), end, block * 977 + 13);
      for (std::uint32_t i = random_.below(3); i > 0; --i) text += work();
      if (random_.chance(15)) text += call();
      if (random_.chance(15)) text += decide() + leave;
      text += jump();
    }
    return text + fmt::format("  bra {};\n", label(random_.below(blocks_)));
  }

  std::string function(std::uint32_t number) {
    // A function calls those before it only, so that there is no recursion.
    place_ = number + 1;
    const std::uint32_t all = functions_;
    functions_ = number;
    std::string text = fmt::format(
        ".func (.param .b32 r0, .param .b32 r1) f{}(.param .b32 p0, .param .b32 p1)\n{{\n{}"
        "  setp.eq.u32 %p, 0, 1;\n  ld.param.u32 %x, [p0];\n  ld.param.u32 %turns, [p1];\n  mov.u64 %a1, "
        "totals;\n  mov.u64 %a0, "
        "spare;\n",
        number, kRegisters);
    const std::string leave =
        "  st.param.b32 [r0], %x;\n  st.param.b32 [r1], %turns;\n" + std::string("  @%p ret;\n");
    text += body("END", leave);
    text += "END:\n  st.param.b32 [r0], %x;\n  st.param.b32 [r1], %turns;\n  ret;\n}\n";
    functions_ = all;
    return text;
  }

  std::string kernel() {
    place_ = 0;
    std::string text = fmt::format(
        ".visible .entry random_kernel(.param .u64 in, .param .u64 out, .param .u64 counters, .param .u64 "
        "tallies)\n{{\n{}"
        "  setp.eq.u32 %p, 0, 1;\n  ld.param.u64 %a0, [out];\n  ld.param.u64 %a1, [counters];\n  mov.u32 "
        "%t0, %tid.x;\n  mov.u32 %t1, "
        "%ctaid.x;\n  mov.u32 %t2, %ntid.x;\n  mad.lo.u32 %t3, %t1, %t2, %t0;\n  mul.wide.u32 %a2, %t3, 8;\n"
        "  add.u64 %a0, %a0, %a2;\n  mul.lo.u32 %x, %t3, 2654435761;\n",
        kRegisters);
    text +=
        fmt::format("  bfe.u32 %turns, %x, 9, 4;\n  add.u32 %turns, %turns, {};\n", random_.between(3, 40));
    text += fmt::format("  bra {};\n", "L0");
    text += body("END", "  @%p st.global.u32 [%a0], %x;\n  @%p exit;\n");
    return text + "END:\n  st.global.u32 [%a0], %x;\n  ret;\n}\n";
  }

  RandomSource random_;
  std::uint32_t functions_;
  std::uint32_t place_ = 0;  ///< 0: the kernel, otherwise a function
  std::uint32_t blocks_ = 1;
  std::uint32_t tables_ = 0;
};

}  // namespace

GeneratedKernel generate_unstructured(std::uint64_t seed) {
  RandomSource random(seed ^ 0x5eed);
  GeneratedKernel kernel;
  kernel.seed = seed;
  kernel.entry = "random_kernel";
  kernel.shape = {{random.between(1, 2), 1, 1}, {random.pick({17u, 32u, 48u, 64u}), 1, 1}, 0};
  const std::uint64_t threads = kernel.shape.grid.count() * kernel.shape.block.count();
  kernel.ptx = Writer(seed).module();
  kernel.buffers = make_buffers(seed, {64, threads * 8, kUnstructuredCounterBytes, 64});
  return kernel;
}

}  // namespace heddle::generator
