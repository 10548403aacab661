#include "regression/racy/racy_kernel.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "regression/generator/random_source.h"

namespace heddle::testing {
namespace {

using generator::RandomSource;

constexpr unsigned kValues = 6;  ///< registers %v0 ... that everything reads and writes

/// Writes the body. Registers: %v0-%v5 values; %thread, %lane, %warp of the grid; %hot, %out addresses; scratch.
class Writer {
 public:
  Writer(RandomSource& random, std::uint32_t hot_words, unsigned constant_loads)
      : random_(random), words_(hot_words), constant_loads_(constant_loads) {}

  void block(unsigned statements, unsigned depth, bool uniform) {
    for (unsigned s = 0; s < statements; ++s) statement(depth, uniform);
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] unsigned loops() const { return loops_; }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += "  " + fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }
  unsigned value() { return random_.below(kValues); }
  std::string label() { return fmt::format("L{}", labels_++); }

  /// %a: the address of `aligned` consecutive hot words, chosen by a number, a lane, a warp or a value.
  void address(unsigned aligned) {
    const std::uint32_t slots = words_ / aligned;
    switch (random_.below(5)) {
      case 0:
        line("mov.u32 %i, {};", random_.below(slots));
        break;
      case 1:
        line("rem.u32 %i, %lane, {};", slots);
        break;
      case 2:
        line("rem.u32 %i, %warp, {};", slots);
        break;
      default:
        line("rem.u32 %i, %v{}, {};", value(), slots);
    }
    line("mul.wide.u32 %a, %i, {};", 4 * aligned);
    line("add.u64 %a, %a, %hot;");
  }
  void mix(unsigned into, const std::string& with) {
    line("mad.lo.u32 %v{0}, %v{0}, 1664525, {1};", into, with);
    line("shr.u32 %i, %v{}, 13;", into);
    line("xor.b32 %v{0}, %v{0}, %i;", into);
  }

  void load() {
    const unsigned to = value();
    if (random_.chance(constant_loads_)) {  // constant memory that others write while it is read
      address(1);
      line("ld.const.u32 %x, [%a];");
      return mix(to, "%x");
    }
    const char* kind = random_.chance(30) ? ".volatile" : "";
    if (random_.chance(20)) {
      address(2);
      line("ld{}.global.v2.u32 {{%x, %y}}, [%a];", kind);
      mix(to, "%x");
      return mix(to, "%y");
    }
    address(1);
    line("ld{}.global.u32 %x, [%a];", kind);
    mix(to, "%x");
  }
  void store() {
    const char* kind = random_.chance(20) ? ".volatile" : "";
    switch (random_.below(6)) {
      case 0:
        address(2);
        return line("st{}.global.v2.u32 [%a], {{%v{}, %v{}}};", kind, value(), value());
      case 1:
        address(4);
        return line("st{}.global.v4.u32 [%a], {{%v{}, %v{}, %v{}, %v{}}};", kind, value(), value(), value(),
                    value());
      case 2:
        address(2);
        line("mov.b64 %w, {{%v{}, %v{}}};", value(), value());
        return line("st{}.global.u64 [%a], %w;", kind);
      default:
        address(1);
        return line("st{}.global.u32 [%a], %v{};", kind, value());
    }
  }
  /// Stores to where it has just loaded from, while the load is on its way.
  void load_then_store() {
    const unsigned to = value();
    address(1);
    line("ld.global.u32 %x, [%a];");
    line("st.global.u32 [%a], %v{};", value());
    mix(to, "%x");
  }
  /// Reads back as soon as the store is committed, in the next quantum or in serial mode.
  void store_then_read() {
    const unsigned to = value(), from = value();
    address(1);
    line("st.global.u32 [%a], %v{};", from);
    if (random_.chance(60)) {
      line("membar.gl;");
      line("ld.global.u32 %x, [%a];");
    } else {
      line("atom.global.add.u32 %x, [%a], %v{};", from);
    }
    mix(to, "%x");
  }
  void atomic() {
    const unsigned to = value(), from = value();
    address(1);
    switch (random_.below(5)) {
      case 0:
        return line("red.global.add.u32 [%a], %v{};", from);
      case 1:
        line("atom.global.cas.b32 %x, [%a], %v{}, %v{};", from, value());
        break;
      case 2:
        line("atom.global.exch.b32 %x, [%a], %v{};", from);
        break;
      case 3:
        line("atom.global.max.u32 %x, [%a], %v{};", from);
        break;
      default:
        line("atom.global.add.u32 %x, [%a], %v{};", from);
    }
    mix(to, "%x");
  }
  /// A branch by what a thread has read, or by its lane or warp.
  void branch(unsigned depth) {
    const std::string past = label(), end = label();
    switch (random_.below(3)) {
      case 0:
        line("and.b32 %x, %lane, {};", 1u << random_.below(5));
        break;
      case 1:
        line("and.b32 %x, %warp, 1;");
        break;
      default:
        line("and.b32 %x, %v{}, {};", value(), 1u << random_.below(8));
    }
    line("setp.eq.u32 %p, %x, 0;");
    line("@%p bra {};", past);
    block(1 + random_.below(3), depth + 1, false);
    line("bra {};", end);
    text_ += past + ":\n";
    if (random_.chance(50)) block(1 + random_.below(2), depth + 1, false);
    text_ += end + ":\n";
  }
  /// As often in all threads, or by lane.
  void loop(unsigned depth, bool uniform) {
    const std::string head = label();
    const unsigned counter = loops_++;
    const bool same = uniform && random_.chance(60);
    if (same) {
      line("mov.u32 %n{}, {};", counter, 2 + random_.below(3));
    } else {
      line("and.b32 %n{}, %lane, {};", counter, random_.chance(50) ? 1 : 3);
      line("add.u32 %n{0}, %n{0}, 1;", counter);
    }
    text_ += head + ":\n";
    block(1 + random_.below(3), depth + 1, same);
    line("sub.u32 %n{0}, %n{0}, 1;", counter);
    line("setp.ne.u32 %p, %n{}, 0;", counter);
    line("@%p bra {};", head);
  }
  void statement(unsigned depth, bool uniform) {
    const unsigned kind = random_.below(100);
    if (kind < 22) return load();
    if (kind < 27) return load_then_store();
    if (kind < 31) return store_then_read();
    if (kind < 56) return store();
    if (kind < 66) return atomic();
    if (kind < 70) return line("membar.{};", random_.chance(70) ? "gl" : "cta");
    if (kind < 77 && uniform) return line("bar.sync 0;");
    if (kind < 87 && depth < 3) return branch(depth);
    if (kind < 95 && depth < 2) return loop(depth, uniform);
    mix(value(), fmt::format("%v{}", value()));
  }

  RandomSource& random_;
  std::uint32_t words_;
  unsigned constant_loads_;
  std::string text_;
  unsigned labels_ = 0;
  unsigned loops_ = 0;
};

}  // namespace

RacyKernel racy_kernel(std::uint64_t seed, const RacyMix& mix) {
  RandomSource random(RandomSource(seed).next());  // scattered: the streams of neighbouring states overlap
  RacyKernel kernel;
  kernel.seed = seed;
  kernel.hot_words = 4 * random.pick({1u, 2u, 4u, 16u});  // of one chunk of 128 bytes or two
  if (mix.hot_words != 0) kernel.hot_words = mix.hot_words;
  kernel.shape.grid = {random.between(2, 6), 1, 1};
  kernel.shape.block = {random.pick({32u, 48u, 64u, 96u, 128u}), 1, 1};
  Writer writer(random, kernel.hot_words, mix.constant_loads);
  writer.block(random.between(6, 14), 0, true);
  kernel.ptx = fmt::format(R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry racy(.param .u64 hot_words, .param .u64 results)
{{
  .reg .u32 %v<{}>;
  .reg .u32 %n<{}>;
  .reg .u32 %i, %x, %y, %thread, %lane, %warp, %block, %size;
  .reg .u64 %hot, %out, %a, %w;
  .reg .pred %p;
  ld.param.u64 %hot, [hot_words];
  ld.param.u64 %out, [results];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mad.lo.u32 %thread, %block, %size, %thread;
  and.b32 %lane, %thread, 31;
  shr.u32 %warp, %thread, 5;
)",
                           kValues, writer.loops() + 1);
  for (unsigned v = 0; v < kValues; ++v) {
    kernel.ptx += fmt::format("  mad.lo.u32 %v{}, %thread, {}, {};\n", v, 2654435761u + 2 * v, 977 * (v + 1));
  }
  kernel.ptx += writer.text();
  // One word tells of all values, so that results take little of the commits' time.
  for (unsigned v = 1; v < kValues; ++v)
    kernel.ptx += fmt::format("  mad.lo.u32 %v0, %v0, 16777619, %v{};\n", v);
  kernel.ptx +=
      "  mul.wide.u32 %a, %thread, 4;\n  add.u64 %a, %a, %out;\n  st.global.u32 [%a], %v0;\n  ret;\n}\n";
  return kernel;
}

std::uint64_t digest_after(host::Device& device, const RacyKernel& kernel) {
  const std::uint64_t threads = kernel.shape.grid.count() * kernel.shape.block.count();
  const std::uint64_t hot_bytes = 4 * std::uint64_t{kernel.hot_words}, result_bytes = 4 * threads;
  const auto module = device.load_ptx_text(kernel.ptx, fmt::format("racy-{}.ptx", kernel.seed));
  const std::uint64_t hot = device.allocate(hot_bytes, "hot"),
                      results = device.allocate(result_bytes, "results");
  device.launch(module, "racy", kernel.shape, host::Args().add(hot).add(results));
  std::uint64_t digest = 0xcbf2'9ce4'8422'2325ull;  // FNV-1a
  for (const auto& [address, bytes] : {std::pair{hot, hot_bytes}, std::pair{results, result_bytes}})
    for (const std::byte byte : device.download<std::byte>(address, bytes))
      digest = (digest ^ std::to_integer<std::uint64_t>(byte)) * 0x100'0000'01b3ull;
  device.free(results);
  device.free(hot);
  device.unload(module);
  return digest;
}

}  // namespace heddle::testing
