// The program's end of its connection to the process that simulates (protocol.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/protocol.h"

namespace heddle::runtime {

class Connection {
 public:
  struct Answer {
    Reply reply;
    std::vector<std::byte> data;
  };

  /// Of a session of its own: `heddle cuda` gives one to each process that asks, and is started if the program was not
  /// started by it. False: there is none; `error` says why.
  bool open(Machine& machine, std::string& error);
  [[nodiscard]] bool is_open() const { return socket_ >= 0; }
  void close();
  /// Of a session that this program has started itself: until it has reported, so that a shell's next line comes behind.
  void finish();

  /// A request, whose answer is waited for later. Answers come in the order of their requests.
  void post(const Request& request, std::string_view payload);
  /// The next answer. Prints what kernels have printed, and what the session says, which `message` receives as well. kDeviceLost:
  /// the session has ended.
  Answer wait(std::string* message = nullptr);
  /// Bytes that travel with read and write requests.
  [[nodiscard]] std::byte* window() const { return window_; }

 private:
  bool connect(std::string& error);
  bool start_command(std::string& error);
  bool make_window(std::string& error);
  bool send(const Request& request, std::string_view payload, int file = -1);
  bool receive(void* to, std::size_t bytes);

  int socket_ = -1;
  bool own_ = false;  ///< started by start_command()
  int window_file_ = -1;
  std::byte* window_ = nullptr;
};

}  // namespace heddle::runtime
