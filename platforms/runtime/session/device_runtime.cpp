#include "runtime/session/device_runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/session/device_runtime_text.h"
#include "runtime/session/ptx_statements.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view kPrefix = "__cudaCDP2", kPerThread = "_ptsz";
constexpr std::string_view kHandleSuffix = "$handle";

/// By cudaDeviceAttr's numbers; -1 is unknown to kernels.
std::vector<int> attributes_of(const host::DeviceProperties& device, unsigned compute_capability) {
  const auto number = [](std::uint64_t value) { return static_cast<int>(value); };
  std::vector<int> values(128, -1);
  values[1] = number(device.max_threads_per_block);
  values[2] = number(device.max_block.x), values[3] = number(device.max_block.y),
  values[4] = number(device.max_block.z);
  values[5] = number(device.max_grid.x), values[6] = number(device.max_grid.y),
  values[7] = number(device.max_grid.z);
  values[8] = number(device.shared_bytes_per_block);
  values[10] = number(device.warp_size);
  values[12] = number(device.registers_per_multiprocessor);
  values[16] = number(device.multiprocessors);
  values[38] = number(device.l2_bytes);
  values[39] = number(device.max_threads_per_multiprocessor);
  values[75] = number(compute_capability / 10), values[76] = number(compute_capability % 10);
  values[81] = number(device.shared_bytes_per_block);
  values[82] = number(device.registers_per_multiprocessor);
  return values;
}

std::string variables_of(const host::DeviceProperties& device, unsigned compute_capability) {
  return fmt::format(
      ".global .align 8 .u64 {0} = 0;\n.global .align 8 .u64 {1} = {3};\n.global .align 8 .u64 $pool_most = "
      "{3};\n"
      ".global .align 16 .b8 {2}[{3}];\n.global .align 4 .u32 $attributes[128] = {{{4}}};\n",
      kPoolUsed, kPoolEnd, kPool, kPoolBytes, fmt::join(attributes_of(device, compute_capability), ", "));
}

/// Where the part begins that may name kernels: a function's body, a variable's value.
std::size_t values_of(const Statement& statement) {
  const char sign = statement.kind == Statement::Kind::kFunction ? '{' : '=';
  return std::min(statement.text.find(sign), statement.text.size());
}

bool is_kernel(const Statement& statement) {
  return statement.kind == Statement::Kind::kFunction &&
         statement.text.substr(0, values_of(statement)).find(".entry") != std::string::npos;
}

}  // namespace

std::string with_device_runtime(const std::string& ptx, const host::DeviceProperties& device,
                                unsigned compute_capability) {
  if (ptx.find(kPrefix) == std::string::npos) return ptx;
  std::set<std::string> provided;
  for (const Statement& each : statements_of(kDeviceRuntimeText)) provided.insert(each.name);
  std::vector<Statement> statements = statements_of(ptx);
  std::map<std::string, std::string> names;
  std::set<std::string> handles;
  for (const Statement& each : statements) {
    if (is_kernel(each)) {
      handles.insert(each.name + std::string(kHandleSuffix));
      names.emplace(each.name, each.name + std::string(kHandleSuffix));
    } else if (each.name.starts_with(kPrefix) && each.name.ends_with(kPerThread)) {
      names.emplace(each.name, each.name.substr(0, each.name.size() - kPerThread.size()));
    }
  }
  using Kind = Statement::Kind;
  std::string head, text;
  for (const Statement& each : statements) {
    const auto renaming = names.find(each.name);
    const bool runtime = each.name.starts_with(kPrefix);
    if (each.kind == Kind::kPrototype && runtime &&
        provided.contains(renaming == names.end() ? each.name : renaming->second))
      continue;
    const std::size_t from = values_of(each);
    (each.kind == Kind::kVersion || each.kind == Kind::kTarget || each.kind == Kind::kAddressSize ? head
                                                                                                  : text) +=
        each.text.substr(0, from) + renamed(each.text.substr(from), names) + "\n";
  }
  for (const std::string& each : handles) head += fmt::format(".global .align 4 .u32 {} = 0;\n", each);
  for (const char* const each :
       {".extern .func (.param .b64 r) malloc(.param .b64 n);", ".extern .func free(.param .b64 p);"})
    head += std::string(each) + "\n";
  return head + variables_of(device, compute_capability) + kDeviceRuntimeText + text;
}

std::vector<std::pair<std::string, std::string>> kernels_with_handles(const std::string& ptx) {
  std::vector<std::pair<std::string, std::string>> found;
  if (ptx.find(kPrefix) == std::string::npos) return found;
  for (const Statement& each : statements_of(ptx))
    if (each.kind == Statement::Kind::kVariable && each.name.ends_with(kHandleSuffix))
      found.emplace_back(each.name.substr(0, each.name.size() - kHandleSuffix.size()), each.name);
  return found;
}

bool is_device_runtime(const std::string& ptx) {
  if (ptx.find(kPrefix) == std::string::npos) return false;
  for (const Statement& each : statements_of(ptx))
    if (each.kind == Statement::Kind::kFunction && each.name.starts_with(kPrefix)) return true;
  return false;
}

}  // namespace heddle::runtime
