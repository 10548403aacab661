// heddle compare-traces: how much the control flow of two runs differs ([Hanoi] §IX).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/lane_mask.h"
#include "cli/commands.h"
#include "cli/control_flow_trace.h"
#include "cli/files.h"
#include "cli/number_option.h"
#include "cli/text_table.h"
#include "cli/trace_distance.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCompareHelp =
    R"(Both files are written by heddle run --trace-control-flow, or by a tool for real hardware in the same form
(platforms/cli/control_flow_trace.h). The first is the reference. Warps are paired by launch, CTA and number in the CTA; one that
only one of the files has counts with all its instructions.

distance    Levenshtein's: instructions, with their active masks, that have to be inserted, deleted or changed
difference  distance / instructions of the reference
any order   the difference that is left if the order of a warp's instructions does not count: other masks, or other
            instructions
SIMD        active lanes per instruction, of 32

Exit codes: 0 the traces are the same, 1 they differ, 2 bad input)";

struct CompareTracesRequest {
  std::string reference;
  std::string other;
  std::uint64_t most = 0;
  std::uint64_t top = 10;
  bool json = false;
};

struct Amount {
  std::uint64_t instructions = 0;
  std::uint64_t lanes = 0;
  void add(const std::vector<TraceRun>& runs) {
    for (const TraceRun& run : runs) {
      instructions += run.instructions();
      lanes += run.instructions() * static_cast<unsigned>(std::popcount(run.mask));
    }
  }
  void add(const Amount& more) { instructions += more.instructions, lanes += more.lanes; }
  [[nodiscard]] double simd() const {
    return instructions == 0 ? 0
                             : static_cast<double>(lanes) / static_cast<double>(instructions) / base::kLanes;
  }
};

struct Comparison {
  Amount reference, other;
  std::uint64_t warps = 0;
  std::uint64_t different = 0;  ///< warps
  std::uint64_t missing = 0;    ///< warps that only one of the traces has
  std::uint64_t distance = 0;
  std::uint64_t in_any_order = 0;  ///< the distance if order did not count
  std::uint64_t cut_off = 0;       ///< warps whose distance is larger than it is counted here
  void add(const Comparison& more) {
    reference.add(more.reference);
    other.add(more.other);
    warps += more.warps;
    different += more.different;
    missing += more.missing;
    distance += more.distance;
    in_any_order += more.in_any_order;
    cut_off += more.cut_off;
  }
  /// Of the reference; a difference from nothing is a whole one.
  [[nodiscard]] double difference() const { return of_reference(distance); }
  [[nodiscard]] double of_reference(std::uint64_t part) const {
    return part == 0 ? 0
                     : static_cast<double>(part) /
                           static_cast<double>(std::max<std::uint64_t>(reference.instructions, 1));
  }
};

struct WarpComparison : Comparison {
  std::uint64_t launch = 0;
  TracedWarp warp;
};

/// A number for each pair of PC and mask that a warp executes, the same in both traces.
class Symbols {
 public:
  [[nodiscard]] std::vector<std::uint32_t> of(const std::vector<TraceRun>& runs, std::uint32_t bytes) {
    std::vector<std::uint32_t> symbols;
    std::uint64_t count = 0;
    for (const TraceRun& run : runs) count += run.instructions();
    symbols.reserve(count);
    for (const TraceRun& run : runs)
      for (std::uint32_t time = 0; time < run.times; ++time)
        for (std::uint64_t i = 0; i <= run.more; ++i)
          symbols.push_back(number({run.pc + i * bytes, run.mask}));
    return symbols;
  }

  [[nodiscard]] std::size_t count() const { return numbers_.size(); }

 private:
  struct Token {
    std::uint64_t pc;
    std::uint32_t mask;
    bool operator==(const Token&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Token& token) const {
      return std::hash<std::uint64_t>()((token.pc << 32 | token.pc >> 32) ^
                                        token.mask * 0x9e3779b97f4a7c15ull);
    }
  };
  [[nodiscard]] std::uint32_t number(const Token& token) {
    return numbers_.try_emplace(token, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::unordered_map<Token, std::uint32_t, Hash> numbers_;
};

/// Updates, insertions and deletions that make a permutation of the other sequence of one.
std::uint64_t distance_in_any_order(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                                    std::size_t symbols) {
  std::vector<std::int64_t> more(symbols, 0);
  for (const std::uint32_t symbol : a) ++more[symbol];
  for (const std::uint32_t symbol : b) --more[symbol];
  std::uint64_t of_a = 0;
  std::uint64_t of_b = 0;
  for (const std::int64_t each : more)
    (each > 0 ? of_a : of_b) += static_cast<std::uint64_t>(each > 0 ? each : -each);
  return std::max(of_a, of_b);
}

class Comparer {
 public:
  explicit Comparer(const CompareTracesRequest& request) : request_(request) {}

  void run() {
    const ControlFlowTrace reference = read_control_flow(request_.reference);
    const ControlFlowTrace other = read_control_flow(request_.other);
    std::set<std::uint64_t> numbers;
    for (const auto& [number, launch] : reference.launches) numbers.insert(number);
    for (const auto& [number, launch] : other.launches) numbers.insert(number);
    for (const std::uint64_t number : numbers) {
      static const TracedLaunch kNone;
      const auto a = reference.launches.find(number);
      const auto b = other.launches.find(number);
      compare(number, a == reference.launches.end() ? kNone : a->second,
              b == other.launches.end() ? kNone : b->second);
    }
  }
  [[nodiscard]] const Comparison& total() const { return total_; }
  void print() const { fmt::print("{}", request_.json ? json_text(json(), 1) + "\n" : text()); }

 private:
  void compare(std::uint64_t number, const TracedLaunch& a, const TracedLaunch& b) {
    const bool both = a.instruction_bytes != 0 && b.instruction_bytes != 0;
    if (both && (a.kernel != b.kernel || a.instruction_bytes != b.instruction_bytes))
      throw base::InputError(
          request_.other,
          fmt::format(
              "launch {} is of kernel {}, with {} bytes for an instruction; in {} it is of {}, with {}",
              number, b.kernel, b.instruction_bytes, request_.reference, a.kernel, a.instruction_bytes),
          "give traces of two runs of the same program");
    Launch launch{number, a.instruction_bytes != 0 ? a.kernel : b.kernel, {}};
    const std::uint32_t bytes = std::max(a.instruction_bytes, b.instruction_bytes);
    std::set<TracedWarp> warps;
    for (const auto& [warp, runs] : a.warps) warps.insert(warp);
    for (const auto& [warp, runs] : b.warps) warps.insert(warp);
    for (const TracedWarp& warp : warps) {
      static const std::vector<TraceRun> kNothing;
      const auto in_a = a.warps.find(warp);
      const auto in_b = b.warps.find(warp);
      WarpComparison of = compare(in_a == a.warps.end() ? kNothing : in_a->second,
                                  in_b == b.warps.end() ? kNothing : in_b->second, bytes);
      of.launch = number;
      of.warp = warp;
      of.missing = in_a == a.warps.end() || in_b == b.warps.end() ? 1 : 0;
      launch.sum.add(of);
      warps_.push_back(of);
    }
    total_.add(launch.sum);
    launches_.push_back(std::move(launch));
  }

  [[nodiscard]] WarpComparison compare(const std::vector<TraceRun>& a, const std::vector<TraceRun>& b,
                                       std::uint32_t bytes) const {
    WarpComparison of;
    of.warps = 1;
    of.reference.add(a);
    of.other.add(b);
    if (a == b) return of;
    Symbols symbols;
    const std::vector<std::uint32_t> one = symbols.of(a, bytes);
    const std::vector<std::uint32_t> two = symbols.of(b, bytes);
    const auto distance =
        request_.most == 0 ? edit_distance(one, two) : edit_distance(one, two, request_.most);
    of.distance = distance.value_or(request_.most + 1);
    of.cut_off = distance ? 0 : 1;
    of.in_any_order = distance_in_any_order(one, two, symbols.count());
    of.different = of.distance != 0 ? 1 : 0;
    return of;
  }

  [[nodiscard]] static Json json_of(const Comparison& of) {
    return {{"instructions", of.reference.instructions},
            {"other_instructions", of.other.instructions},
            {"distance", of.distance},
            {"exact", of.cut_off == 0},
            {"difference", of.difference()},
            {"difference_in_any_order", of.of_reference(of.in_any_order)},
            {"simd", of.reference.simd()},
            {"other_simd", of.other.simd()}};
  }

  [[nodiscard]] static Json json_of_all(const Comparison& of) {
    Json json = {{"warps", of.warps}, {"different_warps", of.different}, {"missing_warps", of.missing}};
    json.update(json_of(of));
    return json;
  }

  [[nodiscard]] Json json() const {
    Json launches = Json::array();
    auto warp = warps_.begin();
    for (const Launch& launch : launches_) {
      Json warps = Json::array();
      for (; warp != warps_.end() && warp->launch == launch.number; ++warp) {
        Json entry = {{"cta", warp->warp.first}, {"warp", warp->warp.second}};
        entry.update(json_of(*warp));
        warps.push_back(std::move(entry));
      }
      Json entry = {{"launch", launch.number}, {"kernel", launch.kernel}};
      entry.update(json_of_all(launch.sum));
      entry["by_warp"] = std::move(warps);
      launches.push_back(std::move(entry));
    }
    return {{"reference", request_.reference},
            {"other", request_.other},
            {"total", json_of_all(total_)},
            {"launches", std::move(launches)}};
  }

  [[nodiscard]] static std::vector<std::string> cells(const Comparison& of) {
    const char* const at_least = of.cut_off != 0 ? "> " : "";
    return {fmt::format("{}", of.reference.instructions),
            fmt::format("{}", of.other.instructions),
            fmt::format("{}{}", at_least, of.distance),
            fmt::format("{}{:.4f} %", at_least, 100 * of.difference()),
            fmt::format("{:.4f} %", 100 * of.of_reference(of.in_any_order)),
            fmt::format("{:.2f} %", 100 * of.reference.simd()),
            fmt::format("{:.2f} %", 100 * of.other.simd())};
  }

  [[nodiscard]] std::string text() const {
    std::string text = fmt::format("reference  {}\nother      {}\n", request_.reference, request_.other);
    TextTable table(0, TextTable::Style{.right = {2, 3, 4, 5, 6, 7, 8, 9, 10}});
    const auto row = [](TextTable& to, std::vector<std::string> first, const Comparison& of) {
      for (std::string& cell : cells(of)) first.push_back(std::move(cell));
      to.row(std::move(first));
    };
    table.row({"launch", "kernel", "warps", "different", "instructions", "other", "distance", "difference",
               "any order", "SIMD", "other"});
    const auto counts = [](const Comparison& of) {
      return std::vector<std::string>{fmt::format("{}", of.warps), fmt::format("{}", of.different)};
    };
    for (const Launch& launch : launches_) {
      std::vector<std::string> first{fmt::format("{}", launch.number), launch.kernel};
      for (std::string& cell : counts(launch.sum)) first.push_back(std::move(cell));
      row(table, std::move(first), launch.sum);
    }
    std::vector<std::string> first{"total", ""};
    for (std::string& cell : counts(total_)) first.push_back(std::move(cell));
    row(table, std::move(first), total_);
    text += table.text() + worst();
    if (total_.missing != 0)
      text += fmt::format("{} warps are in one of the traces only; all their instructions count\n",
                          total_.missing);
    if (total_.cut_off != 0)
      text += fmt::format("the distance of {} warps is larger than {} (--max-distance) and counts as {}\n",
                          total_.cut_off, request_.most, request_.most + 1);
    return text;
  }

  /// The warps that differ most.
  [[nodiscard]] std::string worst() const {
    std::vector<const WarpComparison*> order;
    for (const WarpComparison& each : warps_)
      if (each.distance != 0) order.push_back(&each);
    if (order.empty() || request_.top == 0) return "";
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->distance > b->distance; });
    TextTable table(0, TextTable::Style{.right = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
    table.row({"launch", "CTA", "warp", "instructions", "other", "distance", "difference", "any order",
               "SIMD", "other"});
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), request_.top); ++i) {
      const WarpComparison& each = *order[i];
      std::vector<std::string> row{fmt::format("{}", each.launch), fmt::format("{}", each.warp.first),
                                   fmt::format("{}", each.warp.second)};
      for (std::string& cell : cells(each)) row.push_back(std::move(cell));
      table.row(std::move(row));
    }
    return "\nwarps that differ most\n" + table.text();
  }

  struct Launch {
    std::uint64_t number = 0;
    std::string kernel;
    Comparison sum;
  };
  const CompareTracesRequest& request_;
  std::vector<Launch> launches_;
  std::vector<WarpComparison> warps_;  ///< by launch, CTA and warp
  Comparison total_;
};

}  // namespace

void add_compare_traces(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("compare-traces", "Compare two traces of control flow (run --trace-control-flow)");
  command->footer(kCompareHelp);
  const auto request = std::make_shared<CompareTracesRequest>();
  command->add_option("REFERENCE", request->reference, "The trace that the other one is compared with")
      ->required();
  command->add_option("OTHER", request->other, "The other trace")->required();
  command
      ->add_option(
          "--max-distance", request->most,
          "Give up on a warp that differs in more, and count this plus one; 0: never. Time grows with "
          "instructions x distance: two sequences of a million without anything in common take a minute")
      ->transform(whole_number())
      ->capture_default_str();
  command->add_option("--top", request->top, "Warps to print of those that differ")
      ->transform(whole_number())
      ->capture_default_str();
  command->add_flag("--json", request->json, "As JSON, with all warps");
  command->callback([request, &body] {
    body = [request] {
      Comparer comparer(*request);
      comparer.run();
      comparer.print();
      return comparer.total().distance == 0 ? base::ExitCode::kOk : base::ExitCode::kMismatch;
    };
  });
}

}  // namespace heddle::cli
