// Numbers of a workload's input that can be chosen one by one: `heddle run hashtable --param buckets=128`.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/workload.h"

namespace heddle::workloads {

/// Takes "name=value" into `options`. Throws base::InputError if the workload has no such parameter, or it cannot have
/// that value.
void set_parameter(const Workload& workload, const std::string& assignment, Options& options);

/// What was chosen for `name`, otherwise `of_size`.
[[nodiscard]] std::uint32_t chosen(const Options& options, const std::string& name, std::uint32_t of_size);

}  // namespace heddle::workloads
