// heddle analyze: loops that may deadlock on a SIMT stack, the control flow graph, and the transformation
// that makes the loops terminate.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/analyze_convergence.h"
#include "cli/analyze_graph.h"
#include "cli/analyze_model.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/number_option.h"
#include "cli/output_names.h"
#include "compiler/pipeline.h"
#include "frontend/listing/listing.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/parser.h"
#include "host/module_bytes.h"
#include "ssde/ssde.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

constexpr const char* kAnalyzeHelp =
    R"(KERNEL is a PTX file, a listing or a workload (heddle list), with :NAME one of its kernels only.

Examples:
  heddle analyze spinlock
  heddle analyze saxpy.ptx:saxpy --json
  heddle analyze spinlock --svg spinlock.svg
  heddle analyze spinlock --transform ssde -o spinlock.ssde.ptx
  heddle analyze spinlock --convergence

Kernels with instructions that are not supported are named with the reason and left out.

Exit codes: 0 no loop may deadlock (with --transform: the new text is written; with --convergence: always), 1 some loop may,
2 bad input, a loop that the transformation refuses, or no loop found but some kernel left out,
70 a bug in Heddle)";

struct AnalyzeRequest {
  std::string target;
  std::string compiler = "nvcc";
  bool json = false;
  std::string dot;
  std::string svg;
  std::string transform;
  std::string out;
  std::string parameters = "may-alias";
  std::string outer_loops = "post-dominates";
  bool exclude_loop_writes = false;
  bool ignore_dominating_stores = false;
  bool strict = false;
  bool convergence = false;
  std::uint32_t barrier_registers = 7;
  std::string delay = "far";
  std::string yields = "needed";
  std::string waits = "strong";
  bool early = true;
  bool loop_exits = false;
};

struct Target {
  std::string file;
  std::string kernel;  ///< empty: all
};

Target resolve(const AnalyzeRequest& request) {
  Target target{request.target, {}};
  // A file of exactly that name takes precedence over reading the part after the colon as a kernel.
  if (std::filesystem::is_regular_file(target.file)) return target;
  const auto colon = request.target.rfind(':');
  if (colon != std::string::npos) {
    target.file = request.target.substr(0, colon);
    target.kernel = request.target.substr(colon + 1);
    if (target.kernel.empty())
      throw base::InputError("heddle analyze " + request.target, "there is no name behind the ':'",
                             "give FILE:KERNEL, or FILE alone for all kernels");
  }
  const workloads::Workload* const workload = workloads::find(target.file);
  if (workload != nullptr) {
    const std::string stem = std::filesystem::path(workload->source).stem().string();
    target.file = workloads::ptx_path(
        stem, request.compiler == "clang" ? workloads::Compiler::kClang : workloads::Compiler::kNvcc);
  } else if (target.file.find_first_of("./") == std::string::npos) {
    std::vector<std::string> names;
    for (const workloads::Workload& w : workloads::all()) names.push_back(w.name);
    throw unknown_name("heddle analyze", "workload", target.file, names);
  }
  return target;
}

analysis::DeadlockOptions options_of(const AnalyzeRequest& request) {
  analysis::DeadlockOptions options;
  options.alias.params_may_alias = request.parameters == "may-alias";
  options.outer_loops = request.outer_loops == "listing" ? analysis::OuterLoopRule::kListing
                                                         : analysis::OuterLoopRule::kPostDominates;
  options.writes_within_loop = !request.exclude_loop_writes;
  options.ignore_dominating_stores = request.ignore_dominating_stores;
  options.strictly_common = request.strict;
  return options;
}

/// Any distinct addresses will do: nothing is run.
std::uint64_t place(std::uint64_t& next, std::uint64_t bytes, std::uint32_t align) {
  const std::uint64_t unit = std::max<std::uint64_t>(align, 256);
  const std::uint64_t address = (next + unit - 1) / unit * unit;
  next = address + std::max<std::uint64_t>(bytes, 1);
  return address;
}

isa::Module decoded(const ptx::Module& tree) {
  return ptx::decode_apart(
      tree,
      [next = isa::kGlobalBase](const std::string&, std::uint64_t bytes, std::uint32_t align) mutable {
        return place(next, bytes, align);
      },
      ptx::Library());
}

isa::Module compiled(isa::Module module, const std::string& text, const std::string& name) {
  if (listing::is_listing(text)) listing::complete(listing::parse(text, name), module);
  compiler::Pipeline::standard().run(module);
  return module;
}

class Analysis {
 public:
  explicit Analysis(const AnalyzeRequest& request)
      : request_(request),
        target_(resolve(request)),
        text_(host::ptx_text_of_file(target_.file)),
        tree_(listing::parse_module(text_, target_.file)),
        module_(compiled(decoded(tree_), text_, target_.file)) {
    std::vector<std::string> names;
    for (const auto& kernel : module_.kernels) {
      names.push_back(kernel->name);
      if (!target_.kernel.empty() && kernel->name != target_.kernel) continue;
      const auto function = std::find_if(
          tree_.functions.begin(), tree_.functions.end(),
          [&](const ptx::Function& f) { return f.is_entry && !f.external && f.name == kernel->name; });
      kernels_.push_back(std::make_unique<AnalyzedKernel>(
          kernel, options_of(request),
          function != tree_.functions.end() && ssde::has_no_ssde_pragma(tree_, *function)));
    }
    if (target_.kernel.empty())
      refused_ = module_.refused;
    else
      (void)module_.find_or_refuse(target_.kernel);
    if (!kernels_.empty()) return;
    if (!refused_.empty()) module_.require_all();
    for (const isa::RefusedKernel& kernel : module_.refused) names.push_back(kernel.name);
    if (names.empty())
      throw base::InputError(target_.file, "the module has no kernels",
                             "give a module with an .entry: functions are analysed as parts of kernels");
    throw unknown_name(target_.file, "kernel", target_.kernel, names);
  }

  base::ExitCode run() {
    if (request_.convergence) return convergence();
    if (!request_.transform.empty()) {
      const base::ExitCode code = transform();
      draw();
      return code;
    }
    draw();
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::size_t flagged = 0;
    for (const auto& kernel : kernels_) {
      all.push_back(kernel->json());
      flagged += kernel->flagged();
    }
    if (request_.json) {
      for (const isa::RefusedKernel& kernel : refused_)
        all.push_back({{"kernel", kernel.name}, {"file", target_.file}, {"refused", kernel.why->what()}});
      fmt::print("{}\n", json_text(all, 1));
    } else {
      for (const auto& kernel : all) fmt::print("{}", analysis_text(kernel));
      fmt::print("{}", refusals());
    }
    if (flagged != 0) return base::ExitCode::kMismatch;
    // Refused kernels have not been analysed, so it is unknown whether their loops may deadlock.
    return refused_.empty() ? base::ExitCode::kOk : base::ExitCode::kBadInput;
  }

 private:
  /// The kernels that have not been analysed, each followed by the reason.
  [[nodiscard]] std::string refusals() const {
    std::string text;
    for (const isa::RefusedKernel& kernel : refused_) {
      text += fmt::format("{} in {}: refused, not analysed\n", kernel.name, target_.file);
      std::istringstream why(kernel.why->what());
      for (std::string line; std::getline(why, line);) text += fmt::format("  {}\n", line);
    }
    return text;
  }

  [[nodiscard]] base::ExitCode convergence() const {
    compiler::ConvergenceOptions options;
    options.allocation.registers = request_.barrier_registers;
    options.regions.early = request_.early;
    options.regions.loop_exits = request_.loop_exits;
    options.delay = request_.delay == "far"    ? compiler::DelayedMeeting::kFar
                    : request_.delay == "near" ? compiler::DelayedMeeting::kNear
                                               : compiler::DelayedMeeting::kOff;
    options.waits_by_weak_loads = request_.waits == "any";
    options.yields = request_.yields == "needed" ? compiler::Yields::kNeeded
                     : request_.yields == "all"  ? compiler::Yields::kAll
                                                 : compiler::Yields::kOff;
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& kernel : kernels_) all.push_back(convergence_json(kernel->kernel(), options));
    if (request_.json) {
      fmt::print("{}\n", json_text(all, 1));
    } else {
      for (const auto& kernel : all) fmt::print("{}", convergence_listing(kernel));
      fmt::print("{}", refusals());
    }
    return refused_.empty() ? base::ExitCode::kOk : base::ExitCode::kBadInput;
  }

  void draw() {
    if (request_.dot.empty() && request_.svg.empty()) return;
    if (kernels_.size() > 1) {
      std::vector<std::string> targets;
      for (const auto& kernel : kernels_)
        targets.push_back(fmt::format("{}:{}", request_.target, kernel->kernel().name));
      throw base::InputError(request_.dot.empty() ? "--svg" : "--dot", "the module has several kernels",
                             fmt::format("say which: {}", fmt::join(targets, ", ")));
    }
    const std::string graph = graph_text(*kernels_.front());
    if (!request_.dot.empty()) write_text(request_.dot, graph, "--dot " + request_.dot);
    if (!request_.svg.empty()) write_svg(graph, request_.svg, "--svg " + request_.svg);
  }

  base::ExitCode transform() {
    if (listing::is_listing(text_))
      throw base::InputError(target_.file, "--transform changes PTX text, and this is a listing",
                             "give the PTX that it was made of");
    ssde::SsdeOptions options;
    options.analysis = options_of(request_);
    options.only_kernel = target_.kernel;
    const auto decode = [](const ptx::Module& tree) {
      isa::Module module = decoded(tree);
      compiler::Pipeline::standard().run(module);
      return module;
    };
    const ssde::SsdeResult result = ssde::eliminate_soundly(text_, tree_, decode, options);
    if (!result.refusals.empty()) {
      const ssde::SsdeRefusal& refusal = result.refusals.front();
      throw base::InputError(fmt::format("{}:{}", target_.file, refusal.loop.line),
                             fmt::format("the loop that begins here in '{}' cannot be transformed: {}",
                                         refusal.function, refusal.reason));
    }
    fmt::print(stderr, "{}", refusals());  // they are left unchanged
    if (request_.out == "-") {
      fmt::print("{}", result.text);
      return base::ExitCode::kOk;
    }
    write_text(request_.out, result.text, "-o " + request_.out);
    if (result.switches.empty()) fmt::print("{}: nothing to transform\n", target_.file);
    for (const ssde::SsdeSwitch& sw : result.switches)
      fmt::print("{}: the loop{} of line{} {} go{} through a switch in front of {}\n", sw.function,
                 sw.loops.size() == 1 ? "" : "s", sw.loops.size() == 1 ? "" : "s", fmt::join(sw.loops, ", "),
                 sw.loops.size() == 1 ? "es" : "",
                 sw.line == 0 ? std::string("the end") : fmt::format("line {}", sw.line));
    fmt::print("written to {}\n", request_.out);
    return base::ExitCode::kOk;
  }

  const AnalyzeRequest& request_;
  Target target_;
  std::string text_;
  ptx::Module tree_;
  isa::Module module_;
  std::vector<std::unique_ptr<AnalyzedKernel>> kernels_;
  std::vector<isa::RefusedKernel> refused_;
};

void check(const AnalyzeRequest& request) {
  if (request.json && !request.transform.empty())
    throw base::InputError("heddle analyze", "--json is of the analysis, --transform writes PTX",
                           "give one of them at a time");
  for (const std::string* graph : {&request.dot, &request.svg})
    if (*graph == "-")
      throw base::InputError(graph == &request.dot ? "--dot" : "--svg", "'-' is no file",
                             "give a file name; /dev/stdout is standard output");
  if (request.convergence && !(request.transform.empty() && request.dot.empty() && request.svg.empty()))
    throw base::InputError("heddle analyze", "--convergence prints a listing and nothing else",
                           "leave out --transform, --dot and --svg");
  if (request.transform.empty() != request.out.empty())
    throw base::InputError("heddle analyze", "--transform and -o go together",
                           "for example --transform ssde -o out.ptx; -o - writes to standard output");
}

}  // namespace

void add_analyze(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("analyze", "Loops of a kernel that may deadlock on a SIMT stack, and SSDE");
  command->footer(kAnalyzeHelp);
  const auto request = std::make_shared<AnalyzeRequest>();
  const auto not_empty = [](const std::string& text) -> std::string {
    return text.empty() ? "no file name given" : "";
  };
  command->add_option("KERNEL", request->target, "PTX file or workload, with :NAME one kernel of it")
      ->required();
  command->add_option("--compiler", request->compiler, "Whose PTX of the workload to take")
      ->check(CLI::IsMember({"nvcc", "clang"}))
      ->capture_default_str();
  command->add_flag("--json", request->json, "All loops, reads and writes as JSON");
  command->add_option("--dot", request->dot, "Write the control flow graph for Graphviz")->check(not_empty);
  command->add_option("--svg", request->svg, "Draw it (needs Graphviz' dot)")->check(not_empty);
  command->add_option("--transform", request->transform, "ssde: write the kernel in a form that finishes")
      ->check(CLI::IsMember({"ssde"}));
  command->add_option("-o,--output", request->out,
                      "Where to write the transformed PTX; - is standard output");
  const std::string placement = "Convergence instructions";
  command
      ->add_flag("--convergence", request->convergence,
                 "Print the kernel with the convergence instructions that core.control_flow.mechanism=hanoi "
                 "puts into it")
      ->group(placement);
  command->add_option("--barrier-registers", request->barrier_registers, "Bx that they may use")
      ->transform(whole_number(1, 32))
      ->capture_default_str()
      ->group(placement);
  command
      ->add_option("--delay", request->delay,
                   "Where lanes meet behind loops that wait: core.convergence.delay")
      ->check(CLI::IsMember({"far", "near", "off"}))
      ->capture_default_str()
      ->group(placement);
  command->add_option("--waits", request->waits, "Loads by which a loop may wait: core.convergence.waits")
      ->check(CLI::IsMember({"strong", "any"}))
      ->capture_default_str()
      ->group(placement);
  command
      ->add_option("--yields", request->yields,
                   "Which loops that wait begin with YIELD: core.convergence.yields")
      ->check(CLI::IsMember({"needed", "all", "off"}))
      ->capture_default_str()
      ->group(placement);
  command->add_flag("!--no-early", request->early, "Without regions for joins that are no post-dominators")
      ->group(placement);
  command
      ->add_flag("--loop-exits", request->loop_exits,
                 "Lanes that leave a loop by one of several ways meet first: core.convergence.loop_exits")
      ->group(placement);
  const std::string readings = "Readings of the algorithms (models/REFERENCES.md, SSDE)";
  command
      ->add_option("--parameters", request->parameters,
                   "Whether pointers that the kernel is given may point to the same memory")
      ->check(CLI::IsMember({"may-alias", "distinct"}))
      ->capture_default_str()
      ->group(readings);
  command->add_option("--outer-loops", request->outer_loops, "When an outer loop is taken along")
      ->check(CLI::IsMember({"post-dominates", "listing"}))
      ->capture_default_str()
      ->group(readings);
  command->add_flag("--strict-places", request->strict, "Common post-dominators are strict")->group(readings);
  command
      ->add_flag("--exclude-loop-writes", request->exclude_loop_writes,
                 "Leave out writes of the loop itself that are reached through a loop around")
      ->group(readings);
  command
      ->add_flag("--ignore-dominating-stores", request->ignore_dominating_stores,
                 "Leave out stores that each round of the loop passes before the read")
      ->group(readings);
  command->callback([request, &body] {
    body = [request] {
      check(*request);
      OutputNames names;
      names.reads(resolve(*request).file, "heddle analyze " + request->target);
      if (!request->dot.empty()) names.writes(request->dot, "--dot " + request->dot);
      if (!request->svg.empty()) names.writes(request->svg, "--svg " + request->svg);
      if (!request->out.empty() && request->out != "-") names.writes(request->out, "-o " + request->out);
      return Analysis(*request).run();
    };
  });
}

}  // namespace heddle::cli
