// heddle cuda: options.
#include <algorithm>
#include <iterator>
#include <memory>

#include "base/exit_codes.h"
#include "cli/commands.h"
#include "cli/cuda_run.h"
#include "cli/number_option.h"
#include "cli/sampled_run.h"
#include "gpu/platform_files.h"

namespace heddle::cli {
namespace {

constexpr const char* kCudaHelp =
    R"(PROGRAM is run as it is, with this command's CUDA runtime in the place of NVIDIA's: link it to the shared runtime (nvcc
-cudart shared), or set NVCC_APPEND_FLAGS=-L and the folder that --runtime-folder prints, and build it as always. Its output is
its own; the report comes on standard error, and as files with --out. Its exit code is the command's.

Examples:
  heddle cuda ./program 1000
  heddle cuda --platform h100 --set cores=16 --out out/program ./program --iterations 3
  heddle cuda --check ./program

)";

struct CudaRequest {
  CudaSettings settings;
  std::string device = kRunDevices[0];
  bool folder = false;
};

void refuse_mixture(const CLI::App& command, const CudaRequest& request) {
  const auto refuse = [&](const char* name, const char* why, const char* remedy) {
    if (command.get_option(name)->count() > 0)
      throw base::InputError("heddle cuda", std::string(name) + why, remedy);
  };
  if (request.settings.run.device != RunDevice::kModel) {
    for (const char* name : {"--check", "--profile", "--max-cycles", "--detail", "--estimate"})
      refuse(name, " is of the GPU model", "leave it out, or leave out --device");
  }
  if (request.settings.run.per_launch && request.settings.run.out.empty())
    refuse("--per-launch", " is about stats.json", "add --out DIR");
}

}  // namespace

void add_cuda(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("cuda", "Run a CUDA program, unmodified, on a simulated GPU");
  command->footer(kCudaHelp + base::exit_code_table());
  command->prefix_command();
  const auto request = std::make_shared<CudaRequest>();
  CudaSettings& settings = request->settings;
  settings.run.platform = kDefaultProgramPlatform;
  command
      ->add_option("--device", request->device,
                   "model: the GPU model; gpu: the first real GPU, through the CUDA driver; oracle: the "
                   "scalar interpreter")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kRunDevices), std::end(kRunDevices))))
      ->capture_default_str();
  command->add_option("--platform", settings.run.platform, "Platform name or .yaml file of the model")
      ->capture_default_str();
  command
      ->add_option("--set", settings.run.assignments,
                   "KEY=VALUE: change a configuration key (heddle describe); may be repeated")
      ->allow_extra_args(false);
  command->add_option(
      "--out", settings.run.out,
      "Folder for report.txt, stats.json, host.json and config.yaml; of a program that opens the device "
      "several times, the later ones in session-2 ... within");
  command->add_flag("--per-launch", settings.run.per_launch,
                    "With --out: statistics of every launch in stats.json, besides those of every kernel");
  command->add_flag(
      "--profile", settings.run.profile,
      "Print where the time goes, by instruction; with --out also profile.txt and profile.json");
  command
      ->add_option("--max-cycles", settings.run.max_cycles,
                   "A launch that takes more core cycles fails, as one that hangs; 0: no limit")
      ->transform(whole_number());
  command
      ->add_option("--max-seconds", settings.run.max_seconds,
                   "End the program after as many seconds of host time, with the results so far and exit "
                   "code 5; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  add_sampling_options(*command, settings.run);
  command->add_flag(
      "--check", settings.check,
      "Run it a second time on the oracle, and compare what it copies to the host, and its exit codes");
  command->add_flag("--quiet", settings.quiet, "No report on standard error");
  command->add_flag("--runtime-folder", request->folder,
                    "Print the folder of the runtime's libraries, and end");
  command->add_option("--serve", settings.serve, "")
      ->group("");  // of a program that has started the command itself
  command->callback([request, command, &body] {
    body = [request, command] {
      CudaSettings& given = request->settings;
      if (request->folder) {
        std::puts(runtime_folder().c_str());
        return base::ExitCode::kOk;
      }
      given.run.device =
          static_cast<RunDevice>(std::find(std::begin(kRunDevices), std::end(kRunDevices), request->device) -
                                 std::begin(kRunDevices));
      given.command = command->remaining();
      refuse_mixture(*command, *request);
      for (const std::string& text : given.run.detail) (void)detail_range(text);
      (void)gpu::load_platform(given.run.platform, given.run.assignments);  // before anything runs
      if (given.serve >= 0) return serve_cuda_program(given.serve, given, {});
      if (given.command.empty())
        throw base::InputError("heddle cuda", "no program is given",
                               "heddle cuda [OPTIONS] PROGRAM [ARGUMENT]...");
      if (given.command.front().starts_with("-"))
        throw base::InputError(
            "heddle cuda", "'" + given.command.front() + "' is no option of this command",
            "heddle cuda --help shows what there is; options of the program come behind its name");
      return static_cast<base::ExitCode>(run_cuda_program(given));
    };
  });
}

}  // namespace heddle::cli
