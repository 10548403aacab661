// Tree to PTX text.
#include <cstring>
#include <optional>

#include "generator/generated_kernel.h"
#include "generator/random_source.h"
#include "generator/templates.h"

namespace heddle::generator {

namespace {

// A thread's region in the out buffer: its slots, then its registers at the end of the kernel.
constexpr unsigned kWordsAt = kSlotBytes;
constexpr unsigned kLongsAt = kWordsAt + kWords * 4;
constexpr unsigned kFloatsAt = kLongsAt + kLongs * 8;
constexpr unsigned kDoublesAt = kFloatsAt + kFloats * 4;
constexpr unsigned kPredicatesAt = kDoublesAt + kDoubles * 8;
constexpr unsigned kRegionBytes = kPredicatesAt + kPredicates * 4;
static_assert(kRegionBytes % 16 == 0, "vector accesses to the slots need aligned regions");

class Emitter {
 public:
  explicit Emitter(const KernelTree& tree) : tree_(tree) {}

  std::string text() {
    block(tree_.body, {});
    std::string body = std::move(out_);
    out_.clear();
    head();
    out_ += body;
    tail();
    return std::move(out_);
  }

 private:
  struct Loop {
    std::string break_label;
    std::string continue_label;
  };
  using LoopOr = std::optional<Loop>;

  void line(const std::string& text) { out_ += "\t" + text + "\n"; }
  void label(const std::string& name) { out_ += name + ":\n"; }
  std::string fresh_label(const char* what) { return "$L_" + std::string(what) + std::to_string(labels_++); }
  std::string fresh_counter() { return "%c" + std::to_string(counters_++); }

  static std::string with_predicate(std::string condition, const std::string& predicate) {
    for (std::size_t at = condition.find('@'); at != std::string::npos; at = condition.find('@', at))
      condition.replace(at, 1, predicate);
    return condition;
  }

  void block(const Block& nodes, const LoopOr& loop) {
    for (const Node& node : nodes) statement(node, loop);
  }

  void statement(const Node& node, const LoopOr& loop) {
    switch (node.kind) {
      case NodeKind::kLines:
        for (const std::string& text : node.lines) line(text);
        break;
      case NodeKind::kGuarded:
        line(with_predicate(node.conditions[0], "%g"));
        for (const std::string& text : node.lines) line("@%g " + text);
        break;
      case NodeKind::kIf:
        branch(node, loop);
        break;
      case NodeKind::kLoop:
        counted_loop(node);
        break;
      case NodeKind::kUniform:
        uniform_loop(node, loop);
        break;
      case NodeKind::kSwitch:
        chain(node, loop);
        break;
      case NodeKind::kBreak:
      case NodeKind::kContinue:
        if (!loop) break;
        line(with_predicate(node.conditions[0], "%q"));
        line("@%q bra " + (node.kind == NodeKind::kBreak ? loop->break_label : loop->continue_label) + ";");
        break;
      case NodeKind::kExit:
        leave(node);
        break;
      case NodeKind::kExchange:
        exchange(node);
        break;
    }
  }

  void branch(const Node& node, const LoopOr& loop) {
    const std::string otherwise = fresh_label("else");
    const std::string end = fresh_label("endif");
    for (const std::string& condition : node.conditions) {
      line(with_predicate(condition, "%q"));
      if (node.style == 0) {
        line("@!%q bra " + otherwise + ";");
      } else {
        const std::string then = fresh_label("then");
        line("@%q bra " + then + ";");
        line("bra " + otherwise + ";");
        label(then);
      }
    }
    block(node.blocks[0], loop);
    if (!node.blocks[1].empty()) line("bra " + end + ";");
    label(otherwise);
    block(node.blocks[1], loop);
    label(end);
  }

  /// Style 0 tests before the body, style 1 behind it.
  void counted_loop(const Node& node) {
    const std::string head = fresh_label("head");
    const std::string next = fresh_label("next");
    const std::string end = fresh_label("done");
    const std::string counter = fresh_counter();
    line("and.b32 " + counter + ", " + node.source + ", " + std::to_string(node.count) + ";");
    if (node.style == 0) {
      label(head);
      line("setp.eq.u32 %q, " + counter + ", 0;");
      line("@%q bra " + end + ";");
      line("sub.u32 " + counter + ", " + counter + ", 1;");
      block(node.blocks[0], Loop{end, head});
      line("bra " + head + ";");
    } else {
      line("add.u32 " + counter + ", " + counter + ", 1;");
      label(head);
      block(node.blocks[0], Loop{end, next});
      label(next);
      line("sub.u32 " + counter + ", " + counter + ", 1;");
      line("setp.ne.u32 %q, " + counter + ", 0;");
      line("@%q bra " + head + ";");
    }
    label(end);
  }

  void uniform_loop(const Node& node, const LoopOr& loop) {
    const std::string head = fresh_label("uniform");
    const std::string counter = fresh_counter();
    line("mov.u32 " + counter + ", " + std::to_string(node.count) + ";");
    label(head);
    block(node.blocks[0], loop);
    line("sub.u32 " + counter + ", " + counter + ", 1;");
    line("setp.ne.u32 %q, " + counter + ", 0;");
    line("@%q bra " + head + ";");
  }

  void chain(const Node& node, const LoopOr& loop) {
    const std::string end = fresh_label("endswitch");
    const std::size_t cases = node.blocks.size() - 1;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i <= cases; ++i) labels.push_back(fresh_label("case"));
    line("and.b32 %s0, " + node.source + ", 3;");
    for (std::size_t i = 0; i < cases; ++i) {
      line("setp.eq.u32 %q, %s0, " + std::to_string(i) + ";");
      line("@%q bra " + labels[i] + ";");
    }
    line("bra " + labels[cases] + ";");
    for (std::size_t i = 0; i <= cases; ++i) {
      label(labels[i]);
      block(node.blocks[i], loop);
      if (node.style != 0 && i < cases) line("bra " + end + ";");
    }
    label(end);
  }

  void leave(const Node& node) {
    line(with_predicate(node.conditions[0], "%q"));
    if (node.style == 2) {
      const std::string stay = fresh_label("stay");
      line("@!%q bra " + stay + ";");
      line("st.global.u32 [%own], %r0;");
      line("exit;");
      label(stay);
    } else {
      line(node.style == 0 ? "@%q exit;" : "@%q ret;");
    }
  }

  void exchange(const Node& node) {
    if (!tree_.barriers) return;
    const auto threads = static_cast<unsigned>(tree_.shape.block.count());
    const std::string barrier =
        node.style == 1 && threads % 32 == 0 ? "bar.sync 0, " + std::to_string(threads) + ";" : "bar.sync 0;";
    line("st.shared.u32 [%mine], " + node.source + ";");
    line(barrier);
    line("add.u32 %s0, %me, " + std::to_string(node.count % threads) + ";");
    line("rem.u32 %s0, %s0, " + std::to_string(threads) + ";");
    line("shl.b32 %s0, %s0, 2;");
    line("mov.u32 %s1, exchange;");
    line("add.u32 %s0, %s0, %s1;");
    line("ld.shared.u32 " + node.lines[0] + ", [%s0];");
    line(barrier);
  }

  void head() {
    const auto threads = tree_.shape.block.count();
    out_ += ".version 7.0\n.target sm_75\n.address_size 64\n\n";
    out_ += ".const .align 4 .b32 table[" + std::to_string(kTableWords) + "] = {";
    RandomSource random(tree_.seed + 1);
    for (unsigned i = 0; i < kTableWords; ++i)
      out_ += (i == 0 ? "" : ", ") + std::to_string(static_cast<std::uint32_t>(random.next()));
    out_ +=
        "};\n\n.visible .entry random_kernel(\n\t.param .u64 p_in,\n\t.param .u64 p_out,\n\t.param .u64 "
        "p_counters,\n"
        "\t.param .u64 p_tallies\n)\n{\n";
    line(".local .align 8 .b8 depot[" + std::to_string(kLocalBytes) + "];");
    if (tree_.barriers) {
      line(".shared .align 4 .b8 exchange[" + std::to_string(threads * 4) + "];");
      line(".shared .align 4 .b8 tally[" + std::to_string(kSharedCounterBytes) + "];");
    }
    for (const char* declaration :
         {".reg .b32 %r<8>;", ".reg .b64 %w<4>;", ".reg .f32 %f<4>;", ".reg .f64 %d<2>;", ".reg .pred %p<4>;",
          ".reg .b32 %s<4>;", ".reg .b64 %x<4>;", ".reg .b16 %h<4>;", ".reg .f32 %y<2>;", ".reg .pred %q;",
          ".reg .pred %g;", ".reg .b32 %me;", ".reg .b32 %all;", ".reg .b32 %mine;", ".reg .b64 %in;",
          ".reg .b64 %own;", ".reg .b64 %cnt;", ".reg .b64 %loc;", ".reg .b64 %tallies;"})
      line(declaration);
    if (counters_ > 0) line(".reg .b32 %c<" + std::to_string(counters_) + ">;");
    for (const char* text :
         {"ld.param.u64 %in, [p_in];", "cvta.to.global.u64 %in, %in;", "ld.param.u64 %own, [p_out];",
          "cvta.to.global.u64 %own, %own;", "ld.param.u64 %cnt, [p_counters];",
          "ld.param.u64 %tallies, [p_tallies];",
          // thread and CTA number: linear
          "mov.u32 %s0, %tid.z;", "mov.u32 %s1, %ntid.y;", "mov.u32 %s2, %tid.y;",
          "mad.lo.s32 %s0, %s0, %s1, %s2;", "mov.u32 %s1, %ntid.x;", "mov.u32 %s2, %tid.x;",
          "mad.lo.s32 %me, %s0, %s1, %s2;", "mov.u32 %s0, %ctaid.x;"})
      line(text);
    line("mad.lo.s32 %all, %s0, " + std::to_string(threads) + ", %me;");
    line("mul.wide.u32 %x0, %all, " + std::to_string(kRegionBytes) + ";");
    line("add.s64 %own, %own, %x0;");
    line("mul.wide.u32 %x0, %s0, " + std::to_string(kSharedCounterBytes) + ";");
    line("add.s64 %tallies, %tallies, %x0;");
    line("mov.u64 %loc, depot;");
    for (unsigned at = 0; at < kLocalBytes; at += 4)
      line("st.local.u32 [%loc+" + std::to_string(at) + "], %all;");
    for (unsigned i = 0; i < kWords; ++i) {
      line("add.u32 %s0, %all, " + std::to_string(i * 29) + ";");
      line("and.b32 %s0, %s0, " + std::to_string(kInputWords - 1) + ";");
      line("mul.wide.u32 %x0, %s0, 4;");
      line("add.s64 %x0, %in, %x0;");
      line("ld.global.u32 %r" + std::to_string(i) + ", [%x0];");
    }
    line("mov.u32 %r0, %me;");
    for (unsigned i = 0; i < kLongs; ++i)
      line("mul.wide.s32 %w" + std::to_string(i) + ", %r" + std::to_string(i) + ", %r" +
           std::to_string(i + 4) + ";");
    for (unsigned i = 0; i < kFloats; ++i) {
      line("and.b32 %s0, %r" + std::to_string(i) + ", 4095;");
      line("cvt.rn.f32.u32 %f" + std::to_string(i) + ", %s0;");
    }
    for (unsigned i = 0; i < kDoubles; ++i)
      line("cvt.rn.f64.s32 %d" + std::to_string(i) + ", %r" + std::to_string(i + 1) + ";");
    for (unsigned i = 0; i < kPredicates; ++i)
      line("setp.lt.s32 %p" + std::to_string(i) + ", %r" + std::to_string(i) + ", %r" +
           std::to_string(i + 1) + ";");
    if (tree_.barriers) {
      for (const char* text :
           {"shl.b32 %s0, %me, 2;", "mov.u32 %s1, exchange;", "add.u32 %mine, %s0, %s1;",
            "st.shared.u32 [%mine], %me;", "mov.u32 %s1, tally;", "add.u32 %s1, %s0, %s1;"})
        line(text);
      line("setp.lt.u32 %g, %me, " + std::to_string(kSharedCounterBytes / 4) + ";");
      line("@%g st.shared.u32 [%s1], 0;");
      line("bar.sync 0;");
    }
  }

  void tail() {
    const auto store = [&](const char* type, const char* prefix, unsigned count, unsigned at, unsigned size) {
      for (unsigned i = 0; i < count; ++i)
        line(std::string("st.global.") + type + " [%own+" + std::to_string(at + i * size) + "], " + prefix +
             std::to_string(i) + ";");
    };
    store("u32", "%r", kWords, kWordsAt, 4);
    store("u64", "%w", kLongs, kLongsAt, 8);
    store("f32", "%f", kFloats, kFloatsAt, 4);
    store("f64", "%d", kDoubles, kDoublesAt, 8);
    for (unsigned i = 0; i < kPredicates; ++i) {
      line("selp.u32 %s0, 1, 0, %p" + std::to_string(i) + ";");
      line("st.global.u32 [%own+" + std::to_string(kPredicatesAt + i * 4) + "], %s0;");
    }
    if (tree_.barriers) {
      line("bar.sync 0;");
      line("setp.lt.u32 %g, %me, " + std::to_string(kSharedCounterBytes / 4) + ";");
      for (const char* text :
           {"shl.b32 %s0, %me, 2;", "mov.u32 %s1, tally;", "add.u32 %s1, %s0, %s1;", "cvt.u64.u32 %x0, %s0;",
            "add.s64 %x0, %tallies, %x0;", "@%g ld.shared.u32 %s2, [%s1];", "@%g st.global.u32 [%x0], %s2;"})
        line(text);
    }
    line("ret;");
    out_ += "}\n";
  }

  const KernelTree& tree_;
  std::string out_;
  unsigned labels_ = 0;
  unsigned counters_ = 0;
};

std::vector<std::byte> random_bytes(std::uint64_t seed, std::size_t words) {
  RandomSource random(seed);
  std::vector<std::byte> bytes(words * 4);
  for (std::size_t i = 0; i < words; ++i) {
    // Small, large and floating-point values alike.
    const std::uint64_t draw = random.next();
    const auto value = static_cast<std::uint32_t>(
        random.pick<std::uint64_t>({draw, draw & 0xff, draw & 0xffff, 0x3f00'0000u + (draw & 0x0fff'ffffu)}));
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  return bytes;
}

}  // namespace

GeneratedKernel emit(const KernelTree& tree) {
  GeneratedKernel kernel;
  kernel.seed = tree.seed;
  kernel.entry = "random_kernel";
  kernel.ptx = Emitter(tree).text();
  kernel.shape = tree.shape;
  const std::uint64_t threads = tree.shape.block.count() * tree.shape.grid.count();
  kernel.buffers.push_back({"in", random_bytes(tree.seed + 2, kInputWords)});
  kernel.buffers.push_back({"out", random_bytes(tree.seed + 3, threads * kRegionBytes / 4)});
  kernel.buffers.push_back({"counters", random_bytes(tree.seed + 4, kCounterBytes / 4)});
  kernel.buffers.push_back(
      {"tallies", std::vector<std::byte>(tree.shape.grid.count() * kSharedCounterBytes)});
  // The counter that sums floats must start from a small integer, or the order of additions would show.
  std::memset(kernel.buffers[2].initial.data() + 40, 0, 4);
  return kernel;
}

GeneratedKernel generate(std::uint64_t seed, const TreeOptions& options) {
  return emit(generate_tree(seed, options));
}

}  // namespace heddle::generator
