#include "cli/run_workload.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/errors.h"
#include "workloads/parameters.h"

namespace heddle::cli {
namespace {

workloads::Options options(const workloads::Workload& workload, const WorkloadRequest& request) {
  workloads::Options options;
  options.compiler = request.compiler == "clang" ? workloads::Compiler::kClang : workloads::Compiler::kNvcc;
  options.size = request.size == "tiny"    ? workloads::Size::kTiny
                 : request.size == "paper" ? workloads::Size::kPaper
                                           : workloads::Size::kSmall;
  options.seed = request.seed;
  options.machine_code = request.machine_code;
  for (const std::string& parameter : request.parameters)
    workloads::set_parameter(workload, parameter, options);
  return options;
}

/// A user's kernel in the place of a workload.
void refuse_file(const std::string& name, const std::string& command) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(name, ignored);
  if (!is_file && !name.ends_with(".ptx") && !name.ends_with(".sass")) return;
  throw base::InputError(
      command, fmt::format("'{}' is {}, not a workload", name, is_file ? "a file" : "the name of a file"),
      fmt::format("run your own kernel with heddle run --ptx {} --entry KERNEL --grid N --block N --arg ...\n"
                  "  heddle list shows the workloads",
                  name));
}

}  // namespace

Job workload_job(const WorkloadRequest& request, const std::string& command) {
  const workloads::Workload* workload = workloads::find(request.name);
  if (workload == nullptr) {
    refuse_file(request.name, command);
    std::vector<std::string> names;
    for (const workloads::Workload& w : workloads::all()) names.push_back(w.name);
    throw unknown_name(command, "workload", request.name, names);
  }
  Job job;
  job.header.title = workload->name;
  const bool ptx = request.machine_code.empty();
  job.header.variant = fmt::format(
      "{}, size {}, seed {}", ptx ? request.compiler + " PTX" : "machine code of " + request.machine_code,
      request.size, request.seed);
  job.header.identity = {{"workload", workload->name},
                         {"compiler", request.compiler},
                         {"size", request.size},
                         {"seed", request.seed}};
  if (!ptx && workload->needs_transactions)
    throw base::InputError(command,
                           fmt::format("{} is made of transactions, which exist in PTX only", workload->name),
                           "Leave out --cubin, or choose a workload that uses locks.");
  if (!ptx) {
    job.header.identity.erase("compiler");
    job.header.identity["machine_code"] = std::filesystem::path(request.machine_code).filename().string();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(request.machine_code, ignored))
      job.reads.push_back({request.machine_code, "--cubin " + request.machine_code});
  }
  const workloads::Options chosen = options(*workload, request);
  for (const auto& [name, value] : chosen.parameters) {
    job.header.variant += fmt::format(", {} {}", name, value);
    job.header.identity["parameters"][name] = value;
  }
  job.program = [workload, chosen](host::Device& device) { return workload->run(device, chosen); };
  if (workload->racy) job.not_comparable = "its memory depends on a legal race";
  if (workload->needs_lockstep)
    job.not_comparable = "it relies on lanes that execute together, and the oracle's threads are independent";
  return job;
}

}  // namespace heddle::cli
