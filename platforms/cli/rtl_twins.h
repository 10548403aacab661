// Blocks that run as RTL (key `impl`): their registration and their lines in the report.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/twins.h"

namespace heddle::cli {

/// The RTL of this build; none with HEDDLE_RTL=OFF.
void provide_rtl(sim::Twins& twins);

/// Transactions of sockets into an FST file. Throws base::InputError at `place` in a build without RTL, whose waveforms are Verilator's.
[[nodiscard]] std::unique_ptr<sim::SocketLog> socket_log(const sim::WaveWindow& window,
                                                         const sim::ClockDomain& core_clock,
                                                         const std::string& place);

/// A line for each block that ran as RTL, with its number of requests and clocks. Empty: none.
[[nodiscard]] std::string rtl_text(const sim::Twins& twins);
/// The same for host.json.
[[nodiscard]] nlohmann::ordered_json rtl_json(const sim::Twins& twins);

}  // namespace heddle::cli
