// Holds Heddle's oracle against a real GPU: heddle_card GROUP... [options]; README.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assembled_device.h"
#include "base/error.h"
#include "cuda/cuda_device.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "groups.h"
#include "oracle/oracle.h"
#include "retargeted_device.h"
#include "sweep.h"

namespace {

using namespace heddle;

constexpr int kDifferent = 1, kSkipped = 77;

struct Request {
  std::vector<std::string> groups;
  card::Share share;
  card::Seeds seeds;
  unsigned launches = 3;
  std::string size = "tiny", compiler = "nvcc";
  bool print = false;
  card::Assembler assembler{HEDDLE_PTXAS_PATH, "", "-O3"};  ///< without an architecture: a card compiles
  std::string platform;                                     ///< that executes machine code; empty: the oracle
  std::vector<std::string> assignments;
  std::string modules;  ///< a folder for the modules' texts; empty: none
};

using Group = std::function<void(host::Device& oracle, host::Device& gpu, const Request&, card::Findings&)>;

void sweep_cases(std::vector<card::Case> (*cases)(), host::Device& oracle, host::Device& gpu,
                 const Request& request, card::Findings& findings) {
  const std::vector<card::Case> all = cases();
  findings.compared("forms", static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, std::ssize(all))) /
                                 request.share.parts);
  card::sweep(oracle, gpu, all, request.share, findings);
}

workloads::Options options_of(const Request& request) {
  workloads::Options options;
  if (request.compiler == "clang") options.compiler = workloads::Compiler::kClang;
  options.size = request.size == "tiny" ? workloads::Size::kTiny : workloads::Size::kSmall;
  return options;
}

const std::map<std::string, Group>& groups() {
  static const std::map<std::string, Group> all = {
      {"forms", [](auto& oracle, auto& gpu, auto& request,
                   auto& findings) { sweep_cases(card::table_cases, oracle, gpu, request, findings); }},
      {"video", [](auto& oracle, auto& gpu, auto& request,
                   auto& findings) { sweep_cases(card::video_cases, oracle, gpu, request, findings); }},
      {"memory", [](auto& oracle, auto& gpu, auto& request,
                    auto& findings) { sweep_cases(card::memory_cases, oracle, gpu, request, findings); }},
      {"access", [](auto& oracle, auto& gpu, auto& request,
                    auto& findings) { sweep_cases(card::access_cases, oracle, gpu, request, findings); }},
      {"warps",
       [](auto& oracle, auto& gpu, auto&, auto& findings) { card::compare_warps(oracle, gpu, findings); }},
      {"random",
       [](auto& oracle, auto& gpu, auto& request, auto& findings) {
         card::compare_random(oracle, gpu, request.seeds, request.share, findings);
       }},
      {"unstructured",
       [](auto& oracle, auto& gpu, auto& request, auto& findings) {
         card::compare_unstructured(oracle, gpu, request.seeds, request.share, findings);
       }},
      {"waiting",
       [](auto& oracle, auto& gpu, auto& request, auto& findings) {
         card::compare_waiting(oracle, gpu, request.seeds, request.share, findings);
       }},
      {"workloads",
       [](auto& oracle, auto& gpu, auto& request, auto& findings) {
         card::compare_workloads(oracle, gpu, options_of(request), request.share, findings);
       }},
      {"litmus", [](auto&, auto& gpu, auto& request,
                    auto& findings) { card::run_litmus(gpu, request.launches, request.share, findings); }},
  };
  return all;
}

void list() {
  for (const auto& [name, cases] :
       std::map<std::string, std::vector<card::Case> (*)()>{{"forms", card::table_cases},
                                                            {"video", card::video_cases},
                                                            {"memory", card::memory_cases},
                                                            {"access", card::access_cases}})
    for (const card::Case& each : cases()) std::printf("%s %s\n", name.c_str(), each.name.c_str());
}

int compare(host::Device& gpu, const Request& request) {
  bool clean = true;
  for (const std::string& name : request.groups) {
    oracle::OracleDevice oracle;
    card::Findings findings;
    try {
      groups().at(name)(oracle, gpu, request, findings);
    } catch (const base::Error& error) {
      findings.report("STOPPED", error.what());
    }
    findings.summary(fmt::format("{} {}/{}", name, request.share.part, request.share.parts));
    clean = clean && findings.clean();
  }
  return clean ? 0 : kDifferent;
}

int run_machine_code(const Request& request) {
  if (request.assembler.program.empty()) {
    std::printf("skipped: ptxas was not found\n");
    return kSkipped;
  }
  std::unique_ptr<host::Device> device;
  if (request.platform.empty())
    device = std::make_unique<oracle::OracleDevice>();
  else
    device = std::make_unique<gpu::GpuDevice>(gpu::load_platform(request.platform, request.assignments),
                                              gpu::RunOptions{});
  card::AssembledDevice code(*device, request.assembler, request.modules);
  return compare(code, request);
}

int run(const Request& request) {
  if (!request.assembler.architecture.empty()) return run_machine_code(request);
  std::unique_ptr<cuda::CudaDevice> device;
  try {
    device = std::make_unique<cuda::CudaDevice>();
  } catch (const base::InputError& error) {
    std::printf("skipped: %s\n",
                std::string(error.what()).substr(0, std::string(error.what()).find('\n')).c_str());
    return kSkipped;
  }
  std::printf("card: %s, CUDA %s\n", device->properties().name.c_str(), device->driver_version().c_str());
  card::RetargetedDevice gpu(*device, request.modules);
  return compare(gpu, request);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Holds Heddle's oracle against a real GPU. Exit codes: 0 no difference, 1 differences, 77 no card.");
  Request request;
  std::vector<std::string> names;
  for (const auto& [name, group] : groups()) names.push_back(name);
  app.add_option("GROUP", request.groups, "What to compare")->check(CLI::IsMember(names));
  app.add_flag("--list", request.print, "List the forms of instructions instead");
  app.add_option("--part", request.share.part, "Only every PARTSth, from this one on")->capture_default_str();
  app.add_option("--parts", request.share.parts, "In how many parts the work is divided")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--first", request.seeds.first, "First seed of random kernels")->capture_default_str();
  app.add_option("--count", request.seeds.count, "Random kernels, of all parts together")
      ->capture_default_str();
  app.add_option("--launches", request.launches, "Launches of each litmus test")->capture_default_str();
  app.add_option("--size", request.size, "Of workloads")
      ->check(CLI::IsMember({"tiny", "small"}))
      ->capture_default_str();
  app.add_option("--compiler", request.compiler, "Whose PTX of workloads")
      ->check(CLI::IsMember({"nvcc", "clang"}))
      ->capture_default_str();
  app.add_option("--keep-modules", request.modules,
                 "Folder for the PTX of every module that the card is given")
      ->check(CLI::ExistingDirectory);
  app.add_option("--machine-code", request.assembler.architecture,
                 "Not a card: machine code for this architecture, made by ptxas, on the oracle")
      ->check(CLI::IsMember({"sm_75", "sm_90"}));
  app.add_option("--ptxas-options", request.assembler.options, "How it is made")->capture_default_str();
  app.add_option("--platform", request.platform, "Executes the machine code instead of the oracle");
  app.add_option("--set", request.assignments, "key=value of the platform")->take_all();
  CLI11_PARSE(app, argc, argv);
  if (request.print) list();
  if (request.groups.empty() && !request.print) request.groups = names;
  try {
    return request.print ? 0 : run(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_card: error: %s\n", error.what());
    return static_cast<int>(base::ExitCode::kInternal);
  }
}

// libsystemc wants one to exist; this program has its own main().
int sc_main(int /*argc*/, char** /*argv*/) { return 1; }
