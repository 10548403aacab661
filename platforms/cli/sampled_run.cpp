#include "cli/sampled_run.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "base/error.h"

namespace heddle::cli {

namespace {

constexpr std::uint32_t kMost = 10'000;
constexpr const char* kForm = "Write WINDOWS, WINDOWS:WARM_UP or WINDOWS:WARM_UP:MEASURED.";

/// Of "WINDOWS[:WARM_UP[:MEASURED]]".
gpu::Estimation estimation_of(const std::string& given) {
  gpu::Estimation estimation;
  const std::array fields = {&estimation.windows, &estimation.warm_up_waves, &estimation.measured_waves};
  std::size_t at = 0;
  for (std::uint32_t* const field : fields) {
    if (at > given.size()) break;
    const std::string text = given.substr(at, given.find(':', at) - at);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *field);
    if (error != std::errc{} || end != text.data() + text.size() || *field == 0 || *field > kMost)
      throw base::InputError("--estimate " + given,
                             fmt::format("'{}' is not a whole number from 1 to {}", text, kMost), kForm);
    at += text.size() + 1;
  }
  if (at <= given.size()) throw base::InputError("--estimate " + given, "more than three numbers", kForm);
  if (estimation.windows < 2)
    throw base::InputError("--estimate " + given, "a single window tells nothing of its error",
                           "take at least 2");
  return estimation;
}

}  // namespace

void add_sampling_options(CLI::App& command, RunSettings& settings) {
  command
      .add_option("--detail", settings.detail,
                  "KERNEL:FROM-TO: simulate only these launches of this kernel (* for each), counted from "
                  "1; the oracle runs the others. May be repeated")
      ->allow_extra_args(false);
  command
      .add_option(
          "--estimate", settings.estimate,
          "WINDOWS[:WARM_UP[:MEASURED]]: simulate only so many windows of CTAs of each large launch; the "
          "oracle runs the CTAs between them. Cycles are an estimate then, and have a margin; results are "
          "whole. A window has WARM_UP waves of CTAs before those that count")
      ->type_name("WINDOWS")
      ->check([](const std::string& text) {
        (void)estimation_of(text);
        return std::string{};
      });
}

SampledRun::SampledRun(const Job& job, const RunSettings& settings, gpu::GpuDevice& gpu, TrackedDevice& model)
    : job_(job), program_(job.program) {
  if (settings.detail.empty() && settings.estimate.empty()) return;
  if (!settings.estimate.empty()) note_variant(job_.header, "estimated", "estimated");
  if (!settings.detail.empty()) note_variant(job_.header, "some launches", "some_launches");
  std::vector<DetailRange> ranges;
  for (const std::string& text : settings.detail) ranges.push_back(detail_range(text));
  const auto print = job.listener.print ? job.listener.print : [](const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  device_.emplace(model, std::move(ranges), oracle_of(gpu.config().tensor(), print), job.listener.launched);
  if (!settings.estimate.empty()) {
    gpu::Estimation estimation = estimation_of(settings.estimate);
    estimation.skip = [this](const gpu::SkippedCtas& ctas) { device_->skip(ctas); };
    gpu.estimate(std::move(estimation));
  }
  if (job.dump)
    job_.dump = [this, dump = job.dump](host::Device&, Problems& problems) { dump(*device_, problems); };
  if (job.printed) job_.printed = [this, printed = job.printed](host::Device&) { return printed(*device_); };
  // A second run of the program, on the oracle alone, is none of these.
  job_.program = [this, &model](host::Device& device) {
    return &device == &model ? run() : program_(device);
  };
}

workloads::Verdict SampledRun::run() {
  workloads::Verdict verdict = program_(*device_);
  device_->settle();  // --check oracle looks at the model's memory
  if (!device_->simulates_all_launches())
    verdict.summary +=
        fmt::format("; {} simulated in detail, {} run by the oracle", device_->detailed(), device_->quick());
  return verdict;
}

}  // namespace heddle::cli
