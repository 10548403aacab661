#include "sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/error.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "values.h"

namespace heddle::card {
namespace {

using isa::Type;

constexpr std::size_t kCasesPerKernel = 12;
constexpr std::size_t kKernelsPerModule = 12;
constexpr std::uint32_t kThreads = 128;
constexpr std::size_t kShownTuples = 4;  ///< of a case that differs

/// Cases with the same operands.
struct Batch {
  std::vector<const Case*> cases;
  [[nodiscard]] const std::vector<Values>& sources() const { return cases.front()->sources; }
  [[nodiscard]] std::size_t result_arrays() const {
    std::size_t arrays = 0;
    for (const Case* each : cases) arrays += each->results.size();
    return arrays;
  }
};

std::string register_type(unsigned bits) { return bits == 1 ? ".pred" : fmt::format(".b{}", bits); }

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// Loads of the operands into %s0, %s1 ...; `stride`: bytes from one operand's array to the next.
std::string loads(const std::vector<Values>& sources, std::uint64_t stride) {
  std::string text;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const unsigned bits = bits_of(sources[s]);
    text += fmt::format(".reg {} %s{};\n", register_type(bits), s);
    if (bits == 1)
      text += fmt::format("ld.global.u32 %x0, [%in+{}]; setp.ne.u32 %s{}, %x0, 0;\n", s * stride, s);
    else
      text += fmt::format("ld.global.b{} %s{}, [%in+{}];\n", bits, s, s * stride);
  }
  return text;
}

/// A case in a scope of its own, its results in arrays from number `array` on.
std::string case_text(const Case& each, std::size_t array, std::uint64_t stride) {
  std::string body = each.body, stores;
  std::string text = "{\n.reg .b32 %x<4>; .reg .b64 %y<4>; .reg .pred %q<2>;\n";
  for (std::size_t s = 0; s < each.sources.size(); ++s)
    replace_all(body, fmt::format("$s{}", s), fmt::format("%s{}", s));
  for (std::size_t d = 0; d < each.results.size(); ++d) {
    const unsigned bits = register_bits(each.results[d]);
    text += fmt::format(".reg {} %d{};\n", register_type(bits), d);
    replace_all(body, fmt::format("$d{}", d), fmt::format("%d{}", d));
    const std::uint64_t offset = (array + d) * stride;
    if (bits == 1)
      stores += fmt::format("selp.b32 %x3, 1, 0, %d{}; st.global.b32 [%out+{}], %x3;\n", d, offset);
    else
      stores += fmt::format("st.global.b{} [%out+{}], %d{};\n", bits, offset, d);
  }
  replace_all(body, "$m", fmt::format("%out+{}", array * stride));
  return text + body + "\n" + stores + "}\n";
}

std::string kernel_text(const Batch& batch, const std::string& name, std::uint64_t tuples) {
  const std::uint64_t stride = tuples * sizeof(std::uint64_t);
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 in, .param .u64 out)\n{{\n"
      ".reg .b32 %x<4>; .reg .b64 %in, %out, %own, %room, %loc;\n"
      ".shared .align 8 .b8 room[{}]; .local .align 16 .b8 own_room[16];\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; mov.u32 %x2, %tid.x; mad.lo.u32 %x0, %x0, %x1, %x2;\n"
      "mul.wide.u32 %own, %x0, 8; add.u64 %in, %in, %own; add.u64 %out, %out, %own;\n"
      "mul.wide.u32 %own, %x2, 8; mov.u64 %room, room; add.u64 %room, %room, %own; mov.u64 %loc, own_room;\n",
      name, kThreads * sizeof(std::uint64_t));
  text += loads(batch.sources(), stride);
  std::size_t array = 0;
  for (const Case* each : batch.cases) {
    text += case_text(*each, array, stride);
    array += each->results.size();
  }
  return text + "ret;\n}\n";
}

std::string module_head() { return ".version 8.6\n.target sm_90\n.address_size 64\n"; }
std::string kernel_name(std::size_t index) { return fmt::format("k{}", index); }

using Arrays = std::vector<std::uint64_t>;  ///< [result array][tuple]

struct OperandTuples {
  std::vector<std::vector<std::uint64_t>> values;
  [[nodiscard]] std::size_t tuples() const { return values.empty() ? kThreads : values.front().size(); }
};

Arrays run(host::Device& device, host::ModuleHandle module, const std::string& kernel, const Batch& batch,
           const OperandTuples& operands) {
  std::vector<std::uint64_t> in;
  for (const auto& list : operands.values) in.insert(in.end(), list.begin(), list.end());
  if (in.empty()) in.push_back(0);
  const std::uint64_t in_address = device.upload(in, "operands");
  const std::size_t words = batch.result_arrays() * operands.tuples();
  const std::uint64_t out_address = device.allocate(words * sizeof(std::uint64_t), "results");
  device.launch(module, kernel,
                {{static_cast<std::uint32_t>(operands.tuples() / kThreads), 1, 1}, {kThreads, 1, 1}},
                host::Args().add(in_address).add(out_address));
  Arrays results = device.download<std::uint64_t>(out_address, words);
  device.free(in_address);
  device.free(out_address);
  return results;
}

std::string tuple_text(const Case& each, const OperandTuples& operands, std::size_t tuple) {
  std::string text;
  for (std::size_t s = 0; s < each.sources.size(); ++s)
    text += fmt::format("{}{:#x}", s == 0 ? "" : ", ", operands.values[s][tuple]);
  return text;
}

/// Distance of two results in units of the last place; nothing: one is NaN or infinite, the other is not.
std::optional<std::uint64_t> distance(std::uint64_t a, std::uint64_t b, Type type) {
  if (type == Type::kF16x2) {
    const auto low = distance(a & 0xffff, b & 0xffff, Type::kF16),
               high = distance(a >> 16, b >> 16, Type::kF16);
    return low && high ? std::optional(std::max(*low, *high)) : std::nullopt;
  }
  const unsigned bits = isa::type_bytes(type) * 8;
  const std::uint64_t sign = 1ull << (bits - 1);
  const std::uint64_t infinity = type == Type::kF16   ? 0x7c00
                                 : type == Type::kF32 ? 0x7f80'0000
                                                      : 0x7ff0'0000'0000'0000;
  const std::uint64_t size_a = a & (sign - 1), size_b = b & (sign - 1);
  if (size_a > infinity || size_b > infinity)
    return size_a > infinity && size_b > infinity ? std::optional<std::uint64_t>(0) : std::nullopt;
  if ((size_a == infinity) != (size_b == infinity)) return std::nullopt;
  const auto ordered = [&](std::uint64_t value, std::uint64_t size) {
    return (value & sign) != 0 ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
  };
  const std::int64_t x = ordered(a, size_a), y = ordered(b, size_b);
  return static_cast<std::uint64_t>(x > y ? x - y : y - x);
}

struct Difference {
  std::size_t count = 0;
  std::size_t worst = 0;  ///< tuple
  std::uint64_t ulps = 0;
  std::size_t incomparable = 0;
  std::string shown;
};

void compare_case(const Case& each, std::span<const std::uint64_t> expected,
                  std::span<const std::uint64_t> got, const OperandTuples& operands, Findings& findings) {
  const std::size_t tuples = operands.tuples();
  Difference found;
  for (std::size_t i = 0; i < tuples; ++i)
    for (std::size_t d = 0; d < each.results.size(); ++d) {
      const std::uint64_t want = expected[d * tuples + i], have = got[d * tuples + i];
      if (want == have) continue;
      ++found.count;
      if (each.approximate) {
        const auto ulps = distance(want, have, each.results[d]);
        found.incomparable += ulps ? 0 : 1;
        if (ulps && *ulps > found.ulps) {
          found.ulps = *ulps;
          found.worst = i;
        }
        if (ulps) continue;
      }
      if (found.count <= kShownTuples || (each.approximate && found.incomparable <= kShownTuples))
        found.shown += fmt::format("\n    ({}) result {}: oracle {:#x}, card {:#x}",
                                   tuple_text(each, operands, i), d, want, have);
    }
  findings.compared("results", tuples * each.results.size());
  if (found.count == 0)
    return findings.compared(each.approximate ? "approximate forms that are the same"
                                              : "forms that are the same");
  if (!each.approximate)
    return findings.report("MISMATCH",
                           fmt::format("{}: {} of {}{}", each.name, found.count, tuples, found.shown));
  findings.compared("approximate forms that differ");
  Findings::note(fmt::format("approximate {}: {} of {} differ, at most {} ulp ({}){}", each.name, found.count,
                             tuples, found.ulps, tuple_text(each, operands, found.worst), found.shown));
}

/// Both devices at the same work. What one of them refuses is divided until it is known what it is.
class Sweep {
 public:
  Sweep(host::Device& oracle, host::Device& card, Findings& findings)
      : oracle_(oracle), card_(card), findings_(findings) {}

  void run_module(const std::vector<Batch>& batches) {
    if (batches.empty()) return;
    std::string text = module_head();
    for (std::size_t k = 0; k < batches.size(); ++k)
      text += kernel_text(batches[k], kernel_name(k), operands(batches[k].sources()).tuples());
    std::optional<host::ModuleHandle> expected, module;
    try {
      expected = oracle_.load_ptx_text(text, "forms.ptx");
      for (std::size_t k = 0; k < batches.size(); ++k) (void)oracle_.kernel(*expected, kernel_name(k));
      module = card_.load_ptx_text(text, "forms.ptx");
    } catch (const base::InputError& error) {
      if (expected) oracle_.unload(*expected);
      return divide(batches, error, expected.has_value());
    }
    for (std::size_t k = 0; k < batches.size(); ++k) compare(*expected, *module, kernel_name(k), batches[k]);
    oracle_.unload(*expected);
    card_.unload(*module);
  }

 private:
  const OperandTuples& operands(const std::vector<Values>& sources) {
    const auto [found, added] = operands_.try_emplace(sources);
    if (added) found->second.values = operands_of(sources);
    return found->second;
  }

  void divide(const std::vector<Batch>& batches, const base::InputError& error, bool oracle_loaded) {
    if (batches.size() > 1) {
      const auto middle = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2);
      run_module({batches.begin(), middle});
      return run_module({middle, batches.end()});
    }
    const auto& cases = batches.front().cases;
    if (cases.size() == 1)
      return findings_.refused(oracle_loaded ? "REFUSED" : "ORACLE-REFUSES", cases.front()->name, error);
    const auto middle = cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 2);
    run_module({Batch{{cases.begin(), middle}}, Batch{{middle, cases.end()}}});
  }

  void compare(host::ModuleHandle on_oracle, host::ModuleHandle on_card, const std::string& kernel,
               const Batch& batch) {
    const OperandTuples& given = operands(batch.sources());
    const Arrays expected = run(oracle_, on_oracle, kernel, batch, given);
    const Arrays got = run(card_, on_card, kernel, batch, given);
    std::size_t from = 0;
    for (const Case* each : batch.cases) {
      const std::size_t words = each->results.size() * given.tuples();
      compare_case(*each, std::span(expected).subspan(from, words), std::span(got).subspan(from, words),
                   given, findings_);
      from += words;
    }
  }

  host::Device& oracle_;
  host::Device& card_;
  Findings& findings_;
  std::map<std::vector<Values>, OperandTuples> operands_;
};

}  // namespace

unsigned register_bits(Type type) {
  if (type == Type::kPred) return 1;
  return std::max(16u, isa::type_bytes(type) * 8);
}

std::vector<Case> accepted(std::vector<Case> cases) {
  constexpr std::size_t kAtATime = 500;
  std::vector<Case> all;
  for (std::size_t from = 0; from < cases.size(); from += kAtATime) {
    const std::size_t to = std::min(from + kAtATime, cases.size());
    std::string text = module_head();
    for (std::size_t i = from; i < to; ++i) text += kernel_text({{&cases[i]}}, kernel_name(i), kThreads);
    const isa::Module module =
        ptx::decode(ptx::parse_text(text, "forms.ptx"),
                    [](const std::string&, std::uint64_t, std::uint32_t) { return 0; });
    std::set<std::string> refused;
    for (const isa::RefusedKernel& each : module.refused) refused.insert(each.name);
    for (std::size_t i = from; i < to; ++i)
      if (!refused.contains(kernel_name(i))) all.push_back(std::move(cases[i]));
  }
  return all;
}

void sweep(host::Device& oracle, host::Device& card, const std::vector<Case>& cases, const Share& share,
           Findings& findings) {
  std::map<std::vector<Values>, std::vector<const Case*>> by_operands;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (i / kCasesPerKernel % share.parts == share.part) by_operands[cases[i].sources].push_back(&cases[i]);
  std::vector<Batch> batches;
  for (const auto& [sources, alike] : by_operands)
    for (std::size_t i = 0; i < alike.size(); i += kCasesPerKernel)
      batches.push_back(
          {{alike.begin() + static_cast<std::ptrdiff_t>(i),
            alike.begin() + static_cast<std::ptrdiff_t>(std::min(i + kCasesPerKernel, alike.size()))}});
  Sweep on(oracle, card, findings);
  for (std::size_t i = 0; i < batches.size(); i += kKernelsPerModule)
    on.run_module(
        {batches.begin() + static_cast<std::ptrdiff_t>(i),
         batches.begin() + static_cast<std::ptrdiff_t>(std::min(i + kKernelsPerModule, batches.size()))});
}

}  // namespace heddle::card
