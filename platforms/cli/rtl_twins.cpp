#include "cli/rtl_twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/report.h"
#include "spin/sib_table.h"
#ifdef HEDDLE_RTL
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
  std::uint64_t most = 0;  ///< most clocks of one instance in one core cycle
};

std::vector<BlockUse> add_up(const sim::Twins& twins) {
  std::vector<BlockUse> blocks;
  for (const sim::TwinUse& use : twins.uses()) {
    auto found = std::find_if(blocks.begin(), blocks.end(), [&](const BlockUse& each) {
      return each.block == use.block && each.impl == use.impl;
    });
    if (found == blocks.end()) found = blocks.insert(blocks.end(), {use.block, use.impl});
    ++found->instances;
    found->requests += use.requests;
    found->clocks += use.clocks;
    found->most = std::max(found->most, use.most_clocks_in_a_cycle);
  }
  return blocks;
}

struct Absent {
  std::string block, why;
};
/// Blocks whose `impl` selects RTL although the configured machine does not have them.
std::vector<Absent> not_in_the_machine(const sim::Twins& twins, const core::CoreConfig& config) {
  std::vector<Absent> blocks;
  const auto expect = [&](const std::string& block, sim::Implementation impl, const char* why) {
    if (impl != sim::Implementation::kModel &&
        std::none_of(twins.uses().begin(), twins.uses().end(),
                     [&](const sim::TwinUse& use) { return use.block == block; }))
      blocks.push_back({block, why});
  };
  for (const base::ConfigOption& block : config.control_flow.blocks.all())
    expect(block.key(), block.get<sim::TwinConfig>()->impl, "core.control_flow.mechanism has no such block");
  expect(spin::SibTableBlock::kName, config.units.get<spin::SpinConfig>("spin").sib_table.impl,
         "core.spin.source has no such block");
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

std::string rtl_text(const sim::Twins& twins, const gpu::GpuConfig& config) {
  std::string text;
  for (const BlockUse& use : add_up(twins))
    text += fmt::format(
        "  {:<16}{} ({}): {} requests in {} clocks of its RTL, at most {} in a core cycle; {} instance{}\n",
        text.empty() ? "rtl" : "", use.block, name(use.impl), grouped(use.requests), grouped(use.clocks),
        use.most, use.instances, use.instances == 1 ? "" : "s");
  for (const Absent& absent : not_in_the_machine(twins, config.core))
    text +=
        fmt::format("  {:<16}{}: asked for, but {}\n", text.empty() ? "rtl" : "", absent.block, absent.why);
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
                    {"most_clocks_in_a_core_cycle", use.most}});
  return json;
}

}  // namespace heddle::cli
