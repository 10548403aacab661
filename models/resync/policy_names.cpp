#include "resync/policy_names.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "base/config.h"
#include "base/error.h"
#include "resync/detection.h"
#include "resync/distance.h"
#include "resync/fetch_history.h"
#include "resync/greedy_oracle.h"
#include "resync/lee.h"
#include "resync/min_key.h"
#include "resync/post_dominator.h"
#include "resync/round_robin.h"
#include "resync/selection_rules.h"
#include "resync/thread_frontier.h"

namespace heddle::resync {
namespace {

constexpr const char* kPlace = "policy";

/// "Name(a b c)+option+option=3" in its parts.
struct Parsed {
  std::string whole, name;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> options;

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw base::InputError(kPlace, fmt::format("'{}': {}", whole, what), remedy);
  }
  /// Numbers may end in k.
  [[nodiscard]] double number(const std::string& text) const {
    std::string digits = text;
    double factor = 1;
    if (digits.ends_with('k')) {
      digits.pop_back();
      factor = 1000;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
      refuse(fmt::format("'{}' is no number", text), "Give one, 1k is 1000.");
    return value * factor;
  }
  [[nodiscard]] std::uint64_t natural(const std::string& text, std::uint64_t least,
                                      std::uint64_t most) const {
    const double value = number(text);
    if (value < static_cast<double>(least) || value > static_cast<double>(most) ||
        value != static_cast<double>(static_cast<std::uint64_t>(value)))
      refuse(fmt::format("{} is not in {}..{}", text, least, most), "Give an integer of this range.");
    return static_cast<std::uint64_t>(value);
  }
  void expect(std::size_t count, const char* form) const {
    if (arguments.size() != count)
      refuse(fmt::format("takes {} parameters, not {}", count, arguments.size()),
             fmt::format("Write {}.", form));
  }
  bool take(const std::string& option) {
    const auto found = options.find(option);
    if (found == options.end()) return false;
    if (!found->second.empty()) refuse(fmt::format("+{} takes no value", option), "Leave it out.");
    options.erase(found);
    return true;
  }
  std::optional<std::uint64_t> take_number(const std::string& option) {
    const auto found = options.find(option);
    if (found == options.end()) return std::nullopt;
    const std::uint64_t value = natural(found->second, 1, std::uint64_t{1} << 40);
    options.erase(found);
    return value;
  }
};

Parsed parse(std::string_view text) {
  Parsed parsed;
  parsed.whole = text;
  const std::size_t plus = text.find('+');
  std::string_view head = text.substr(0, plus);
  while (head.ends_with(' ')) head.remove_suffix(1);
  const std::size_t open = head.find('(');
  parsed.name = head.substr(0, open);
  if (open != std::string_view::npos) {
    if (!head.ends_with(')')) parsed.refuse("has no closing bracket", "Write NAME(a b c).");
    std::string word;
    for (const char c : head.substr(open + 1)) {
      if (c != ' ' && c != ',' && c != ')') {
        word += c;
      } else if (!word.empty()) {
        parsed.arguments.push_back(word);
        word.clear();
      }
    }
  }
  for (std::size_t at = plus; at != std::string_view::npos;) {
    const std::size_t next = text.find('+', at + 1);
    const std::string_view option =
        text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    const std::size_t equals = option.find('=');
    parsed.options[std::string(option.substr(0, equals))] =
        equals == std::string_view::npos ? "" : std::string(option.substr(equals + 1));
    at = next;
  }
  return parsed;
}

using Policy = std::unique_ptr<SelectionPolicy>;

Policy history(const Parsed& parsed, HistoryTie tie) {
  parsed.expect(1, "NAME(entries)");
  return make_fetch_history(tie, static_cast<unsigned>(parsed.natural(parsed.arguments[0], 1, 4096)));
}

PostDominatorOptions post_dominator_options(Parsed& parsed) {
  PostDominatorOptions options;
  options.top_only = parsed.take("top_only");
  options.match_activates_waiters = !parsed.take("no_match");
  options.push_always = parsed.take("push_always");
  if (const auto entries = parsed.take_number("entries")) options.entries = static_cast<unsigned>(*entries);
  return options;
}

Policy post_dominator(Parsed& parsed, Policy helper) {
  return make_post_dominator(std::move(helper), post_dominator_options(parsed));
}

bool yes(const Parsed& parsed, const std::string& word) {
  if (word != "y" && word != "n")
    parsed.refuse(fmt::format("'{}' is neither y nor n", word), "Write y or n.");
  return word == "y";
}

Policy detection(const Parsed& parsed) {
  parsed.expect(3, "RDMinSP(hysteresis ignore y|n)");
  return make_detection({parsed.natural(parsed.arguments[0], 0, 1u << 30),
                         parsed.natural(parsed.arguments[1], 0, 1u << 30), yes(parsed, parsed.arguments[2])});
}

Policy distance(const Parsed& parsed) {
  parsed.expect(3, "Dist(fallback greedy unbalance)");
  DistanceOptions options;
  options.round_robin = parsed.natural(parsed.arguments[0], 0, 1) == 1;
  options.greedy = parsed.natural(parsed.arguments[1], 0, 1) == 1;
  options.unbalance = parsed.arguments[2] == "-1"
                          ? -1
                          : static_cast<std::int64_t>(parsed.natural(parsed.arguments[2], 0, 1u << 30));
  return make_distance(options);
}

Policy oracle(const Parsed& parsed) {
  parsed.expect(2, "Oracle(window length)");
  const double length = parsed.number(parsed.arguments[1]);
  if (length < 0 || length > 1000) parsed.refuse("the length is not in 0..1000", "Give a smaller one.");
  return make_greedy_oracle({parsed.natural(parsed.arguments[0], 1, 100'000), length});
}

struct Entry {
  PolicyForm form;
  std::function<Policy(Parsed&)> make;
};

template <class Fn>
auto plain(Fn fn) {
  return [fn](Parsed& parsed) -> Policy {
    parsed.expect(0, "it without brackets");
    return fn();
  };
}
auto by_key(Key key) {
  return plain([key] { return make_min_key(key); });
}
auto helped_by(Key key) {
  return [key](Parsed& parsed) -> Policy {
    parsed.expect(0, "it without brackets");
    return post_dominator(parsed, make_min_key(key));
  };
}

const std::vector<std::pair<std::string, Entry>>& entries() {
  static const std::vector<std::pair<std::string, Entry>> all = {
      {"MinPC", {{"MinPC", "least PC"}, by_key(Key::kMinPc)}},
      {"MinSP_MinPC", {{"MinSP_MinPC", "deepest stack, then least PC"}, by_key(Key::kMinSp)}},
      {"MaxFunMinPC1", {{"MaxFunMinPC1", "most activation records, then least PC"}, by_key(Key::kMaxFun1)}},
      {"MaxFunMinPC2", {{"MaxFunMinPC2", "then the smaller record, then least PC"}, by_key(Key::kMaxFun2)}},
      {"MaxFunMinPC3", {{"MaxFunMinPC3", "then the larger record, then least PC"}, by_key(Key::kMaxFun3)}},
      {"Long",
       {{"Long(s)", "fetch history of s blocks; tied PCs take turns block by block"},
        [](Parsed& p) { return history(p, HistoryTie::kRound); }}},
      {"LongMinPC",
       {{"LongMinPC(s)", "of tied PCs the least one"},
        [](Parsed& p) { return history(p, HistoryTie::kMinPc); }}},
      {"LongMinSP",
       {{"LongMinSP(s)", "of tied ones the deepest stack, then the least PC"},
        [](Parsed& p) { return history(p, HistoryTie::kMinSp); }}},
      {"LongIRB",
       {{"LongIRB(s)", "history of instructions; tied PCs take turns instruction by instruction"},
        [](Parsed& p) { return history(p, HistoryTie::kInstruction); }}},
      {"Lee",
       {{"Lee", "threads that branch backwards wait for the others"},
        [](Parsed& p) {
          p.expect(0, "it without brackets");
          return make_lee(p.take("function_stack"));
        }}},
      {"PDomMaxFun",
       {{"PDomMaxFun", "wait at post-dominators; helper MaxFunMinPC1"}, helped_by(Key::kMaxFun1)}},
      {"PDomMaxSP", {{"PDomMaxSP", "helper: shallowest stack"}, helped_by(Key::kMaxSp)}},
      {"PDomMinFun", {{"PDomMinFun", "helper: fewest activation records"}, helped_by(Key::kMinFun)}},
      {"PDomMinPC", {{"PDomMinPC", "helper MinPC"}, helped_by(Key::kMinPc)}},
      {"PDomMinSP", {{"PDomMinSP", "helper MinSP_MinPC"}, helped_by(Key::kMinSp)}},
      {"PDomRB",
       {{"PDomRB", "helper RoundRobinEq"},
        [](Parsed& p) {
          p.expect(0, "it without brackets");
          return post_dominator(p, make_round_robin_sharing());
        }}},
      {"PDomLong",
       {{"PDomLong(s)", "helper Long(s)"},
        [](Parsed& p) { return post_dominator(p, history(p, HistoryTie::kRound)); }}},
      {"PDomSerial",
       {{"PDomSerial", "H7 without a helper: each path by itself (Fung)"},
        [](Parsed& p) {
          p.expect(0, "it without brackets");
          return post_dominator(p, nullptr);
        }}},
      {"Structured", {{"Structured", "highest nesting-depth register"}, by_key(Key::kStructured)}},
      {"LongestPath1",
       {{"LongestPath1", "thread frontiers; of tied blocks the one of the least PC"},
        plain([] { return make_thread_frontier(FrontierTie::kLeastPc); })}},
      {"LongestPathP",
       {{"LongestPathP", "tied blocks take turns"},
        [](Parsed& p) {
          p.expect(0, "it without brackets");
          return make_thread_frontier(p.take("instructions") ? FrontierTie::kInstructions
                                                             : FrontierTie::kBlocks);
        }}},
      {"RDMinSP", {{"RDMinSP(h t y|n)", "hysteresis h, ignore threshold t, decrement"}, detection}},
      {"Dist", {{"Dist(s g u)", "fallback s, greedy g, unbalance limit u"}, distance}},
      {"Oracle", {{"Oracle(w b)", "looks w instructions ahead; replay only"}, oracle}},
      {"RoundRobin", {{"RoundRobin", "one thread at a time"}, plain(make_round_robin)}},
      {"RoundRobinEq",
       {{"RoundRobinEq", "in turns, with all threads at the PC"}, plain(make_round_robin_sharing)}},
  };
  return all;
}

}  // namespace

Policy make_policy(std::string_view text) {
  Parsed parsed = parse(text);
  for (const auto& [name, entry] : entries()) {
    if (name != parsed.name) continue;
    Policy policy = entry.make(parsed);
    const bool looks_ahead = policy->looks_ahead();
    if (parsed.take("block")) policy = by_blocks(std::move(policy));
    if (const auto selections = parsed.take_number("aging"))
      policy = with_aging(std::move(policy), *selections);
    if (looks_ahead && !policy->looks_ahead())
      parsed.refuse("Oracle looks at single instructions and waits for nobody",
                    "Leave +block and +aging out.");
    if (!parsed.options.empty())
      parsed.refuse(fmt::format("has no option '+{}'", parsed.options.begin()->first),
                    "heddle resync --help lists the options of each policy.");
    return policy;
  }
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries()) names.push_back(name);
  const auto near = base::nearest_name(parsed.name, names);
  throw base::InputError(
      kPlace, fmt::format("there is no '{}'", parsed.name),
      near ? fmt::format("Did you mean '{}'?", *near) : "heddle resync --help lists the policies.");
}

const std::vector<PolicyForm>& policy_forms() {
  static const std::vector<PolicyForm> forms = [] {
    std::vector<PolicyForm> all;
    for (const auto& [name, entry] : entries()) all.push_back(entry.form);
    return all;
  }();
  return forms;
}

const std::vector<PublishedConfiguration>& published_configurations() {
  static const std::vector<PublishedConfiguration> all = [] {
    std::vector<PublishedConfiguration> rows;
    const auto same = [&rows](const std::string& name) { rows.push_back({name, name, name}); };
    for (const char* name :
         {"Dist(0 0 10k)", "Dist(1 1 -1)", "Dist(1 1 1k)", "Dist(1 1 10k)", "Dist(1 1 100k)", "Oracle(10 0)",
          "Oracle(1k 0)", "Oracle(1k 0.5)", "Oracle(1k 1)", "Oracle(1k 4)", "Lee", "Long(2)", "Long(4)",
          "Long(8)", "Long(16)", "Long(32)"})
      same(name);
    rows.push_back({"Long(64)", "LongIRB(4)", ""});
    rows.push_back({"LongIRB(4)", "LongIRB(8)", "LongIRB(4)"});
    rows.push_back({"LongIRB(8)", "LongIRB(128)", "LongIRB(8)"});
    rows.push_back({"LongIRB(16)", "LongIRB(16)", "LongIRB(128)"});
    rows.push_back({"LongIRB(32)", "LongIRB(32)", "LongIRB(16)"});
    rows.push_back({"LongIRB(64)", "LongIRB(64)", "LongIRB(32)"});
    rows.push_back({"LongIRB(128)", "", "LongIRB(64)"});
    for (const char* tie : {"LongMinPC", "LongMinSP"})
      for (const int entries : {2, 4, 8, 16, 32}) same(fmt::format("{}({})", tie, entries));
    for (const char* name :
         {"MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "MinPC", "MinSP_MinPC", "RDMinSP(2 1 n)",
          "RDMinSP(4 0 n)", "RDMinSP(4 1 n)", "RDMinSP(8 1 y)", "RoundRobinEq", "LongestPath1",
          "LongestPathP", "PDomMaxFun", "PDomMaxSP", "PDomMinFun", "PDomMinPC", "PDomMinSP", "PDomRB"})
      same(name);
    for (const int entries : {2, 4, 8, 16, 32}) same(fmt::format("PDomLong({})", entries));
    return rows;
  }();
  return all;
}

}  // namespace heddle::resync
