#include "cli/sweep/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/files.h"

namespace heddle::cli {
namespace {

constexpr std::chrono::seconds kLogInterval{10};
constexpr std::chrono::milliseconds kLineInterval{100};

}  // namespace

SweepProgress::SweepProgress(ProgressMode mode, std::size_t all, std::size_t before)
    : mode_(mode), all_(all), before_(before) {
  if (mode_ == ProgressMode::kTerminal && ::isatty(STDERR_FILENO) != 1) all_ = 0;  // nothing is shown
}

double SweepProgress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void SweepProgress::ended(results::RunStatus status) {
  ++ended_;
  if (status == results::RunStatus::kPassed) ++passed_;
  if (all_ != 0) show();
}

std::string SweepProgress::text() const {
  const auto left = seconds_left(seconds(), static_cast<double>(ended_), static_cast<double>(all_ - before_));
  const std::size_t failed = ended_ - passed_;
  return fmt::format("{} of {} runs{}, {}{}", before_ + ended_, all_,
                     failed == 0 ? "" : fmt::format(", {} not passed", failed), duration_text(seconds()),
                     left ? fmt::format(", {} left", duration_text(*left)) : "");
}

std::string SweepProgress::json() const {
  const auto left = seconds_left(seconds(), static_cast<double>(ended_), static_cast<double>(all_ - before_));
  nlohmann::ordered_json line{{"runs_ended", before_ + ended_},
                              {"runs", all_},
                              {"before", before_},
                              {"not_passed", ended_ - passed_},
                              {"seconds", seconds()}};
  line["seconds_left"] = left ? nlohmann::ordered_json(*left) : nlohmann::ordered_json(nullptr);
  return json_text(line);
}

void SweepProgress::show() {
  const auto now = Clock::now();
  const bool last = before_ + ended_ == all_;
  switch (mode_) {
    case ProgressMode::kTerminal:
      if (now - told_ < kLineInterval && !last) return;
      fmt::print(stderr, "\r{}\x1b[K", text());
      shown_ = true;
      break;
    case ProgressMode::kText:
      if (now - told_ < kLogInterval && !last) return;
      fmt::print(stderr, "heddle: {}\n", text());
      break;
    case ProgressMode::kJson:
      fmt::print(stderr, "{}\n", json());
      break;
  }
  told_ = now;
  std::fflush(stderr);
}

void SweepProgress::erase() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace heddle::cli
