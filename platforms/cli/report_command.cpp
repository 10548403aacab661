// heddle report: many runs as one page that holds all it shows.
#include <memory>

#include "cli/commands.h"
#include "cli/number_option.h"
#include "cli/report_page.h"
#include "cli/run_outcome.h"

namespace heddle::cli {
namespace {

constexpr const char* kReportHelp =
    R"(RESULTS are folders of sweeps (heddle sweep --out) and of runs (heddle run --out). The page is one HTML file. It fetches nothing,
so that it can be mailed, kept, and printed: open it in any browser.

What it shows depends on what the runs have left: heddle run --profile (source lines by stall), --sample N (counters over time),
--trace-timeline DIR/timeline.json (warps).

The baseline is a run that others are compared with: its number from 0 in the order of the table, or KEY=VALUE,KEY=VALUE... of the
first run that has these parameters.

Examples:
  heddle report out/l1 -o l1.html
  heddle report out/a out/b -o ab.html --baseline 0
  heddle report out/schedulers -o schedulers.html --baseline core.scheduler.policy=gto
)";

}  // namespace

void add_report(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("report", "Make a page of many runs: one HTML file with tables and charts");
  command->footer(kReportHelp);
  const auto request = std::make_shared<PageRequest>();
  command->add_option("RESULTS", request->results, "Folders of sweeps and runs")->required();
  command->add_option("-o,--output", request->output, "The page (.html)")
      ->required()
      ->check([](const std::string& text) { return std::string(text.empty() ? "no name given" : ""); });
  command->add_option("--title", request->title, "Its title; otherwise the folders' names");
  command->add_option("--baseline", request->baseline,
                      "RUN or KEY=VALUE,...: the run that is pinned as the baseline when the page opens");
  command
      ->add_option(
          "--details", request->details,
          "Put profile, samples and timeline of so many runs into the page, the first that have them")
      ->transform(whole_number(0))
      ->capture_default_str();
  command->callback([request, &body] {
    body = [request] {
      request->place = "--output " + request->output;
      put(write_page(*request) + "\n");
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
