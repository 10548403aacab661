#include "cli/rtl_twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/report.h"
#ifdef HEDDLE_RTL
#include "cosim/fst_socket_log.h"
#include "cosim/twins.h"
#endif

namespace heddle::cli {
namespace {

/// All instances of a block with the same implementation.
struct BlockUse {
  std::string block;
  sim::Implementation impl = sim::Implementation::kRtl;
  std::uint64_t instances = 0;
  std::uint64_t requests = 0;
  std::uint64_t clocks = 0;
  std::uint64_t most = 0;    ///< most clocks of one instance in one core cycle
  std::uint64_t beyond = 0;  ///< answers beyond the ports
  sim::Timing timing = sim::Timing::kIdeal;
  std::map<std::string, std::uint64_t, std::less<>> operations{};
  std::uint64_t busy = 0;
};

std::vector<BlockUse> add_up(const sim::Twins& twins) {
  std::vector<BlockUse> blocks;
  for (const sim::TwinUse& use : twins.uses()) {
    auto found = std::find_if(blocks.begin(), blocks.end(), [&](const BlockUse& each) {
      return each.block == use.block && each.impl == use.impl;
    });
    if (found == blocks.end()) {
      found = blocks.insert(blocks.end(), {use.block, use.impl});
      found->timing = use.timing;
    }
    found->beyond += use.beyond_ports;
    ++found->instances;
    for (const auto& [operation, times] : use.operations) found->operations[operation] += times;
    found->busy += use.busy_clocks;
    found->requests += use.requests;
    found->clocks += use.clocks;
    found->most = std::max(found->most, use.most_clocks_in_a_cycle);
  }
  return blocks;
}

const char* name(sim::Implementation impl) {
  return impl == sim::Implementation::kBoth ? "both, no difference" : "rtl";
}

}  // namespace

void provide_rtl([[maybe_unused]] sim::Twins& twins) {
#ifdef HEDDLE_RTL
  cosim::provide_twins(twins);
#endif
}

std::unique_ptr<sim::SocketLog> socket_log([[maybe_unused]] const sim::WaveWindow& window,
                                           [[maybe_unused]] const sim::ClockDomain& core_clock,
                                           [[maybe_unused]] const std::string& place) {
#ifdef HEDDLE_RTL
  return cosim::fst_socket_log(window, core_clock);
#else
  throw base::InputError(place, "this build writes no waveforms",
                         "use one with HEDDLE_RTL=ON, which is the default");
#endif
}

std::string rtl_text(const sim::Twins& twins) {
  std::string text;
  for (const BlockUse& use : add_up(twins))
    text += use.timing == sim::Timing::kContract
                ? fmt::format(
                      "  {:<16}{} ({}): {} answers in {} clocks, one per core cycle; beyond its ports {}; {} "
                      "instance{}\n",
                      text.empty() ? "rtl" : "", use.block, name(use.impl), grouped(use.requests),
                      grouped(use.clocks), grouped(use.beyond), use.instances, use.instances == 1 ? "" : "s")
                : fmt::format(
                      "  {:<16}{} ({}): {} requests in {} clocks of its RTL, at most {} in a core cycle; {} "
                      "instance{}\n",
                      text.empty() ? "rtl" : "", use.block, name(use.impl), grouped(use.requests),
                      grouped(use.clocks), use.most, use.instances, use.instances == 1 ? "" : "s");
  return text;
}

nlohmann::ordered_json rtl_json(const sim::Twins& twins) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BlockUse& use : add_up(twins))
    json.push_back({{"block", use.block},
                    {"impl", sim::implementation_name(use.impl)},
                    {"instances", use.instances},
                    {"requests", use.requests},
                    {"clocks", use.clocks},
                    {"most_clocks_in_a_core_cycle", use.most},
                    {"timing", use.timing == sim::Timing::kContract ? "contract" : "ideal"},
                    {"answers_beyond_ports", use.beyond},
                    {"busy_clocks", use.busy},
                    {"operations", use.operations}});
  return json;
}

}  // namespace heddle::cli
