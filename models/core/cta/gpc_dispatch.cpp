#include "core/cta/gpc_dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <sstream>

#include "base/error.h"

namespace heddle::core {
namespace {

constexpr const char* kTpcs = "dispatch.gpc.tpcs";
constexpr const char* kOrder = "dispatch.gpc.order";

/// Numbers between blanks.
std::vector<std::uint32_t> numbers(const std::string& text, const char* key) {
  std::vector<std::uint32_t> found;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      throw base::InputError(key, "'" + word + "' is not a number", "write numbers and blanks, as 8 8 9");
    found.push_back(value);
  }
  return found;
}

/// TPCs by GPC; a bar begins GPCs that are numbered behind those before it.
std::vector<std::vector<std::uint32_t>> shape_of(const std::string& text) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '|');) groups.push_back(numbers(part, kTpcs));
  return groups;
}

/// First cores of the TPCs, by GPC.
std::vector<std::vector<std::uint32_t>> number_tpcs(const std::vector<std::vector<std::uint32_t>>& groups,
                                                    std::uint32_t cores_per_tpc) {
  std::vector<std::vector<std::uint32_t>> first_cores;
  std::uint32_t next = 0;
  for (const std::vector<std::uint32_t>& group : groups) {
    const std::size_t first_gpc = first_cores.size();
    first_cores.resize(first_gpc + group.size());
    const std::uint32_t most = group.empty() ? 0 : *std::ranges::max_element(group);
    for (std::uint32_t tpc = 0; tpc < most; ++tpc)
      for (std::size_t g = 0; g < group.size(); ++g) {
        if (tpc >= group[g]) continue;
        first_cores[first_gpc + g].push_back(next);
        next += cores_per_tpc;
      }
  }
  return first_cores;
}

std::vector<std::uint32_t> order_of(const std::string& text, std::size_t gpcs) {
  std::vector<std::uint32_t> order = numbers(text, kOrder);
  if (order.empty()) {
    order.resize(gpcs);
    std::iota(order.begin(), order.end(), 0u);
  }
  const std::set<std::uint32_t> each(order.begin(), order.end());
  if (order.size() != gpcs || each.size() != gpcs || *each.rbegin() >= gpcs)
    throw base::InputError(
        kOrder, fmt::format("'{}' does not name each of the {} GPCs of {} once", text, gpcs, kTpcs),
        fmt::format("name the GPCs 0 to {}, or leave it empty", gpcs - 1));
  return order;
}

class GpcDispatch final : public CtaDispatchPolicy {
 public:
  explicit GpcDispatch(GpcDispatchConfig config) : config_(std::move(config)) {}
  void begin(std::uint64_t /*ctas*/, std::uint32_t cores) override {
    sweep_ = gpc_sweep(config_, cores);
    next_cta_ = 0;
    position_ = 0;
  }
  [[nodiscard]] bool fills_freed_room_only() const override { return true; }
  std::optional<CtaChoice> next(std::span<const std::uint32_t> room) override {
    for (std::size_t asked = 0; asked < sweep_.size(); ++asked) {
      const std::uint32_t core = sweep_[position_];
      position_ = (position_ + 1) % sweep_.size();
      if (room[core] != 0) return CtaChoice{core, next_cta_++};
    }
    return std::nullopt;
  }

 private:
  GpcDispatchConfig config_;
  std::vector<std::uint32_t> sweep_;
  std::uint64_t next_cta_ = 0;
  std::size_t position_ = 0;  ///< in the sweep
};

}  // namespace

std::vector<std::uint32_t> gpc_sweep(const GpcDispatchConfig& config, std::uint32_t cores) {
  std::vector<std::uint32_t> sweep;
  if (config.tpcs.empty()) {
    sweep.resize(cores);
    std::iota(sweep.begin(), sweep.end(), 0u);
    return sweep;
  }
  const std::vector<std::vector<std::uint32_t>> first_cores =
      number_tpcs(shape_of(config.tpcs), config.cores_per_tpc);
  for (const std::uint32_t gpc : order_of(config.order, first_cores.size()))
    for (const std::uint32_t first : first_cores[gpc])
      for (std::uint32_t core = 0; core < config.cores_per_tpc; ++core) sweep.push_back(first + core);
  if (sweep.size() < cores)
    throw base::InputError(kTpcs,
                           fmt::format("TPCs of {} cores make {} cores, the GPU has {}", config.cores_per_tpc,
                                       sweep.size(), cores),
                           "change it or dispatch.gpc.cores_per_tpc, or cores; leave it empty for one GPC");
  std::erase_if(sweep, [cores](std::uint32_t core) { return core >= cores; });
  return sweep;
}

std::vector<std::uint32_t> gpc_of_cores(const GpcDispatchConfig& config, std::uint32_t cores) {
  std::vector<std::uint32_t> gpcs(cores);
  if (config.tpcs.empty()) return gpcs;
  (void)gpc_sweep(config, cores);  // the shape has at least as many
  const auto first_cores = number_tpcs(shape_of(config.tpcs), config.cores_per_tpc);
  for (std::uint32_t gpc = 0; gpc < first_cores.size(); ++gpc)
    for (const std::uint32_t first : first_cores[gpc])
      for (std::uint32_t core = first; core < std::min(first + config.cores_per_tpc, cores); ++core)
        gpcs[core] = gpc;
  return gpcs;
}

void GpcDispatchConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "tpcs", tpcs,
      {.doc = "TPCs of each GPC, between blanks, as 8 8 9. Cores are numbered TPC by TPC, the GPCs in "
              "turns; behind a bar follow GPCs that are numbered after those before it. Cores that the GPU "
              "has not are left out. Empty: one GPC of all cores"});
  v.field("order", order,
          {.doc = "the GPCs in the order in which they get CTAs, by their number in tpcs; empty: as there"});
  v.field("cores_per_tpc", cores_per_tpc, {.unit = "cores", .doc = "of a TPC", .min = 1, .max = 1024});
}

DispatchPolicy gpc_dispatch() {
  return {"gpc",
          "CTAs in order; each sweep over the GPCs gives every core with room one, TPC by TPC",
          {base::ConfigOption::section<GpcDispatchConfig>("gpc", "policy gpc")},
          [](const DispatchConfig& config) {
            return std::make_unique<GpcDispatch>(config.get<GpcDispatchConfig>());
          }};
}

}  // namespace heddle::core
