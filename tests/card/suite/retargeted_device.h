// Hands modules for sm_75 to a device as modules for sm_90. ptxas refuses instructions of later architectures in older
// targets (redux, fence.acquire ...), Heddle does not ask. Keeps what it hands on in a folder, if one is named.
#pragma once

#include <fstream>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <utility>

#include "host/device.h"

namespace heddle::card {

class RetargetedDevice : public host::Device {
 public:
  explicit RetargetedDevice(host::Device& device, std::string folder = {})
      : device_(device), folder_(std::move(folder)) {}

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override {
    return device_.allocate(bytes, name);
  }
  void free(std::uint64_t address) override { device_.free(address); }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    device_.write(address, bytes);
  }
  void read(std::uint64_t address, std::span<std::byte> bytes) override { device_.read(address, bytes); }
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override {
    std::string text = host::ptx_text_of(bytes, name);
    constexpr std::string_view kOlder = ".target sm_75";
    if (const std::size_t at = text.find(kOlder); at != std::string::npos)
      text.replace(at, kOlder.size(), ".target sm_90");
    static const std::regex kOlderVersion(
        R"(\.version ([67]\.\d|8\.[0-5]))");  // of PTX that has all that is asked for
    text = std::regex_replace(text, kOlderVersion, ".version 8.6");
    if (!folder_.empty()) std::ofstream(folder_ + "/module" + std::to_string(modules_++) + ".ptx") << text;
    return hand_on(text, name);
  }
  void unload(host::ModuleHandle module) override { device_.unload(module); }
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override {
    return device_.kernel(module, name);
  }
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override {
    return device_.symbol(module, name);
  }
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    device_.launch(module, kernel, shape, args);
  }
  void synchronize() override { device_.synchronize(); }
  [[nodiscard]] host::DeviceProperties properties() const override { return device_.properties(); }

 protected:
  [[nodiscard]] host::Device& device() { return device_; }
  virtual host::ModuleHandle hand_on(const std::string& text, const std::string& name) {
    return device_.load_ptx_text(text, name);
  }

 private:
  host::Device& device_;
  std::string folder_;
  unsigned modules_ = 0;
};

}  // namespace heddle::card
