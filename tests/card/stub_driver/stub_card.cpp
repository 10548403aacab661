// The card of the stub driver: the scalar oracle, in a process of its own. Started by the driver with a socket as its input.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cuda/driver.h"
#include "oracle/oracle.h"
#include "protocol.h"

namespace {

using namespace heddle;
using cuda::Result;
using stub::Call;
using stub::Message;

using Bytes = std::vector<std::byte>;

std::string trouble() {
  const char* const text = std::getenv("HEDDLE_STUB_DRIVER");
  return text == nullptr ? "" : text;
}

class Card {
 public:
  Message answer(const Message& request) {
    Message reply;
    if (dead_ != Result::kSuccess) {
      reply.code = static_cast<std::uint32_t>(dead_);
      return reply;
    }
    try {
      reply.code = static_cast<std::uint32_t>(execute(request, reply));
    } catch (const std::exception&) {  // what the oracle refuses
      reply.code = static_cast<std::uint32_t>(
          static_cast<Call>(request.code) == Call::kLoad       ? Result::kInvalidPtx
          : static_cast<Call>(request.code) == Call::kFunction ? Result::kNotFound
                                                               : Result::kInvalidValue);
    }
    return reply;
  }

 private:
  oracle::OracleDevice& oracle() {
    if (!device_) device_ = std::make_unique<oracle::OracleDevice>(options_);
    return *device_;
  }

  Result execute(const Message& request, Message& reply) {
    const auto& words = request.words;
    const std::string text(reinterpret_cast<const char*>(request.bytes.data()), request.bytes.size());
    switch (static_cast<Call>(request.code)) {
      case Call::kHeapBytes:
        options_.heap_bytes = words[0];
        break;
      case Call::kAllocate:
        return allocate(words[0], reply);
      case Call::kFree:
        oracle().free(words[0]);
        used_ -= buffers_[words[0]];
        buffers_.erase(words[0]);
        break;
      case Call::kWrite:
        oracle().write(words[0], request.bytes);
        break;
      case Call::kRead:
        reply.bytes.resize(words[1]);
        oracle().read(words[0], reply.bytes);
        break;
      case Call::kMemory:
        reply.words = {all_memory() - used_, all_memory()};
        break;
      case Call::kLoad:
        reply.words = {oracle().load_ptx_text(text, "module")};
        break;
      case Call::kUnload:
        oracle().unload(module(words));
        break;
      case Call::kFunction: {
        const auto kernel = oracle().kernel(module(words), text);
        reply.words = {kernel->static_shared_bytes};
        for (const isa::Param& param : kernel->params) reply.words.push_back(param.bytes);
        break;
      }
      case Call::kGlobal:
        return find_variable(module(words), text, reply);
      case Call::kLaunch:
        return launch(words, request.bytes);
      case Call::kResult:
        break;
    }
    return Result::kSuccess;
  }

  static host::ModuleHandle module(const std::vector<std::uint64_t>& words) {
    return static_cast<host::ModuleHandle>(words[0]);
  }
  static std::uint64_t all_memory() {
    return trouble() == "small" ? std::uint64_t{1} << 20 : std::uint64_t{1} << 36;
  }

  Result allocate(std::uint64_t bytes, Message& reply) {
    if (bytes > all_memory() - used_) return Result::kOutOfMemory;
    const std::uint64_t address = oracle().allocate(bytes, "buffer");
    buffers_[address] = bytes;
    used_ += bytes;
    reply.words = {address};
    return Result::kSuccess;
  }

  Result find_variable(host::ModuleHandle handle, const std::string& name, Message& reply) {
    for (const host::ModuleSymbol& symbol : oracle().symbols(handle))
      if (symbol.name == name && symbol.kind == host::ModuleSymbol::Kind::kVariable) {
        reply.words = {symbol.address, symbol.bytes};
        return Result::kSuccess;
      }
    return Result::kNotFound;
  }

  Result launch(const std::vector<std::uint64_t>& words, const Bytes& bytes) {
    constexpr std::string_view kFails = "fails=";
    if (const std::string wrong = trouble(); wrong.starts_with(kFails)) {
      dead_ = static_cast<Result>(std::atoi(wrong.c_str() + kFails.size()));
      return Result::kSuccess;
    }
    const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(words[i]); };
    const std::string name(reinterpret_cast<const char*>(bytes.data()), words[9]);
    const host::Launch shape{
        {number(1), number(2), number(3)}, {number(4), number(5), number(6)}, number(7), words[8] != 0};
    try {
      host::Args args;
      const std::byte* at = bytes.data() + words[9];
      for (const isa::Param& param : oracle().kernel(module(words), name)->params) {
        args.add_bytes({at, at + param.bytes});
        at += param.bytes;
      }
      const auto before = trouble() == "flips" ? contents() : std::map<std::uint64_t, Bytes>{};
      oracle().launch(module(words), name, shape, args);
      flip(before);
    } catch (const base::Error& error) {
      if (error.code() == base::ExitCode::kBadInput) return Result::kInvalidValue;
      dead_ = result_of(error);  // shows when the launch is waited for
    }
    return Result::kSuccess;
  }

  static Result result_of(const base::Error& error) {
    const std::string_view text = error.what();
    if (error.code() == base::ExitCode::kAssertion) return Result::kAssert;
    if (error.code() == base::ExitCode::kHang) return Result::kLaunchTimeout;
    if (text.find("aligned") != text.npos) return Result::kMisalignedAddress;
    if (text.find("trap") != text.npos) return Result::kLaunchFailed;
    return Result::kIllegalAddress;
  }

  std::map<std::uint64_t, Bytes> contents() {
    std::map<std::uint64_t, Bytes> all;
    for (const auto& [address, bytes] : buffers_) all[address] = oracle().download<std::byte>(address, bytes);
    return all;
  }
  /// The first byte that has changed in each buffer gets another bit.
  void flip(const std::map<std::uint64_t, Bytes>& before) {
    for (const auto& [address, old] : before) {
      Bytes now = oracle().download<std::byte>(address, old.size());
      const auto changed = std::mismatch(now.begin(), now.end(), old.begin()).first;
      if (changed == now.end()) continue;
      *changed ^= std::byte{1};
      oracle().write(address, now);
    }
  }

  std::unique_ptr<oracle::OracleDevice> device_;
  oracle::Options options_;
  std::map<std::uint64_t, std::uint64_t> buffers_;
  Result dead_ = Result::kSuccess;  ///< what a launch has ended with
  std::uint64_t used_ = 0;
};

}  // namespace

int main() {
  Card card;
  Message request;
  while (stub::receive(STDIN_FILENO, request))
    if (!stub::send(STDIN_FILENO, card.answer(request))) break;
}
