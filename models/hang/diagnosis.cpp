#include "hang/diagnosis.h"

#include <fmt/format.h>

#include <utility>

namespace heddle::hang {

HangReport reported(HangKind kind, std::string how, std::string why, std::string remedy) {
  HangReport report;
  report.kind = kind;
  report.title = kind_name(kind);
  report.how = std::move(how);
  report.details = {std::move(why)};
  report.remedy = std::move(remedy);
  return report;
}

std::string diagnosis(const LaunchWords& launch, const HangReport& report, const std::string& activity) {
  std::string text = fmt::format("kernel {} hangs: {} ({}; diagnosed at cycle {})", launch.kernel,
                                 report.title, report.how, launch.cycles);
  if (launch.ctas_waiting != 0) text += fmt::format("\n  {} CTAs have not been started", launch.ctas_waiting);
  for (const std::string& detail : report.details) text += "\n  " + detail;
  return text + activity + "\n  " + report.remedy;
}

}  // namespace heddle::hang
