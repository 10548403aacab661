// heddle threads: records what each thread of a workload executes, for heddle resync.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/number_option.h"
#include "cli/run_workload.h"
#include "cli/trace_folder.h"
#include "oracle/oracle.h"
#include "resync/trace_recorder.h"
#ifdef HEDDLE_NATIVE_TRACER
#include "native/tracer.h"
#endif

namespace heddle::cli {
namespace {

constexpr const char* kThreadsHelp =
    R"(Runs the workload on the scalar oracle and writes a folder per set of threads: consecutive threads of a CTA, sets
spread evenly over the grid. A file per thread, in the record format of the thread re-synchronisation literature
(models/resync/README.md). Spin loops are recorded as the oracle's fair turns make them.

--native traces a program of this machine by single-stepping (x86-64 Linux): of each thread what it executes in the worker
function, critical sections and barriers cut out. The program must be linked with -static -no-pie.

Example: heddle threads bfs --size tiny --out out/bfs && heddle resync out/bfs --policy MinPC --policy MinSP_MinPC

)";

struct ThreadsRequest {
  WorkloadRequest workload;
  std::string out;
  resync::RecorderOptions options;
  std::string depth = "frames";
  std::vector<std::string> native;
  std::string worker = "resync_worker";
};

void print_foreign(const TraceFolder& folder) {
  for (const std::string& name : folder.foreign()) fmt::print("not of this recording: {}\n", name);
}

base::ExitCode record_threads(const ThreadsRequest& request) {
  const Job job = workload_job(request.workload, "heddle threads");
  resync::RecorderOptions options = request.options;
  options.frame_bytes = request.depth == "frames";
  stop_if_interrupted();
  TraceFolder folder(request.out);
  resync::TraceRecorder recorder(folder.recording(), options);
  oracle::Options oracle_options;
  oracle_options.on_turn = stop_if_interrupted;
  oracle_options.tap = &recorder;
  oracle::OracleDevice device(oracle_options);
  const workloads::Verdict verdict = job.program(device);
  if (recorder.sets() == 0)
    throw base::InputError("heddle threads", request.workload.name + " has launched no kernel",
                           "choose another");
  folder.commit();
  fmt::print("{}: {} sets of up to {} threads, {} instructions in {}\n", request.workload.name,
             recorder.sets(), options.threads, recorder.records(), request.out);
  print_foreign(folder);
  if (!verdict.passed) fmt::print("the workload's result is wrong: {}\n", verdict.summary);
  return verdict.passed ? base::ExitCode::kOk : base::ExitCode::kMismatch;
}

base::ExitCode record_native([[maybe_unused]] const ThreadsRequest& request) {
#ifdef HEDDLE_NATIVE_TRACER
  native::NativeOptions options;
  options.worker = request.worker;
  options.threads = request.options.threads;
  options.most_records = request.options.most_records;
  options.progress = [](std::uint64_t) { stop_if_interrupted(); };
  stop_if_interrupted();
  TraceFolder folder(request.out);
  const native::NativeTraces traces = native::trace_native(request.native, folder.recording(), options);
  folder.commit();
  fmt::print("{}: {} threads, {} instructions in {}; {} cut out\n", request.native[0], traces.threads,
             traces.records, request.out, traces.cut);
  print_foreign(folder);
  if (traces.status != 0) fmt::print("the program ended with exit code {}\n", traces.status);
  return traces.status == 0 ? base::ExitCode::kOk : base::ExitCode::kMismatch;
#else
  throw base::InputError("--native", "this build cannot trace programs",
                         "It needs x86-64 Linux and libcapstone-dev (scripts/setup) when it is configured.");
#endif
}

}  // namespace

void add_threads(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("threads", "Record the instructions of a workload's threads");
  command->footer(kThreadsHelp);
  const auto request = std::make_shared<ThreadsRequest>();
  CLI::Option* const workload =
      command->add_option("WORKLOAD", request->workload.name, "heddle list shows them");
  command
      ->add_option(
          "--native", request->native,
          "PROGRAM ARGUMENTS: trace the threads of a program of this machine instead (the last option)")
      ->excludes(workload);
  command->add_option("--worker", request->worker, "--native: the function that its threads execute")
      ->capture_default_str();
  command
      ->add_option("--out", request->out, "Folder for the sets; those of an earlier recording are replaced")
      ->required();
  command->add_option("--compiler", request->workload.compiler, "Whose PTX")
      ->check(CLI::IsMember({"nvcc", "clang"}))
      ->capture_default_str();
  command->add_option("--size", request->workload.size, "Input size")
      ->check(CLI::IsMember({"tiny", "small", "paper"}))
      ->capture_default_str();
  command->add_option("--seed", request->workload.seed, "Seed of the input")
      ->transform(whole_number())
      ->capture_default_str();
  command->add_option("--param", request->workload.parameters,
                      "NAME=VALUE: a number of the workload's input");
  command->add_option("--threads", request->options.threads, "Threads of a set")
      ->transform(whole_number(1, resync::kMaxThreads))
      ->capture_default_str();
  command->add_option("--sets", request->options.sets, "Sets per launch")
      ->transform(whole_number(1, 64))
      ->capture_default_str();
  command->add_option("--launches", request->options.launches, "Launches to record")
      ->transform(whole_number(1, 10'000))
      ->capture_default_str();
  command->add_option("--records", request->options.most_records, "Instructions of a thread at most; 0: all")
      ->transform(whole_number())
      ->capture_default_str();
  command
      ->add_option("--depth", request->depth,
                   "What stands for the stack pointer: frames (local memory in use and call level) or level")
      ->check(CLI::IsMember({"frames", "level"}))
      ->capture_default_str();
  command->callback([request, &body] {
    body = [request] {
      if (!request->native.empty()) return record_native(*request);
      if (request->workload.name.empty())
        throw base::InputError("heddle threads", "neither a workload nor --native is given",
                               "heddle list shows workloads.");
      return record_threads(*request);
    };
  });
}

}  // namespace heddle::cli
