#include "cli/sampled_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "cli/number_option.h"

namespace heddle::cli {

namespace {

/// `given`: windows, waves that warm up, waves that count.
gpu::Estimation estimation_of(const std::vector<std::uint32_t>& given,
                              std::function<void(const gpu::SkippedCtas&)> skip) {
  if (given.front() < 2)
    throw base::InputError("--estimate 1", "a single window tells nothing of its error", "take at least 2");
  if (given.size() > 3)
    throw base::InputError("--estimate", fmt::format("{} numbers", given.size()),
                           "Write WINDOWS, WINDOWS:WARM_UP or WINDOWS:WARM_UP:MEASURED.");
  gpu::Estimation estimation;
  estimation.windows = given[0];
  if (given.size() > 1) estimation.warm_up_waves = given[1];
  if (given.size() > 2) estimation.measured_waves = given[2];
  estimation.skip = std::move(skip);
  return estimation;
}

}  // namespace

void add_sampling_options(CLI::App& command, RunSettings& settings) {
  command
      .add_option("--detail", settings.detail,
                  "KERNEL:FROM-TO: simulate only these launches of this kernel (* for each), counted from "
                  "1; the oracle runs the "
                  "others, much faster. May be repeated")
      ->allow_extra_args(false);
  constexpr std::uint64_t kMost = 10'000;
  command
      .add_option(
          "--estimate", settings.estimate,
          "WINDOWS[:WARM_UP[:MEASURED]]: simulate only so many windows of CTAs of each large launch; the "
          "oracle runs the CTAs between them. Cycles are an estimate then, and have a margin; results are "
          "whole. A window has WARM_UP waves of CTAs before those that count")
      ->type_name("WINDOWS")
      ->delimiter(':')
      ->allow_extra_args(false)
      ->transform(whole_number(1, kMost));
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
  if (!settings.estimate.empty())
    gpu.estimate(
        estimation_of(settings.estimate, [this](const gpu::SkippedCtas& ctas) { device_->skip(ctas); }));
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
