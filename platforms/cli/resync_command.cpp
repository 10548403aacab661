// heddle resync: replays per-thread traces through heuristics of thread re-synchronisation.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/new_file.h"
#include "cli/number_option.h"
#include "cli/output_names.h"
#include "cli/resync_report.h"
#include "resync/observed_flow.h"
#include "resync/policy_names.h"
#include "resync/record_format.h"
#include "resync/replay.h"
#include "resync/supersequence.h"

namespace heddle::cli {
namespace {

struct ResyncRequest {
  std::vector<std::string> traces;
  std::vector<std::string> policies;
  resync::ReplayOptions options;
  std::string marks = "observed";
  bool no_barriers = false;
  std::string json;
  bool optimum = false;
  bool details = false;
};

std::string help() {
  std::string text =
      R"(TRACES are folders that heddle threads has written, or files of the published record format, one per thread. All
sets of threads below a folder are replayed by themselves and added up.

--policy takes a name below, with its parameters in brackets (quote it), and options behind it; published: the 55
configurations of the publication, with the right names of its LongIRB rows.

)";
  for (const resync::PolicyForm& form : resync::policy_forms())
    text += fmt::format("  {:<18} {}\n", form.form, form.doc);
  text += R"(
  +block             decisions at the ends of blocks only
  +aging=K           a thread that was not served for K selections is served next, for one block
  +function_stack    Lee: lists per call
  +top_only          PDom: only threads that the topmost entry misses are chosen
  +no_match          PDom: waiting threads are not activated by others that come to their PC
  +push_always       PDom: every marked branch is pushed, not only where threads part
  +entries=N         PDom: entries of the divergence buffer
  +instructions      LongestPathP: tied blocks alternate instruction by instruction

Example: heddle resync out/bfs --policy 'LongMinSP(4)' --policy MinPC+block --details

)";
  return text;
}

/// On a terminal: what is being replayed, and how far.
class ReplayProgress {
 public:
  ReplayProgress() : terminal_(::isatty(STDERR_FILENO) == 1) {}
  ~ReplayProgress() { erase(); }
  ReplayProgress(const ReplayProgress&) = delete;
  ReplayProgress& operator=(const ReplayProgress&) = delete;
  void show(const std::string& policy, std::uint64_t set, std::uint64_t sets, std::uint64_t instructions) {
    stop_if_interrupted();
    if (!terminal_) return;
    fmt::print(stderr, "\r{}: set {} of {}, {} M instructions\x1b[K", policy, set + 1, sets,
               instructions / 1'000'000);
    std::fflush(stderr);
    shown_ = true;
  }
  void erase() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  bool terminal_;
  bool shown_ = false;
};

using Sets = std::vector<std::vector<std::filesystem::path>>;

Sets all_sets(const ResyncRequest& request) {
  Sets sets;
  std::vector<std::filesystem::path> loose;  // files given one by one are one set
  for (const std::string& given : request.traces) {
    Sets found = resync::trace_sets(given);
    if (std::filesystem::is_directory(given))
      sets.insert(sets.end(), found.begin(), found.end());
    else
      loose.push_back(given);
  }
  if (!loose.empty()) sets.push_back(loose);
  return sets;
}

std::vector<std::string> policy_names(const ResyncRequest& request) {
  std::vector<std::string> names;
  for (const std::string& name : request.policies) {
    if (name != "published") {
      (void)resync::make_policy(name);  // bad names are reported before anything is replayed
      names.push_back(name);
      continue;
    }
    for (const resync::PublishedConfiguration& row : resync::published_configurations())
      names.push_back(row.name);
  }
  return names;
}

/// Fewest fetches of a set, of PCs that fit into memory.
std::uint64_t optimum_of(resync::TraceSet& traces) {
  std::vector<std::vector<std::uint64_t>> pcs(traces.threads());
  traces.rewind();
  std::array<resync::TraceRecord, 64> records;
  for (unsigned t = 0; t < traces.threads(); ++t)
    while (const std::size_t n = traces.read(t, records))
      for (std::size_t i = 0; i < n; ++i) {
        pcs[t].push_back(records[i].pc);
        if (pcs[t].size() > 100'000)
          throw base::InputError(
              "--optimum", fmt::format("thread {} has more than 100000 instructions", t),
              "Record smaller traces; the optimum takes time and memory in the product of their lengths.");
      }
  return resync::shortest_supersequence(pcs).length;
}

ResyncResult replay_all(const ResyncRequest& request) {
  const Sets sets = all_sets(request);
  ResyncResult result;
  result.traces = request.traces;
  result.sets = sets.size();
  ReplayProgress progress;
  const std::vector<std::string> names = policy_names(request);
  std::optional<resync::ObservedFlow> flow;
  if (request.marks == "observed") {
    flow.emplace();
    for (std::size_t i = 0; i < sets.size(); ++i) {
      progress.show("control flow", i, sets.size(), 0);
      resync::RecordTraces traces(sets[i]);
      flow->add(traces);
    }
    flow->analyse();
  }
  for (const std::string& name : names) {
    ResyncRow row;
    row.policy = name;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto policy = resync::make_policy(name);
      resync::RecordTraces traces(sets[i]);
      std::optional<resync::MarkedTraces> marked;
      if (flow && policy->uses_marks()) marked.emplace(traces, *flow, policy->marks_begin_blocks());
      resync::ReplayOptions options = request.options;
      options.barriers = !request.no_barriers;
      options.progress = [&](std::uint64_t done) { progress.show(name, i, sets.size(), done); };
      const std::clock_t start = std::clock();
      resync::Replay replay(marked ? static_cast<resync::TraceSet&>(*marked) : traces, *policy, options);
      row.statistics.add(replay.run());
      row.seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    result.rows.push_back(std::move(row));
  }
  if (request.optimum) {
    result.optimum = 0;
    for (const auto& set : sets) {
      resync::RecordTraces traces(set);
      *result.optimum += optimum_of(traces);
    }
  }
  return result;
}

}  // namespace

void add_resync(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("resync", "Replay threads' traces through re-synchronisation heuristics");
  command->footer(help());
  const auto request = std::make_shared<ResyncRequest>();
  request->policies = {"MinSP_MinPC"};
  command->add_option("TRACES", request->traces, "Folders of sets, or the files of one set")->required();
  command->add_option("--policy", request->policies, "Policies, or published")->capture_default_str();
  command
      ->add_option("--fetch-units", request->options.fetch_units,
                   "Fetches per cycle of the machine that issues several; 0: one per thread")
      ->transform(whole_number(0, resync::kMaxThreads))
      ->capture_default_str();
  command
      ->add_option(
          "--marks", request->marks,
          "Compiler marks for PDom* and LongestPath*: observed (computed from the traces' control flow) or "
          "recorded (in the files)")
      ->check(CLI::IsMember({"observed", "recorded"}))
      ->capture_default_str();
  command->add_flag("--match-depth", request->options.match_depth,
                    "Threads execute together at equal depth only");
  command->add_flag("--function-marks", request->options.function_marks,
                    "Activation records are counted by the recorded marks instead of calls and returns");
  command->add_flag(
      "--no-barriers", request->no_barriers,
      "Threads do not wait at recorded barriers, as if they were cut out like critical sections");
  command->add_flag("--optimum", request->optimum, "The fewest fetches possible, for small traces");
  command->add_flag("--details", request->details,
                    "Histograms, execute-identical fetches, memory patterns and distances");
  command->add_option("--json", request->json, "Write all statistics to this file");
  command->callback([request, &body] {
    body = [request] {
      std::optional<NewFile> file;
      if (!request->json.empty()) {
        OutputNames names;
        for (const auto& set : all_sets(*request))
          for (const std::filesystem::path& trace : set) names.reads(trace, "the trace " + trace.string());
        names.writes(request->json, "--json " + request->json);
        file.emplace(request->json, "--json " + request->json);
      }
      const ResyncResult result = replay_all(*request);
      fmt::print("{}", resync_text(result, request->details));
      if (file) {
        file->write(resync_json(result).dump(1) + "\n");
        file->commit();
      }
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
