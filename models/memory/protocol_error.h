// A neighbour breaks the protocol of the memory sockets (sim/memory_socket.h): a defect of a model, not of a user's input.
#pragma once

#include <string>
#include <systemc>

namespace heddle::memory {

/// SC_REPORT_ERROR "/heddle/memory/<block>", which throws by default. `module`: the name of the one that noticed.
[[gnu::cold]] inline void protocol_error(const std::string& block, const std::string& what,
                                         const char* module) {
  SC_REPORT_ERROR(("/heddle/memory/" + block).c_str(), (std::string(module) + ": " + what).c_str());
}

}  // namespace heddle::memory
