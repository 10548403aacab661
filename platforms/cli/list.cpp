// heddle list: the available workloads and platforms.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "frontend/ptx/decode.h"
#include "gpu/platform_files.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

void list_all() {
  fmt::print("workloads (heddle run NAME):\n");
  for (const workloads::Workload& workload : workloads::all()) {
    fmt::print("  {:<14} {}\n", workload.name, workload.description);
    fmt::print("  {:<14} stresses {}\n", "", workload.stresses);
    for (const workloads::Parameter& parameter : workload.parameters)
      fmt::print("  {:<14} --param {}=N: {}; {} to {}{}\n", "", parameter.name, parameter.meaning,
                 parameter.least, parameter.most, parameter.power_of_two ? ", a power of two" : "");
  }
  fmt::print("\nplatforms (--platform NAME):\n");
  for (const gpu::Platform& platform : gpu::platforms())
    fmt::print("  {:<14} {}\n", platform.name, platform.description);
  fmt::print(
      "\nheddle list --ptx      instructions a kernel may use\nheddle describe        configuration keys\n");
}

void list_ptx() {
  for (const std::string& instruction : ptx::supported_instructions()) fmt::print("{}\n", instruction);
}

}  // namespace

void add_list(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("list", "Workloads and platforms, or the supported PTX instructions");
  const auto ptx = std::make_shared<bool>(false);
  command->add_flag("--ptx", *ptx, "List the PTX instructions that kernels may use");
  command->callback([ptx, &body] {
    body = [ptx] {
      *ptx ? list_ptx() : list_all();
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
