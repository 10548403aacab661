// The page of `heddle report`: one HTML file that holds its data, its program and its style, and fetches nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "report/run_columns.h"
#include "report/run_details.h"
#include "results/results.h"

namespace heddle::report {

struct PageOptions {
  std::string title = "Heddle report";
  std::string heddle{};                   ///< version of the command that makes the page
  std::optional<std::size_t> baseline{};  ///< run that is pinned at first; otherwise the first complete one
  DetailLimits limits{};
  DescribeKey describe{};  ///< meanings of configuration keys
  std::string folder{};    ///< of the page: links to files of runs are relative to it
};

/// The folder with page.html (what the build has bundled) and sheets/<block>.md (rtl/<block>/SYNTHESIS.md): the one in the environment
/// variable HEDDLE_REPORT_DIR, else the one set by use_report_folder(), else the build folder's.
[[nodiscard]] std::string report_folder();
/// Sets the folder of an installation, for the whole process.
void use_report_folder(const std::string& folder);

/// Throws base::InputError if page.html is not there: Heddle was built without the npm packages that it is bundled from.
[[nodiscard]] std::string page_template();

/// All data of the page, columns by run. README.md has the form.
[[nodiscard]] nlohmann::ordered_json page_data(const results::Results& results, const PageOptions& options);

/// The template with title and data. `<` in the data is escaped, so that no text of a run can end the element that holds it.
[[nodiscard]] std::string page_text(const std::string& page_template, const std::string& title,
                                    const nlohmann::ordered_json& data);

}  // namespace heddle::report
