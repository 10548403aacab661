// Tree to PTX text: the module around the statements.
#include <array>

#include "generator/emitter.h"
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
constexpr unsigned kHalvesAt = kPredicatesAt + kPredicates * 4;
constexpr unsigned kRegionBytes = kHalvesAt + 16;
static_assert(kHalves * 2 <= 16);
static_assert(kRegionBytes % 16 == 0, "vector accesses to the slots need aligned regions");

/// Registers that patterns and statements use, in the kernel and in every function.
void declare_registers(Emitter& out, unsigned counters) {
  for (const char* declaration :
       {".reg .b32 %r<8>;", ".reg .b64 %w<4>;", ".reg .f32 %f<4>;", ".reg .f64 %d<2>;", ".reg .pred %p<4>;",
        ".reg .b16 %k<4>;", ".reg .b32 %s<4>;", ".reg .b64 %x<4>;", ".reg .b16 %h<4>;", ".reg .f32 %y<2>;",
        ".reg .pred %q;", ".reg .pred %g;", ".reg .b32 %me;", ".reg .b32 %mine;", ".reg .b64 %in;",
        ".reg .b64 %own;", ".reg .b64 %cnt;", ".reg .b64 %loc;"})
    out.line(declaration);
  if (counters > 0) out.line(".reg .b32 %c<" + std::to_string(counters) + ">;");
}

/// Local memory holds no values of its own.
void fill_local(Emitter& out, const std::string& value) {
  out.line("mov.u64 %loc, depot;");
  for (unsigned at = 0; at < kLocalBytes; at += 4)
    out.line("st.local.u32 [%loc+" + std::to_string(at) + "], " + value + ";");
}

void declare_local(Emitter& out) {
  out.line(".local .align 16 .b8 depot[" + std::to_string(kLocalBytes) + "];");
}

std::string number(unsigned value) { return std::to_string(value); }

/// The pools from what %r holds.
void fill_pools(Emitter& out) {
  for (unsigned i = 0; i < kLongs; ++i)
    out.line("mul.wide.s32 %w" + number(i) + ", %r" + number(i) + ", %r" + number(i + 4) + ";");
  for (unsigned i = 0; i < kFloats; ++i) {
    out.line("and.b32 %s0, %r" + number(i) + ", 4095;");
    out.line("cvt.rn.f32.u32 %f" + number(i) + ", %s0;");
  }
  for (unsigned i = 0; i < kDoubles; ++i)
    out.line("cvt.rn.f64.s32 %d" + number(i) + ", %r" + number(i + 1) + ";");
  for (unsigned i = 0; i < kPredicates; ++i)
    out.line("setp.lt.s32 %p" + number(i) + ", %r" + number(i) + ", %r" + number(i + 1) + ";");
  for (unsigned i = 0; i < kHalves; ++i)
    out.line("cvt.u16.u32 %k" + number(i) + ", %r" + number(i + 2) + ";");
}

std::string parameters(const char* open, const std::array<const char*, 9>& names) {
  constexpr std::array kTypes{".b32", ".b64", ".f32", ".b32", ".b32", ".b32", ".b64", ".b64", ".b64"};
  std::string text = open;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += std::string(i == 0 ? "" : ", ") + ".param " + kTypes[i] + " " + names[i];
  return text + ")";
}

/// ".func (results) name(parameters)"
std::string function_head(unsigned which) {
  return ".func (.param .b32 result0, .param .b64 result1, .param .f32 result2) " + function_name(which) +
         parameters("(",
                    {"p_word", "p_long", "p_float", "p_depth", "p_me", "p_mine", "p_own", "p_in", "p_cnt"});
}

std::string function_text(const KernelTree& tree, unsigned which) {
  Emitter body(tree, which);
  body.body(tree.functions[which].body);
  const unsigned counters = body.counters();
  Emitter out(tree, which);
  declare_local(out);
  declare_registers(out, counters);
  out.line(".reg .b32 %depth;");
  for (const char* text :
       {"ld.param.u32 %r0, [p_word];", "ld.param.u32 %depth, [p_depth];", "ld.param.u32 %me, [p_me];",
        "ld.param.u32 %mine, [p_mine];", "ld.param.u64 %own, [p_own];", "ld.param.u64 %in, [p_in];",
        "ld.param.u64 %cnt, [p_cnt];"})
    out.line(text);
  fill_local(out, "%r0");
  for (unsigned i = 1; i < kWords; ++i)
    out.line("mad.lo.u32 %r" + number(i) + ", %r" + number(i - 1) + ", 1103515245, " + number(12345 + which) +
             ";");
  fill_pools(out);
  out.line("ld.param.u64 %w0, [p_long];");
  out.line("ld.param.f32 %f1, [p_float];");
  std::string text = function_head(which) + "\n{\n" + out.take() + body.take();
  Emitter end(tree, which);
  end.label("$L_end");
  end.store_results();
  end.line("ret;");
  return text + end.take() + "}\n\n";
}

std::string constant_table(std::uint64_t seed) {
  std::string text = ".const .align 4 .b32 table[" + number(kTableWords) + "] = {";
  RandomSource random(seed);
  for (unsigned i = 0; i < kTableWords; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(static_cast<std::uint32_t>(random.next()));
  return text + "};\n\n";
}

/// Everything in front of the kernel.
std::string module_text(const KernelTree& tree) {
  const auto threads = static_cast<unsigned>(tree.shape.block.count());
  const bool newer = !tree.functions.empty();
  std::string text = newer ? ".version 8.0\n" : ".version 7.0\n";
  text += ".target sm_75\n.address_size 64\n\n" + constant_table(tree.seed + 1);
  if (tree.barriers) {
    text += ".shared .align 4 .b8 exchange[" + number(threads * 4) + "];\n";
    text += ".shared .align 4 .b8 tally[" + number(kSharedCounterBytes) + "];\n\n";
  }
  if (!newer) return text;
  std::string names;
  for (unsigned i = 0; i < tree.functions.size(); ++i) {
    text += function_head(i) + ";\n";
    names += (i == 0 ? "" : ", ") + function_name(i);
  }
  text +=
      ".global .align 8 .u64 functions[" + std::to_string(tree.functions.size()) + "] = {" + names + "};\n\n";
  for (unsigned i = 0; i < tree.functions.size(); ++i) text += function_text(tree, i);
  return text;
}

std::string kernel_head(const KernelTree& tree, unsigned counters) {
  Emitter out(tree);
  const auto threads = static_cast<unsigned>(tree.shape.block.count());
  declare_local(out);
  declare_registers(out, counters);
  out.line(".reg .b32 %all;");
  out.line(".reg .b64 %tallies;");
  for (const char* text : {"ld.param.u64 %in, [p_in];", "cvta.to.global.u64 %in, %in;",
                           "ld.param.u64 %own, [p_out];", "cvta.to.global.u64 %own, %own;",
                           "ld.param.u64 %cnt, [p_counters];", "ld.param.u64 %tallies, [p_tallies];",
                           // thread and CTA number: linear
                           "mov.u32 %s0, %tid.z;", "mov.u32 %s1, %ntid.y;", "mov.u32 %s2, %tid.y;",
                           "mad.lo.s32 %s0, %s0, %s1, %s2;", "mov.u32 %s1, %ntid.x;", "mov.u32 %s2, %tid.x;",
                           "mad.lo.s32 %me, %s0, %s1, %s2;", "mov.u32 %s0, %ctaid.x;"})
    out.line(text);
  out.line("mad.lo.s32 %all, %s0, " + std::to_string(threads) + ", %me;");
  out.line("mul.wide.u32 %x0, %all, " + std::to_string(kRegionBytes) + ";");
  out.line("add.s64 %own, %own, %x0;");
  out.line("mul.wide.u32 %x0, %s0, " + std::to_string(kSharedCounterBytes) + ";");
  out.line("add.s64 %tallies, %tallies, %x0;");
  fill_local(out, "%all");
  for (unsigned i = 0; i < kWords; ++i) {
    out.line("add.u32 %s0, %all, " + std::to_string(i * 29) + ";");
    out.line("and.b32 %s0, %s0, " + std::to_string(kInputWords - 1) + ";");
    out.line("mul.wide.u32 %x0, %s0, 4;");
    out.line("add.s64 %x0, %in, %x0;");
    out.line("ld.global.u32 %r" + std::to_string(i) + ", [%x0];");
  }
  out.line("mov.u32 %r0, %me;");
  fill_pools(out);
  out.line("mov.u32 %mine, 0;");
  if (tree.barriers) {
    for (const char* text : {"shl.b32 %s0, %me, 2;", "mov.u32 %s1, exchange;", "add.u32 %mine, %s0, %s1;",
                             "st.shared.u32 [%mine], %me;", "mov.u32 %s1, tally;", "add.u32 %s1, %s0, %s1;"})
      out.line(text);
    out.line("setp.lt.u32 %g, %me, " + std::to_string(kSharedCounterBytes / 4) + ";");
    out.line("@%g st.shared.u32 [%s1], 0;");
    out.line("bar.sync 0;");
  }
  return out.take();
}

std::string kernel_tail(const KernelTree& tree) {
  Emitter out(tree);
  const auto store = [&](const char* type, const char* prefix, unsigned count, unsigned at, unsigned size) {
    for (unsigned i = 0; i < count; ++i)
      out.line(std::string("st.global.") + type + " [%own+" + std::to_string(at + i * size) + "], " + prefix +
               std::to_string(i) + ";");
  };
  store("u32", "%r", kWords, kWordsAt, 4);
  store("u64", "%w", kLongs, kLongsAt, 8);
  store("f32", "%f", kFloats, kFloatsAt, 4);
  store("f64", "%d", kDoubles, kDoublesAt, 8);
  for (unsigned i = 0; i < kPredicates; ++i) {
    out.line("selp.u32 %s0, 1, 0, %p" + std::to_string(i) + ";");
    out.line("st.global.u32 [%own+" + std::to_string(kPredicatesAt + i * 4) + "], %s0;");
  }
  store("u16", "%k", kHalves, kHalvesAt, 2);
  if (tree.barriers) {
    out.line("bar.sync 0;");
    out.line("setp.lt.u32 %g, %me, " + std::to_string(kSharedCounterBytes / 4) + ";");
    for (const char* text :
         {"shl.b32 %s0, %me, 2;", "mov.u32 %s1, tally;", "add.u32 %s1, %s0, %s1;", "cvt.u64.u32 %x0, %s0;",
          "add.s64 %x0, %tallies, %x0;", "@%g ld.shared.u32 %s2, [%s1];", "@%g st.global.u32 [%x0], %s2;"})
      out.line(text);
  }
  out.line("ret;");
  return out.take() + "}\n";
}

std::string kernel_text(const KernelTree& tree) {
  Emitter body(tree);
  body.body(tree.body);
  std::string text = module_text(tree);
  text +=
      ".visible .entry random_kernel(\n\t.param .u64 p_in,\n\t.param .u64 p_out,\n\t.param .u64 "
      "p_counters,\n\t.param .u64 p_tallies\n)\n{\n";
  return text + kernel_head(tree, body.counters()) + body.take() + kernel_tail(tree);
}

}  // namespace

GeneratedKernel emit(const KernelTree& tree) {
  GeneratedKernel kernel;
  kernel.seed = tree.seed;
  kernel.entry = "random_kernel";
  kernel.ptx = kernel_text(tree);
  kernel.shape = tree.shape;
  const std::uint64_t threads = tree.shape.block.count() * tree.shape.grid.count();
  kernel.buffers = make_buffers(tree.seed, {std::uint64_t{kInputWords} * 4, threads * kRegionBytes,
                                            kCounterBytes, tree.shape.grid.count() * kSharedCounterBytes});
  return kernel;
}

GeneratedKernel generate(std::uint64_t seed, const TreeOptions& options) {
  return emit(generate_tree(seed, options));
}

}  // namespace heddle::generator
