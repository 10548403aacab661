#include "cli/device_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dimensions_text(const host::Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }
Json dimensions_json(const host::Dim3& d) { return {d.x, d.y, d.z}; }

/// All launches; not defined for none.
DeviceLaunch all_launches(const MeasuredDevice& device) {
  DeviceLaunch all = device.launches().front();
  for (std::size_t i = 1; i < device.launches().size(); ++i) all.add(device.launches()[i]);
  return all;
}

std::string amount(const DeviceLaunch& launch, const DeviceIdentity& identity) {
  return identity.has_time ? fmt::format("{:.1f}", launch.microseconds) : grouped(launch.thread_instructions);
}

std::string launch_lines(const MeasuredDevice& device, const DeviceIdentity& identity) {
  const auto& all = device.launches();
  const std::size_t shown = std::min(all.size(), kLaunchLines);
  std::size_t name_width = 6;
  for (std::size_t i = 0; i < shown; ++i) name_width = std::max(name_width, all[i].kernel.size());
  std::string text = fmt::format("  launch  {:<{}}  {:>14}\n", "kernel", name_width,
                                 identity.has_time ? "time (us)" : "thread instr.");
  for (std::size_t i = 0; i < shown; ++i)
    text +=
        fmt::format("  {:>6}  {:<{}}  {:>14}\n", i + 1, all[i].kernel, name_width, amount(all[i], identity));
  if (all.size() > shown)
    text += fmt::format("     ...  {} more: --per-launch puts all into stats.json of --out\n",
                        all.size() - shown);
  return text;
}

Json amounts_json(const DeviceLaunch& launch, const DeviceIdentity& identity) {
  if (!identity.has_time) return {{"thread_instructions", launch.thread_instructions}};
  Json summary = {{"microseconds", launch.microseconds}};
  if (launch.launches > 1) summary.update({{"shortest", launch.shortest}, {"longest", launch.longest}});
  return summary;
}

Json launch_json(const DeviceLaunch& launch, const DeviceIdentity& identity) {
  const auto if_one = [&](Json value) { return launch.one_shape ? value : Json(nullptr); };
  Json entry = {{"grid", if_one(dimensions_json(launch.shape.grid))},
                {"block", if_one(dimensions_json(launch.shape.block))},
                {"dynamic_shared_bytes", if_one(launch.shape.dynamic_shared_bytes)},
                {"summary", amounts_json(launch, identity)}};
  if (!launch.complete) entry["complete"] = false;
  return entry;
}

}  // namespace

std::string device_report_text(const RunHeader& header, const DeviceIdentity& identity,
                               const MeasuredDevice& device) {
  std::string text = fmt::format("{} on {}{}\n", header.title, identity.name,
                                 header.variant.empty() ? "" : " (" + header.variant + ")");
  text += report_line("result", fmt::format("{}: {}",
                                            header.ended_early ? "INCOMPLETE"
                                            : header.passed    ? "passed"
                                                               : "FAILED",
                                            header.verdict));
  if (!identity.details.empty()) text += report_line("device", identity.details);
  if (device.launches().empty()) return text;
  const DeviceLaunch all = all_launches(device);
  if (all.launches == 1) {
    text +=
        report_line("kernel", fmt::format("{}, grid {}, block {}", all.kernel,
                                          dimensions_text(all.shape.grid), dimensions_text(all.shape.block)));
  } else {
    text += launch_lines(device, identity);
    text += report_line("kernels", fmt::format("all {} launches", all.launches));
  }
  if (identity.has_time)
    return text + report_line("time", amount(all, identity) + " us, by the driver's events");
  return text + report_line("instructions", amount(all, identity) + " thread");
}

std::string device_host_text(const MeasuredDevice& device) {
  const double seconds = device.launches().empty() ? 0.0 : all_launches(device).host_seconds;
  return report_line("host", fmt::format("{:.3f} s in {} launch{}", seconds, device.launches().size(),
                                         device.launches().size() == 1 ? "" : "es"));
}

Json device_report_json(const RunHeader& header, const DeviceIdentity& identity, const MeasuredDevice& device,
                        bool per_launch) {
  Json json = {{"heddle", HEDDLE_VERSION}, {"platform", identity.name}, {"device", identity.kind}};
  json.update(identity.json);
  json.update(header.identity);
  json["passed"] = header.passed;
  json["verdict"] = header.verdict;
  add_end(json, header);
  json["total"] = {{"launches", device.launches().size()}};
  if (!device.launches().empty()) json["total"].update(amounts_json(all_launches(device), identity));
  json["kernels"] = Json::array();
  for (const DeviceLaunch& kernel : device.kernels()) {
    Json entry = {{"kernel", kernel.kernel}, {"source", kernel.source}, {"launches", kernel.launches}};
    entry.update(launch_json(kernel, identity));
    json["kernels"].push_back(std::move(entry));
  }
  if (!per_launch) return json;
  json["launches"] = Json::array();
  for (const DeviceLaunch& launch : device.launches()) {
    Json entry = {{"kernel", launch.kernel}};
    entry.update(launch_json(launch, identity));
    json["launches"].push_back(std::move(entry));
  }
  return json;
}

Json device_host_json(const MeasuredDevice& device) {
  Json json = {{"seconds", device.launches().empty() ? 0.0 : all_launches(device).host_seconds},
               {"kernels", Json::array()}};
  for (const DeviceLaunch& kernel : device.kernels()) {
    Json entry = {{"kernel", kernel.kernel},
                  {"source", kernel.source},
                  {"launches", kernel.launches},
                  {"seconds", kernel.host_seconds}};
    if (!kernel.complete) entry["complete"] = false;
    json["kernels"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace heddle::cli
