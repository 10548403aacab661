#include "cli/compare/pc_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& pc) {
  return pc.contains("sass") ? pc.value("sass", "") : pc.value("ptx", "");
}

/// Group-cycles by what they were: issues, and waiting by cause.
std::map<std::string, std::int64_t> counts_of(const Json& pc) {
  std::map<std::string, std::int64_t> counts;
  counts["issues"] = pc.at("issues").get<std::int64_t>();
  for (const auto& [cause, count] : pc.at("waiting").items()) counts[cause] = count.get<std::int64_t>();
  return counts;
}

std::uint64_t sum_of(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const auto& each : counts) sum += each.second;
  return static_cast<std::uint64_t>(sum);
}

bool same_code(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].at("pc") != b[i].at("pc") || text_of(a[i]) != text_of(b[i])) return false;
  return true;
}

const Json* find_kernel(const Json& profile, const Json& kernel) {
  for (const Json& each : profile.at("kernels"))
    if (each.at("kernel") == kernel.at("kernel") && each.at("source") == kernel.at("source")) return &each;
  return nullptr;
}

void add_kernel(const Json& ours, const Json& theirs, std::vector<PcDifference>& to) {
  for (std::size_t i = 0; i < ours.at("pcs").size(); ++i) {
    const Json &a = ours.at("pcs")[i], &b = theirs.at("pcs")[i];
    auto base = counts_of(a), other = counts_of(b);
    PcDifference difference;
    difference.base = sum_of(base);
    difference.other = sum_of(other);
    for (const auto& [cause, count] : base) other[cause] -= count;
    std::erase_if(other, [](const auto& each) { return each.second == 0; });
    if (other.empty()) continue;
    difference.kernel = ours.at("kernel").get<std::string>();
    difference.pc = a.at("pc").get<std::string>();
    difference.line = a.value("line", std::uint64_t{0});
    difference.text = text_of(a);
    difference.by_cause = std::move(other);
    to.push_back(std::move(difference));
  }
}

}  // namespace

PcDifferences pc_differences(const results::Results& results, std::size_t base, std::size_t other) {
  PcDifferences differences;
  const Json ours = results.document(base, "profile.json"), theirs = results.document(other, "profile.json");
  if (ours.is_null() || theirs.is_null()) {
    differences.problem =
        "no profile of both runs: make them with --profile (options: {profile: true} of a sweep)";
    return differences;
  }
  for (const Json& kernel : ours.at("kernels")) {
    const Json* const partner = find_kernel(theirs, kernel);
    if (partner == nullptr || !same_code(kernel.at("pcs"), partner->at("pcs"))) {
      differences.problem +=
          fmt::format("{}kernel {} has other code in the other run", differences.problem.empty() ? "" : "; ",
                      kernel.at("kernel").get<std::string>());
      continue;
    }
    add_kernel(kernel, *partner, differences.pcs);
  }
  std::ranges::stable_sort(differences.pcs, [](const PcDifference& a, const PcDifference& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  return differences;
}

}  // namespace heddle::cli
