// heddle compare: runs, or sweeps, against each other.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/compare/compare_report.h"
#include "cli/compare/run_pairs.h"
#include "cli/files.h"
#include "cli/number_option.h"
#include "cli/run_outcome.h"
#include "results/results.h"

namespace heddle::cli {
namespace {

constexpr const char* kCompareRunsHelp =
    R"(RESULTS are folders of `heddle run --out` or of `heddle sweep --out`. The first is the base, A; each other one is compared with it as B.

Two runs: first the configuration keys in which they differ. Then the difference of their cycles by what issue slots were used
for: an issue slot is a cycle of a scheduler, and has one cause, so the lines sum exactly to the difference. Then statistics, those
that matter most first: by relative change, weighted by the square root of their share in the largest statistic of their unit. Then
the instructions whose warps waited longer or shorter, if both runs have a profile.

Two sweeps: runs are matched by the parameters in which runs of a sweep differ. A line a pair, geometric means, and the sum of their
differences by cause. --by KEY compares within one sweep: the first value of KEY with each other one.

Examples:
  heddle compare out/lrr out/gto
  heddle compare out/l1 --by core.l1d.size_kib
  heddle compare out/baseline out/mine --csv mine.csv
)";

struct CompareRequest {
  std::vector<std::string> paths;
  std::string by, json, csv;
  CompareLimits limits;
};

base::ExitCode compare(const CompareRequest& request) {
  if (request.by.empty() && request.paths.size() < 2)
    throw base::InputError("heddle compare", "one result, and nothing to compare it with",
                           "give two, or --by PARAMETER for the runs of a sweep");
  if (std::set<std::string>(request.paths.begin(), request.paths.end()).size() != request.paths.size())
    throw base::InputError("heddle compare", "a result is given twice", "leave one of them out");
  const results::Results results = results::Results::open(request.paths);
  if (results.runs().empty())
    throw base::InputError(request.paths.front(), "has no runs", "heddle sweep --resume makes them");
  const std::vector<PairGroup> groups =
      request.by.empty() ? pairs_of_paths(results, request.paths) : pairs_by(results, request.by);
  if (!request.json.empty()) check_writable(request.json, "--json " + request.json);
  if (!request.csv.empty()) check_writable(request.csv, "--csv " + request.csv);
  if (!request.json.empty())
    write_text(request.json, json_text(compare_json(results, groups), 1) + "\n", "--json " + request.json);
  if (!request.csv.empty()) write_text(request.csv, compare_csv(results, groups), "--csv " + request.csv);
  put(compare_text(results, groups, request.limits));
  return base::ExitCode::kOk;
}

}  // namespace

void add_compare(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("compare", "Compare runs, or sweeps: why is one slower than the other");
  command->footer(kCompareRunsHelp);
  const auto request = std::make_shared<CompareRequest>();
  command->add_option("RESULTS", request->paths, "Folders of runs or of sweeps, the base first")->required();
  command->add_option("--by", request->by,
                      "Compare runs that differ in this parameter only: its first value with the others");
  command->add_option("--json", request->json, "Write everything as JSON to this file");
  command->add_option("--csv", request->csv,
                      "Write the statistics that differ to this file, a line for each pair and statistic");
  command->add_option("--top", request->limits.statistics, "Statistics, and instructions, to print")
      ->transform(whole_number(1))
      ->capture_default_str();
  command->callback([request, &body] { body = [request] { return compare(*request); }; });
}

}  // namespace heddle::cli
