// The session's end of a program's connection (runtime/protocol.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/protocol.h"

namespace heddle::runtime {

class Channel {
 public:
  /// Takes over the connected socket.
  explicit Channel(int socket) : socket_(socket) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// False: the program has ended. `payload` has what follows the request.
  bool receive(Request& request, std::vector<std::byte>& payload);
  void reply(Reply& reply, const std::string& printed, const std::string& message,
             std::span<const std::byte> data);
  /// Shared memory of the client; comes with Operation::kHello.
  [[nodiscard]] std::span<std::byte> window() const { return window_; }

 private:
  bool read_all(void* to, std::size_t bytes);
  void map_window(int file);

  int socket_;
  std::span<std::byte> window_;
};

}  // namespace heddle::runtime
