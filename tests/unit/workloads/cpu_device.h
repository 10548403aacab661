// A host::Device that runs the workloads' own .cu sources, compiled as C++, on the CPU: one fiber per thread
// of a CTA, CTAs one after the other. It checks the host sides and the kernels' logic against the references
// without any model. A thread gives way to the next one at every barrier, fence and compare-and-swap, so lock
// kernels meet contention.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/device.h"

namespace heddle::workloads::testing {

class CpuDevice : public host::Device {
 public:
  struct Launched {
    std::string ptx_path;
    std::string kernel;
    std::vector<std::size_t> argument_bytes;
    bool operator<(const Launched& o) const {
      return std::tie(ptx_path, kernel) < std::tie(o.ptx_path, o.kernel);
    }
  };

  /// Kernels do nothing: no verdict may pass.
  bool dead = false;
  /// Flips a bit in the first (or last) byte of what this read of a buffer returns, counted from 0.
  std::optional<unsigned> corrupt_read;
  bool corrupt_last_byte = false;

  [[nodiscard]] unsigned reads() const { return reads_; }
  [[nodiscard]] const std::set<Launched>& launched() const { return launched_; }
  /// Everything written to buffers, in order.
  [[nodiscard]] const std::vector<std::byte>& inputs() const { return inputs_; }

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  void unload(host::ModuleHandle) override {}
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override;
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override;
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;
  [[nodiscard]] host::DeviceProperties properties() const override { return {}; }

 private:
  [[nodiscard]] bool in_buffer(std::uint64_t address, std::uint64_t bytes) const;
  void check_access(std::uint64_t address, std::uint64_t bytes) const;

  std::map<std::uint64_t, std::vector<std::uint64_t>> buffers_;  // by address; words, for alignment
  std::map<std::uint64_t, std::uint64_t> buffer_bytes_;
  std::vector<std::string> modules_;
  std::set<Launched> launched_;
  std::vector<std::byte> inputs_;
  unsigned reads_ = 0;
};

}  // namespace heddle::workloads::testing
