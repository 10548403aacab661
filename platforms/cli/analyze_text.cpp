// The readable report of `heddle analyze`.
#include <fmt/format.h>

#include <algorithm>

#include "cli/analyze_model.h"

namespace heddle::cli {
namespace {

using nlohmann::ordered_json;

std::string count(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// "line 29 (spinlock.cu:5): atom.global.cas.b32 ..."
std::string place(const ordered_json& at) {
  if (at.contains("end") && at["end"].is_boolean()) return "the end of the kernel";
  std::string cuda = at.contains("cuda") ? fmt::format(" ({})", at["cuda"].get<std::string>()) : "";
  return fmt::format("line {}{}: {}", at["line"].get<unsigned>(), cuda, at["ptx"].get<std::string>());
}

std::string numbers(const ordered_json& list, const char* between) {
  std::string text;
  for (const auto& number : list)
    text += fmt::format("{}{}", text.empty() ? "" : between, number.get<unsigned>());
  return text;
}

/// Longer lists are only in --json.
constexpr std::size_t kMostBranches = 6;
constexpr std::size_t kMostWrites = 5;

std::string branches_text(const ordered_json& list) {
  if (list.empty()) return "";
  ordered_json shown = ordered_json::array();
  for (std::size_t i = 0; i < std::min(list.size(), kMostBranches); ++i) shown.push_back(list[i]);
  const std::string more =
      list.size() > kMostBranches ? fmt::format(" and {} more", list.size() - kMostBranches) : "";
  return fmt::format(" (branch{} at line{} {}{})", list.size() == 1 ? "" : "es", list.size() == 1 ? "" : "s",
                     numbers(shown, ", "), more);
}

std::string text_of_write(const ordered_json& write) {
  std::string text = fmt::format("    may wait for {}\n", place(write["write"]));
  if (write["reachable"].get<bool>())
    text += fmt::format("      reachable behind the loop: lines {}{}\n", numbers(write["path"], " -> "),
                        branches_text(write["branches"]));
  if (write["parallel"].get<bool>())
    text += fmt::format("      on a path parallel to the loop{}\n", branches_text(write["branches"]));
  return text;
}

/// Reads, each with the writes that may change the value it returns.
std::string writes_text(const ordered_json& writes) {
  std::string text;
  std::string read;
  for (std::size_t i = 0; i < std::min(writes.size(), kMostWrites); ++i) {
    const std::string of = place(writes[i]["read"]);
    if (of != read) text += fmt::format("    the read at  {}\n", of);
    read = of;
    text += text_of_write(writes[i]);
  }
  if (writes.size() > kMostWrites)
    text += fmt::format("    and {} more; --json has all\n", writes.size() - kMostWrites);
  return text;
}

std::string loop_text(const ordered_json& loop) {
  std::string text = fmt::format("  loop of lines {}-{}", loop["begin"]["line"].get<unsigned>(),
                                 loop["end"]["line"].get<unsigned>());
  if (loop["begin"].contains("cuda")) text += fmt::format(" ({})", loop["begin"]["cuda"].get<std::string>());
  if (loop["begin"].contains("function"))
    text += fmt::format(" in function {}", loop["begin"]["function"].get<std::string>());
  text += " may deadlock\n";
  text += writes_text(loop["writes"]);
  if (loop.contains("because_of_loop"))
    text += fmt::format("    it holds the loop of line {}, whose threads have to be waited for behind it\n",
                        loop["because_of_loop"].get<unsigned>());
  if (loop["several_entries"].get<bool>()) text += "    the loop has several entries (irreducible)\n";
  text += fmt::format("    threads meet at {}\n    SafePDOM is     {}\n", place(loop["reconvergence"]),
                      place(loop["safe_pdom"]));
  return text;
}

}  // namespace

std::string analysis_text(const ordered_json& kernel) {
  const auto number = [&](const char* key) { return kernel["counts"][key].get<std::size_t>(); };
  std::string text = fmt::format("{} in {}: {}, ", kernel["kernel"].get<std::string>(),
                                 kernel["file"].get<std::string>(), count(number("loops"), "loop"));
  text += number("may_deadlock") == 0
              ? "none may deadlock on a SIMT stack\n"
              : fmt::format("{} may deadlock on a SIMT stack\n", number("may_deadlock"));
  text += fmt::format("  {} on shared memory, {} on a read in the loop, {} of them may be overwritten\n",
                      number("depend_on_shared_memory") == 1
                          ? std::string("1 depends")
                          : fmt::format("{} depend", number("depend_on_shared_memory")),
                      number("on_a_read_in_the_loop"), number("redefined"));
  if (kernel["pragma_nossde"].get<bool>())
    text += "  has .pragma \"heddle nossde\": the automatic step leaves it as it is\n";
  for (const auto& loop : kernel["loops"])
    if (loop["may_deadlock"].get<bool>()) text += loop_text(loop);
  if (!kernel["delayed_reconvergence"].empty()) text += "  delayed reconvergence (Alg 5):\n";
  for (const auto& point : kernel["delayed_reconvergence"])
    text += fmt::format("    branch at line {}: meets at {} instead of {}\n",
                        point["branch"]["line"].get<unsigned>(), place(point["delayed"]),
                        place(point["usually"]));
  if (!kernel["spin_branches"].empty()) text += "  spin-inducing branches:\n";
  for (const auto& branch : kernel["spin_branches"]) text += fmt::format("    {}\n", place(branch));
  if (!kernel["named_spin_branches"].empty()) text += "  of loops that the kernel names (.pragma):\n";
  for (const auto& branch : kernel["named_spin_branches"]) text += fmt::format("    {}\n", place(branch));
  return text;
}

}  // namespace heddle::cli
