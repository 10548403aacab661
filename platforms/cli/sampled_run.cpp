#include "cli/sampled_run.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "cli/report.h"

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
                  "1, or none; the others run without time. May be repeated")
      ->allow_extra_args(false);
  command
      .add_option(
          "--estimate", settings.estimate,
          "WINDOWS[:WARM_UP[:MEASURED]]: simulate only so many windows of CTAs of each large launch; the "
          "CTAs between them run without time. Cycles are an estimate then, and have a margin; results are "
          "whole. A window has WARM_UP waves of CTAs before those that count")
      ->type_name("WINDOWS")
      ->check([](const std::string& text) {
        (void)estimation_of(text);
        return std::string{};
      });
}

SampledRun::SampledRun(const Job& job, const RunSettings& settings, gpu::GpuDevice& gpu) : job_(job) {
  if (!settings.estimate.empty()) {
    note_variant(job_.header, "estimated", "estimated");
    gpu.estimate(estimation_of(settings.estimate));
  }
  if (settings.detail.empty()) return;
  note_variant(job_.header, "some launches", "some_launches");
  std::vector<DetailRange> ranges;
  for (const std::string& text : settings.detail) ranges.push_back(detail_range(text));
  choice_.emplace(std::move(ranges));
  gpu.simulate_only([this, launched = job.listener.launched](const std::string& kernel) {
    const bool simulates = choice_->chooses(kernel);
    if (!simulates && launched) launched(choice_->likely_ns());
    return simulates;
  });
  job_.program = [this, &gpu, program = job.program](host::Device& device) {
    workloads::Verdict verdict = program(device);
    // A second run of the program, on the oracle, says the same of the first one.
    verdict.summary +=
        fmt::format("; {} launches simulated in detail, {} run without time ({} warp instructions)",
                    choice_->detailed(), choice_->quick(), grouped(gpu.instructions_without_time()));
    for (const DetailRange& range : choice_->empty_ranges())
      verdict.summary += fmt::format("; no launch was --detail {}:{}-{}", range.kernel, range.from, range.to);
    return verdict;
  };
}

}  // namespace heddle::cli
