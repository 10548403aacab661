// The report of a run on a card or on the oracle: of the form of the GPU model's (report.h), as far as there is something to
// say.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/measured_device.h"
#include "cli/report.h"

namespace heddle::cli {

/// What ran the program.
struct DeviceIdentity {
  const char* kind = "";  ///< as --device names it
  std::string name;       ///< "NVIDIA H100 80GB HBM3", "oracle"
  bool has_time = false;  ///< launches take time; otherwise they have thread instructions
  std::string details;    ///< a line of the report; may be empty
  nlohmann::ordered_json json = nlohmann::ordered_json::object();  ///< details for stats.json
};

[[nodiscard]] std::string device_report_text(const RunHeader& header, const DeviceIdentity& identity,
                                             const MeasuredDevice& device);
[[nodiscard]] std::string device_host_text(const MeasuredDevice& device);
/// stats.json; `per_launch`: with every launch.
[[nodiscard]] nlohmann::ordered_json device_report_json(const RunHeader& header,
                                                        const DeviceIdentity& identity,
                                                        const MeasuredDevice& device, bool per_launch);
/// host.json.
[[nodiscard]] nlohmann::ordered_json device_host_json(const MeasuredDevice& device);

}  // namespace heddle::cli
