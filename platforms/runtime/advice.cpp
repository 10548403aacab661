#include "runtime/advice.h"

#include <iterator>

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t page_of(std::uint64_t address) { return address / kPage * kPage; }
std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  return page_of(address + bytes + kPage - 1);
}

}  // namespace

Advice::Facts Advice::at(std::uint64_t address) const {
  const auto next = from_.upper_bound(address);
  return next == from_.begin() ? Facts{} : std::prev(next)->second;
}

void Advice::change(std::uint64_t address, std::uint64_t bytes, const std::function<void(Facts&)>& how) {
  const std::uint64_t begin = page_of(address), end = end_of(address, bytes);
  from_.try_emplace(end, at(end));
  from_.try_emplace(begin, at(begin));
  for (auto each = from_.find(begin); each->first != end; ++each) how(each->second);
}

void Advice::forget(std::uint64_t address, std::uint64_t bytes) {
  change(address, bytes, [](Facts& facts) { facts = {}; });
  for (auto each = from_.begin(); each != from_.end();)  // borders between the same
    each = each->second == (each == from_.begin() ? Facts{} : std::prev(each)->second) ? from_.erase(each)
                                                                                       : std::next(each);
}

Advice::Facts Advice::common(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t begin = page_of(address), end = end_of(address, bytes);
  Facts all = at(begin);
  for (auto each = from_.upper_bound(begin); each != from_.end() && each->first < end; ++each) {
    const Facts& other = each->second;
    all.read_mostly = all.read_mostly && other.read_mostly;
    all.accessed_by_device = all.accessed_by_device && other.accessed_by_device;
    all.accessed_by_host = all.accessed_by_host && other.accessed_by_host;
    if (all.preferred != other.preferred) all.preferred = {};
    if (all.prefetched != other.prefetched) all.prefetched = {};
  }
  return all;
}

}  // namespace heddle::runtime
