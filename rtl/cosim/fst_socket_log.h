// Transactions of sockets as a waveform (FST), which gtkwave shows beside those of twins.
#pragma once

#include <memory>

#include "sim/clock.h"
#include "sim/socket_log.h"

namespace heddle::cosim {

/// A scope for each module and socket; in a socket's the number of its transactions so far (`calls`) and the fields of the last one.
/// Times: sim::WaveTime. Throws base::InputError if the file cannot be made. The destructor completes it.
[[nodiscard]] std::unique_ptr<sim::SocketLog> fst_socket_log(const sim::WaveWindow& window,
                                                             const sim::ClockDomain& core_clock);

}  // namespace heddle::cosim
