// A device that simulates some launches, or some CTAs of each, and leaves the others to the oracle, which is faster. Memory is
// carried between the two, so every launch finds what all earlier ones have left.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/tracked_device.h"
#include "gpu/estimated_launch.h"
#include "isa/matrix.h"
#include "oracle/oracle.h"

namespace heddle::cli {

/// Launches FROM to TO, counted from 1, of a kernel: by its name in the module, its name in the source, or * for each kernel.
struct DetailRange {
  std::string kernel;
  std::uint64_t from = 1, to = 1;
};

/// "KERNEL:FROM-TO" or "KERNEL:NUMBER". Throws base::InputError.
[[nodiscard]] DetailRange detail_range(const std::string& text);

/// Of the oracle that runs what the model does not.
[[nodiscard]] oracle::Options oracle_of(isa::TensorNumerics tensor,
                                        const std::function<void(const std::string&)>& print);

/// Both devices give the same addresses; a program for which they do not is refused where that is found (base::InputError), and so
/// are pointers to functions and kernels with malloc, whose memory is not carried.
class SampledDevice : public host::Device, public host::MemoryMap, public host::Limited {
 public:
  /// `ranges`: none are all launches. `launched` hears what a launch on the oracle takes: the mean of those of its kernel that were
  /// simulated, in ns.
  SampledDevice(TrackedDevice& model, std::vector<DetailRange> ranges, oracle::Options options,
                std::function<void(double)> launched);

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  host::ModuleHandle load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                  host::ModuleHandle variables_of) override;
  void set_limits(const host::Limits& limits) override {
    model_.set_limits(limits);
    oracle_.set_limits(limits);
  }
  void set_tolerance(std::uint64_t bytes) override {
    model_.set_tolerance(bytes);
    oracle_.set_tolerance(bytes);
  }
  std::optional<std::vector<std::uint64_t>> take_written_pages() override;
  void unload(host::ModuleHandle module) override;
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override {
    return model_.kernel(module, name);
  }
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle module) const override {
    return model_.symbols(module);
  }
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;
  void synchronize() override { model_.synchronize(); }
  [[nodiscard]] host::DeviceProperties properties() const override { return model_.properties(); }

  /// The model has in its memory what launches have left, whoever ran the last one.
  void settle();
  /// For gpu::Estimation.
  void skip(const gpu::SkippedCtas& ctas);
  /// What the model's last launch took: for those that the oracle runs.
  void simulated(double ns) { last_ns_ = ns; }
  [[nodiscard]] std::uint64_t detailed() const { return detailed_; }
  [[nodiscard]] std::uint64_t quick() const { return quick_; }
  [[nodiscard]] bool simulates_all_launches() const { return ranges_.empty(); }

 private:
  struct Seen {
    std::uint64_t launches = 0, simulated = 0;
    double ns = 0;  ///< of the simulated ones
  };
  [[nodiscard]] bool in_detail(const std::string& kernel, std::uint64_t number) const;
  host::ModuleHandle keep(host::ModuleHandle module, host::ModuleHandle of_oracle, const std::string& name);
  using Read = std::function<void(std::uint64_t address, std::span<std::byte> bytes)>;
  using Write = std::function<void(std::uint64_t address, std::span<const std::byte> bytes)>;
  void carry(const Read& from, const Read& to, const Write& write) const;
  void carry(host::Device& from, host::Device& to) const;

  TrackedDevice& model_;
  oracle::OracleDevice oracle_;
  std::vector<DetailRange> ranges_;
  std::function<void(double)> launched_;
  struct Module {
    host::ModuleHandle of_oracle{};
    std::vector<host::ModuleSymbol> variables;
  };
  std::map<host::ModuleHandle, Module> modules_;    ///< by the model's handle
  std::map<std::uint64_t, std::uint64_t> buffers_;  ///< address, bytes
  std::map<std::string, Seen> kernels_;
  bool oracle_is_newest_ = false;
  double last_ns_ = 0;
  std::uint64_t detailed_ = 0, quick_ = 0;
};

}  // namespace heddle::cli
