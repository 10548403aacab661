// One program's use of a device: its requests (runtime/protocol.h), served until it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/concurrent.h"
#include "host/device.h"
#include "runtime/session/address_names.h"
#include "runtime/session/channel.h"
#include "runtime/session/device_launches.h"
#include "runtime/session/images.h"

namespace heddle::runtime {

struct SessionSettings {
  std::string program;         ///< for messages
  bool machine_code = false;   ///< runtime.code
  bool ptx_fallback = true;    ///< runtime.ptx_fallback
  bool control_codes = false;  ///< the machine issues by them (core.scoreboard.kind), and PTX has none
  bool array_blocks = true;    ///< runtime.array_layout
  bool concurrent_streams = false;
  double launch_ns = 0, copy_ns = 0, copy_gbytes_per_s = 1;
  std::uint64_t heap_bytes = 0, stack_bytes = 0;
  std::uint64_t tolerated_bytes = 0;  ///< beyond each buffer that kernels may reach: runtime.tolerant_memory
  std::optional<host::DeviceProperties> properties;  ///< what the program is told, unless the device knows
  std::uint32_t compute_capability = 75;             ///< ten times the major number plus the minor one
  std::uint64_t memory_bytes = 0;
  double memory_clock_mhz = 0;  ///< so that bytes per second are 2 * clock * bus width
  std::uint32_t memory_bus_bits = 0;
  /// Hears of each copy from device to host, as it is and with the names of addresses (AddressNames): what two runs of a program are
  /// compared by. May be empty.
  std::function<void(std::span<const std::byte>, std::span<const std::byte>)> on_read = nullptr;
  /// Hears of each launch. May be empty.
  std::function<void(const isa::Kernel&)> on_launch = nullptr;
};

/// Blocks of a shape that a multiprocessor holds at once.
using Occupancy = std::function<std::uint32_t(host::ModuleHandle, const std::string&, const host::Launch&)>;

class Session {
 public:
  /// Of a connection on which the program has just been accepted.
  Session(int socket, SessionSettings settings) : channel_(socket), settings_(std::move(settings)) {}

  /// Until the program ends. What a kernel did wrong is told to the program, which decides what it does about it, and thrown
  /// afterwards; so is what ends the command (a signal).
  void serve(host::Device& device);

  /// Of a device that knows better than its properties say.
  void set_occupancy(Occupancy occupancy) { occupancy_ = std::move(occupancy); }
  // What the device tells during a launch.
  void print(const std::string& text) { printed_ += text; }
  void launched(double ns) { last_ns_ = ns; }

  [[nodiscard]] std::uint64_t launches() const { return launches_; }
  /// Launches that were refused before they began, each with its reason's first line; the first ones.
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }

 private:
  struct Kernel {
    host::ModuleHandle module = 0;
    std::string name;
    std::shared_ptr<const isa::Kernel> code;
  };
  void handle(const Request& request, std::span<const std::byte> payload, Reply& reply);
  [[nodiscard]] host::DeviceProperties properties() const {
    return settings_.properties ? *settings_.properties : device_->properties();
  }
  void hello(const Request& request);
  void allocate(const Request& request, std::span<const std::byte> payload, Reply& reply);
  void load(std::span<const std::byte> payload, Reply& reply);
  host::ModuleHandle load_ptx(const Bytes& module, const std::string& name,
                              std::optional<host::ModuleHandle> variables_of = std::nullopt);
  /// The kernel from the PTX that came with the machine code of its module, where that cannot be executed.
  bool find_in_ptx(Kernel& kernel, const base::InputError& why);
  void find_kernel(const Request& request, std::span<const std::byte> payload, Reply& reply);
  void list_names(const Request& request);
  void find_symbol(const Request& request, std::span<const std::byte> payload, Reply& reply);
  void launch(const Request& request, std::span<const std::byte> payload, Reply& reply);
  [[nodiscard]] host::QueuedLaunch launch_of(const Request& request,
                                             std::span<const std::byte> arguments) const;
  // queue.cpp
  void queue(const Request& request, std::span<const std::byte> payload, Reply& reply);
  void finish(const Request& request);
  /// No launch begins before. What is queued is gone then, whatever happens.
  std::vector<FinishedLaunch> run_queue(double free_from);
  std::vector<FinishedLaunch> run_in_order(double origin);
  /// What a kernel of the module has launched, with what that launches. Of depth 0: the host's.
  void launch_nested(host::ModuleHandle module, unsigned depth);
  /// Whether the shape can be launched at all; otherwise the reply has CUDA's code for why.
  bool fits(const Kernel& kernel, const host::Launch& shape, Reply& reply);
  [[noreturn]] static void refuse_shape(const Kernel& kernel, const host::Launch& shape, Code why);
  void occupancy(const Request& request, Reply& reply);
  [[nodiscard]] std::uint32_t resident_blocks(const Kernel& kernel, const host::Launch& shape);
  void write_box(const Request& request);
  void read_box(const Request& request);
  void fill_box(const Request& request);
  void copy_box(const Request& request);

  Channel channel_;
  SessionSettings settings_;
  host::Device* device_ = nullptr;
  Occupancy occupancy_;
  struct Ptx {
    Registered registered;
    std::string name;
    std::optional<host::ModuleHandle> module;  ///< once it is loaded
  };
  struct Queued {
    host::QueuedLaunch launch;  ///< ready_ns: since the program's first call
    std::uint64_t number = 0;
  };
  static constexpr std::size_t kRefusedKept = 16;
  std::vector<Queued> queue_;
  std::uint64_t next_queued_ = 0;
  std::vector<Kernel> kernels_;
  std::map<host::ModuleHandle, unsigned> architectures_;  ///< of PTX
  std::map<host::ModuleHandle, Ptx> ptx_;                 ///< of modules that are machine code
  std::vector<std::byte> data_;                           ///< of the reply in the making
  std::string printed_, message_;
  double last_ns_ = 0, nested_ns_ = 0;
  DeviceLaunches nested_;
  AddressNames names_;
  std::uint64_t launches_ = 0;
  std::vector<std::string> refused_;
  std::optional<base::Error> failed_;  ///< the launch that has failed
};

}  // namespace heddle::runtime
