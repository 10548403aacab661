#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace heddle::cli {
namespace {

// Shorter runs need no progress line.
constexpr std::chrono::milliseconds kQuietTime{700};

}  // namespace

ProgressLine::ProgressLine()
    : start_(std::chrono::steady_clock::now()), terminal_(::isatty(STDERR_FILENO) == 1) {}

std::function<void(const gpu::ProgressReport&)> ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](const gpu::ProgressReport& report) { show(report); };
}

void ProgressLine::show(const gpu::ProgressReport& report) {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  if (elapsed < kQuietTime) return;
  const std::string line =
      fmt::format("\r{}: {} of {} CTAs, {} cycles, {} warp instructions, {:.0f} s\x1b[K", report.kernel,
                  report.ctas_done, report.ctas_total, report.cycles, report.warp_instructions,
                  std::chrono::duration<double>(elapsed).count());
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::erase() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace heddle::cli
