#include "regression/tm/random_tx.h"

#include <fmt/format.h>

#include <random>

#include "regression/tm/rig.h"

namespace heddle::testing {
namespace {

constexpr unsigned kFirst = 8, kValues = 8;  ///< %r8 ... %r15 hold the thread's values

class Writer {
 public:
  Writer(std::uint64_t seed, const RandomTxShape& shape) : random_(seed), shape_(shape) {}

  std::string run() {
    for (unsigned i = 0; i < kValues; ++i)
      line(fmt::format("mad.lo.u32 %r{}, %g, {}, {};", kFirst + i, odd(), pick(1000)));
    for (unsigned i = 0; i < shape_.transactions; ++i) {
      const bool divergent = pick(3) == 0;
      if (divergent) {
        line(fmt::format("and.b32 %r2, %r{}, {};", value(), 1 + pick(7)));
        line("setp.ne.u32 %p0, %r2, 0;");
        line(fmt::format("@%p0 bra SKIP{};", i));
      }
      transaction(0);
      if (divergent) text_ += fmt::format("SKIP{}:\n", i);
    }
    line("mov.u32 %r2, 0;");
    for (unsigned i = 0; i < kValues; ++i) line(fmt::format("mad.lo.u32 %r2, %r2, 31, %r{};", kFirst + i));
    line("mad.wide.u32 %d0, %g, 4, %b;");
    line("st.global.u32 [%d0], %r2;");
    return text_;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  unsigned odd() { return pick(1u << 20) * 2 + 1; }
  unsigned value() { return kFirst + pick(kValues); }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  void transaction(unsigned depth) {
    if (depth == 0) read_only_ = pick(4) == 0;
    text_ += kTxBegin;
    for (unsigned i = 1 + pick(shape_.operations); i != 0; --i) operation(depth);
    text_ += kTxCommit;
  }

  bool loads() { return read_only_ || pick(2) == 0; }

  /// %d1: the address of an element of `bytes`.
  void address(unsigned bytes) {
    line(fmt::format("shr.u32 %r3, %r{}, {};", value(), pick(8)));
    line(fmt::format("and.b32 %r3, %r3, {};", shape_.words * 4 / bytes - 1));
    line(fmt::format("mad.wide.u32 %d1, %r3, {}, %a;", bytes));
  }

  void operation(unsigned depth) {
    unsigned kind = pick(depth < 2 ? 16 : 12);
    if (read_only_ && (kind == 3 || kind == 4 || kind == 9)) kind = 0;
    switch (kind) {
      case 0:
      case 1:
      case 2:
        address(4);
        line(fmt::format("ld.global.u32 %r{}, [%d1];", value()));
        break;
      case 3:
      case 4:
        address(4);
        line(fmt::format("st.global.u32 [%d1], %r{};", value()));
        break;
      case 5:
        address(1);
        line(loads() ? fmt::format("ld.global.u8 %r{}, [%d1];", value())
                     : fmt::format("st.global.u8 [%d1], %r{};", value()));
        break;
      case 6:
        address(2);
        line(loads() ? fmt::format("ld.global.s16 %r{}, [%d1];", value())
                     : fmt::format("st.global.u16 [%d1], %r{};", value()));
        break;
      case 7:
        address(8);
        line(loads() ? fmt::format("ld.global.v2.u32 {{%r{}, %r{}}}, [%d1];", kFirst + pick(4),
                                   kFirst + 4 + pick(4))
                     : fmt::format("st.global.v2.u32 [%d1], {{%r{}, %r{}}};", value(), value()));
        break;
      case 8:
        address(16);
        line(loads() ? fmt::format("ld.global.v4.u32 {{%r8, %r9, %r14, %r15}}, [%d1];")
                     : fmt::format("st.global.v4.u32 [%d1], {{%r{}, %r{}, %r{}, %r{}}};", value(), value(),
                                   value(), value()));
        break;
      case 9:
        address(4);
        line(loads() ? fmt::format("atom.global.add.u32 %r{}, [%d1], %r{};", value(), value())
                     : fmt::format("red.global.xor.b32 [%d1], %r{};", value()));
        break;
      case 10:
      case 11:
        line(fmt::format("mad.lo.u32 %r{}, %r{}, {}, %r{};", value(), value(), odd(), value()));
        break;
      case 12:
      case 13: {
        const unsigned label = labels_++;
        line(fmt::format("and.b32 %r4, %r{}, {};", value(), 1 + pick(15)));
        line(fmt::format("setp.ne.u32 %p1, %r4, 0;"));
        line(fmt::format("@%p1 bra THEN{};", label));
        operation(depth + 1);
        if (shape_.aborts && pick(6) == 0) abort_sometimes();
        line(fmt::format("bra.uni END{};", label));
        text_ += fmt::format("THEN{}:\n", label);
        operation(depth + 1);
        operation(depth + 1);
        text_ += fmt::format("END{}:\n", label);
        break;
      }
      case 14: {
        const unsigned label = labels_++;
        const unsigned counter = 16 + label % 16;
        line(fmt::format("and.b32 %r{}, %r{}, 3;", counter, value()));
        text_ += fmt::format("LOOP{}:\n", label);
        operation(2);
        operation(2);
        line(fmt::format("setp.eq.u32 %p2, %r{}, 0;", counter));
        line(fmt::format("sub.u32 %r{}, %r{}, 1;", counter, counter));
        line(fmt::format("@!%p2 bra LOOP{};", label));
        break;
      }
      default:
        transaction(depth + 1);
        break;
    }
  }
  /// Every now and then, so that it does not happen for ever.
  void abort_sometimes() {
    const unsigned label = labels_++;
    line("mov.u32 %r5, %clock;");
    line("mul.lo.u32 %r5, %r5, 2654435761;");
    line("shr.u32 %r5, %r5, 29;");
    line("setp.ne.u32 %p3, %r5, 0;");
    line(fmt::format("@%p3 bra GO{};", label));
    text_ += kTxAbort;
    text_ += fmt::format("GO{}:\n", label);
  }

  std::mt19937_64 random_;
  RandomTxShape shape_;
  std::string text_;
  unsigned labels_ = 0;
  bool read_only_ = false;  ///< the transaction
};

}  // namespace

std::string random_tx_body(std::uint64_t seed, const RandomTxShape& shape) {
  return Writer(seed, shape).run();
}

}  // namespace heddle::testing
