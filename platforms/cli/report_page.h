// Writes the page of heddle report, for the commands that make one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/run_details.h"

namespace heddle::cli {

struct PageRequest {
  std::vector<std::string> results;  ///< folders of sweeps and runs
  std::string output;
  std::string place;       ///< the option that named it, with its value
  std::string title{};     ///< empty: the folders' names
  std::string baseline{};  ///< a run's number, or KEY=VALUE,...; empty: the first complete run
  std::uint64_t details = report::DetailLimits{}.runs;
};

/// Throws base::InputError now if the page could not be written later.
void check_page(const PageRequest& request);

/// Writes the page and returns a line that says of what it is.
[[nodiscard]] std::string write_page(const PageRequest& request);

}  // namespace heddle::cli
