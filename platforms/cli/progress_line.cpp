#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/files.h"

namespace heddle::cli {
namespace {

// Shorter runs need no progress line.
constexpr std::chrono::milliseconds kQuietTime{700};
/// Between lines that stay.
constexpr std::chrono::seconds kTextInterval{10};
constexpr std::chrono::milliseconds kJsonInterval{500};

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

ProgressLine::ProgressLine(ProgressMode mode)
    : mode_(mode), start_(Clock::now()), launch_start_(start_), told_(start_) {}

std::function<void(const gpu::ProgressReport&)> ProgressLine::callback() {
  if (mode_ == ProgressMode::kTerminal && ::isatty(STDERR_FILENO) != 1) return {};
  return [this](const gpu::ProgressReport& report) { show(report); };
}

double ProgressLine::seconds_of_launch() const { return seconds_of(Clock::now() - launch_start_); }

std::string ProgressLine::text(const gpu::ProgressReport& report, double seconds) const {
  const auto left = seconds_left(seconds_of_launch(), static_cast<double>(report.ctas_done),
                                 static_cast<double>(report.ctas_total));
  return fmt::format("{}: {} of {} CTAs, {} cycles, {} warp instructions, {:.0f} s{}", report.kernel,
                     report.ctas_done, report.ctas_total, report.cycles, report.warp_instructions, seconds,
                     left ? fmt::format(", {} left", duration_text(*left)) : "");
}

std::string ProgressLine::json(const gpu::ProgressReport& report, double seconds) const {
  const auto left = seconds_left(seconds_of_launch(), static_cast<double>(report.ctas_done),
                                 static_cast<double>(report.ctas_total));
  nlohmann::ordered_json line{{"kernel", report.kernel},
                              {"launches_ended", launches_},
                              {"cycles", report.cycles},
                              {"warp_instructions", report.warp_instructions},
                              {"ctas_done", report.ctas_done},
                              {"ctas_total", report.ctas_total},
                              {"seconds", seconds}};
  line["seconds_left"] = left ? nlohmann::ordered_json(*left) : nlohmann::ordered_json(nullptr);
  return json_text(line);
}

void ProgressLine::show(const gpu::ProgressReport& report) {
  const auto now = Clock::now();
  if (mode_ == ProgressMode::kTerminal) {
    if (now - start_ < kQuietTime) return;
    fmt::print(stderr, "\r{}\x1b[K", text(report, seconds_of(now - start_)));
    shown_ = true;
  } else {
    const bool is_json = mode_ == ProgressMode::kJson;
    if (now - told_ < (is_json ? Clock::duration(kJsonInterval) : Clock::duration(kTextInterval))) return;
    told_ = now;
    const double seconds = seconds_of(now - start_);
    fmt::print(stderr, "{}\n", is_json ? json(report, seconds) : "heddle: " + text(report, seconds));
  }
  std::fflush(stderr);
}

void ProgressLine::erase() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace heddle::cli
