#include "cli/run_workload.h"

#include <fmt/format.h>

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
  for (const std::string& parameter : request.parameters)
    workloads::set_parameter(workload, parameter, options);
  return options;
}

}  // namespace

Job workload_job(const WorkloadRequest& request) {
  const workloads::Workload* workload = workloads::find(request.name);
  if (workload == nullptr) {
    std::vector<std::string> names;
    for (const workloads::Workload& w : workloads::all()) names.push_back(w.name);
    throw unknown_name("heddle run", "workload", request.name, names);
  }
  Job job;
  job.header.title = workload->name;
  job.header.variant = fmt::format("{} PTX, size {}, seed {}", request.compiler, request.size, request.seed);
  job.header.identity = {{"workload", workload->name},
                         {"compiler", request.compiler},
                         {"size", request.size},
                         {"seed", request.seed}};
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
