// Hands PTX to a device as machine code that ptxas has made of it: the oracle's own PTX is then compared with machine code on the
// oracle or on the model, form by form. A kernel that the device refuses, refuses its module.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "base/error.h"
#include "findings.h"
#include "retargeted_device.h"

namespace heddle::card {

struct Assembler {
  std::string program;       ///< ptxas
  std::string architecture;  ///< sm_75, sm_90
  std::string options;       ///< "-O3"
};

class AssembledDevice : public RetargetedDevice {
 public:
  AssembledDevice(host::Device& device, Assembler assembler, std::string folder)
      : RetargetedDevice(device, std::move(folder)),
        assembler_(std::move(assembler)),
        file_(std::filesystem::temp_directory_path() / fmt::format("heddle_card.{}", ::getpid())) {}
  ~AssembledDevice() override {
    for (const char* const end : {".ptx", ".cubin", ".log"}) std::filesystem::remove(file_ + end);
  }
  AssembledDevice(const AssembledDevice&) = delete;
  AssembledDevice& operator=(const AssembledDevice&) = delete;

 protected:
  host::ModuleHandle hand_on(const std::string& text, const std::string& name) override {
    std::string target = text;
    constexpr std::string_view kTarget = ".target sm_90";
    if (const std::size_t at = target.find(kTarget); at != std::string::npos)
      target.replace(at, kTarget.size(), ".target " + assembler_.architecture);
    std::ofstream(file_ + ".ptx") << target;
    const std::string command =
        fmt::format("'{}' -w -arch={} {} -o '{}.cubin' '{}.ptx' 2> '{}.log'", assembler_.program,
                    assembler_.architecture, assembler_.options, file_, file_, file_);
    if (std::system(command.c_str()) != 0)
      throw NotAssembled(name, "ptxas refuses it: " + contents(".log"), "It is not compared.");
    const std::string cubin = contents(".cubin");
    const host::ModuleHandle module = device().load_module(std::as_bytes(std::span(cubin)), name);
    static const std::regex kEntry(R"(\.entry\s+([\w$]+))");
    try {
      for (std::sregex_iterator each(text.begin(), text.end(), kEntry), end; each != end; ++each)
        static_cast<void>(device().kernel(module, (*each)[1]));
    } catch (const base::InputError& error) {
      device().unload(module);
      // ptxas' fence.acquire for sm_75.
      if (std::string_view(error.what()).find("word 0000000000000000 0000000000000000") !=
          std::string_view::npos)
        throw NotAssembled(name, "ptxas makes a word of zeros", "It is not compared.");
      throw;
    }
    return module;
  }

 private:
  [[nodiscard]] std::string contents(const char* end) const {
    std::ifstream file(file_ + end, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Assembler assembler_;
  std::string file_;  ///< without its end
};

}  // namespace heddle::card
