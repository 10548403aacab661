#include "cli/address_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/types.h"

namespace heddle::cli {
namespace {

bool is_local(std::uint64_t address) { return address - isa::kLocalWindowBase < isa::kLocalWindowBytes; }

}  // namespace

AddressPairs::AddressPairs(std::vector<AddressPair> pairs) : pairs_(std::move(pairs)) {
  std::stable_sort(pairs_.begin(), pairs_.end(),
                   [](const AddressPair& a, const AddressPair& b) { return a.here < b.here; });
  std::uint64_t reach = 0;
  for (const AddressPair& pair : pairs_) reach_.push_back(reach = std::max(reach, pair.here + pair.bytes));
}

bool AddressPairs::same(std::uint64_t here, std::uint64_t there) const {
  if (is_local(here) && is_local(there)) return true;
  const auto next =
      std::upper_bound(pairs_.begin(), pairs_.end(), here,
                       [](std::uint64_t address, const AddressPair& pair) { return address < pair.here; });
  for (auto i = static_cast<std::size_t>(next - pairs_.begin()); i-- > 0 && reach_[i] >= here;) {
    const std::uint64_t offset = here - pairs_[i].here;
    if (offset <= pairs_[i].bytes && there - pairs_[i].there == offset) return true;
  }
  return false;
}

std::string AddressPairs::describe(std::uint64_t address, std::uint64_t AddressPair::*start) const {
  // Of several, the one that begins last: an .extern .shared array reaches to the end of its window.
  const AddressPair* best = nullptr;
  for (const AddressPair& pair : pairs_)
    if (address - pair.*start <= pair.bytes && (best == nullptr || pair.*start > best->*start)) best = &pair;
  if (best != nullptr && best->bytes == 0) return best->what;
  if (best != nullptr) return fmt::format("byte {} of {}", address - best->*start, best->what);
  if (is_local(address)) return "local memory";
  return address - isa::kSharedWindowBase < isa::kSharedWindowBytes ? "shared memory" : "";
}

}  // namespace heddle::cli
