// The oracle, watched: what the host side of a workload writes, reads and launches; with kernels that do nothing, or a
// bit wrong in a result, for tests of the verdicts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "oracle/oracle.h"
#include "workloads/workload.h"

namespace heddle::workloads::testing {

class WatchedDevice : public oracle::OracleDevice {
 public:
  struct Launched {
    std::string ptx_path;
    std::string kernel;
    std::vector<std::size_t> argument_bytes;
    bool operator<(const Launched& o) const {
      return std::tie(ptx_path, kernel) < std::tie(o.ptx_path, o.kernel);
    }
  };

  WatchedDevice() = default;
  /// Interleaves the threads so that the workload gives the right result.
  explicit WatchedDevice(const Workload& workload);

  /// Kernels do nothing: no verdict may pass.
  bool dead = false;
  /// Flips a bit in the first (or last) byte of what this read of a buffer returns, counted from 0.
  std::optional<unsigned> corrupt_read;
  bool corrupt_last_byte = false;
  unsigned first_byte = 0;  ///< the one that is corrupted otherwise

  /// Of buffers; not of variables.
  [[nodiscard]] unsigned reads() const { return reads_; }
  [[nodiscard]] const std::set<Launched>& launched() const { return launched_; }
  /// Everything written to buffers, in order.
  [[nodiscard]] const std::vector<std::byte>& inputs() const { return inputs_; }

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;

 private:
  std::map<std::uint64_t, std::uint64_t> buffers_;  ///< bytes, by address
  std::map<host::ModuleHandle, std::string> modules_;
  std::set<Launched> launched_;
  std::vector<std::byte> inputs_;
  unsigned reads_ = 0;
};

}  // namespace heddle::workloads::testing
