#include "core/issue/hazard_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::core {
namespace {

constexpr std::size_t kShown = 20;

base::Pc pc_of(const isa::Kernel& kernel, const isa::Instruction* instruction) {
  return base::Pc{static_cast<std::uint32_t>(instruction - kernel.code.data())};
}

const char* what(HazardKind kind) {
  switch (kind) {
    case HazardKind::kReadAfterWrite:
      return "reads the old value of";
    case HazardKind::kWriteAfterWrite:
      return "is overtaken by an older write of";
    case HazardKind::kWriteAfterRead:
      return "overwrites, before it has been read,";
  }
  return "";
}

}  // namespace

void HazardLog::add(const CodeHazard& hazard) {
  auto at = std::find(kernels_.begin(), kernels_.end(), kernel_.get());
  if (at == kernels_.end()) at = kernels_.insert(kernels_.end(), kernel_.get());
  const auto number = static_cast<std::size_t>(at - kernels_.begin());
  Entry& entry = found_[{number, hazard.late, hazard.earlier, hazard.reg}];
  if (entry.count++ == 0)
    entry = {kernel_, hazard, 1};
  else if (hazard.distance < entry.hazard.distance)
    entry.hazard = hazard;
}

std::vector<HazardLog::Entry> HazardLog::entries() const {
  std::vector<Entry> entries;
  for (const auto& [key, entry] : found_) entries.push_back(entry);
  return entries;
}

std::string HazardLog::Entry::text() const {
  const base::Pc late = pc_of(*kernel, hazard.late);
  const base::Pc earlier = pc_of(*kernel, hazard.earlier);
  return fmt::format(
      "kernel {}, {:#x}: `{}` {} {}\n    of {:#x}: `{}`, {} cycles before; {}; {} times", kernel->name,
      kernel->code_address(late), kernel->source_line(late), what(hazard.kind),
      kernel->register_names.at(hazard.reg), kernel->code_address(earlier), kernel->source_line(earlier),
      hazard.distance,
      hazard.needed != 0 ? fmt::format("it takes {}", hazard.needed) : std::string("nothing waits for it"),
      count);
}

std::string HazardLog::text() const {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [key, entry] : found_) {
    if (shown++ == kShown) break;
    text += "\n  " + entry.text();
  }
  if (found_.size() > kShown) text += fmt::format("\n  ... and {} more", found_.size() - kShown);
  return text;
}

}  // namespace heddle::core
