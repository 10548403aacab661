#include "cli/sampled_device.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "cli/interrupt.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

std::uint64_t number_in(const std::string& text, const std::string& whole) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    throw base::InputError("--detail " + whole, fmt::format("'{}' is no number of a launch", text),
                           "Write KERNEL:FROM-TO, counted from 1: --detail saxpy:1-10");
  return value;
}

/// "saxpy" of _Z5saxpyifPKfPf, and of void saxpy<int>(...).
std::string source_name(const std::string& name) {
  int status = 0;
  char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : name;
  std::free(plain);  // NOLINT(cppcoreguidelines-no-malloc): the function's contract
  text = text.substr(0, text.find_first_of("(<"));
  return text.substr(text.rfind(' ') + 1);
}

[[noreturn]] void refuse(const std::string& what) {
  throw base::InputError("--detail, --estimate", what, "Simulate everything: leave both out.");
}

void refuse_heap(const host::MemoryMap& map, const std::string& kernel) {
  if (!map.heap_blocks().empty())
    refuse(fmt::format("kernel {} has called malloc, whose memory is not carried", kernel));
}

}  // namespace

oracle::Options oracle_of(isa::TensorNumerics tensor, const std::function<void(const std::string&)>& print) {
  oracle::Options options;
  options.tensor_block_bits = tensor.block_bits;
  options.tensor_extra_bits = tensor.extra_bits;
  options.on_turn = stop_if_interrupted;
  options.on_print = print;
  return options;
}

DetailRange detail_range(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw base::InputError("--detail " + text, "there is no kernel, or no launches of it",
                           "Write KERNEL:FROM-TO, counted from 1: --detail saxpy:1-10");
  DetailRange range;
  range.kernel = text.substr(0, colon);
  const std::string numbers = text.substr(colon + 1);
  const std::size_t dash = numbers.find('-');
  range.from = number_in(numbers.substr(0, dash), text);
  range.to = dash == std::string::npos ? range.from : number_in(numbers.substr(dash + 1), text);
  if (range.to < range.from)
    throw base::InputError("--detail " + text, "the last launch is before the first",
                           "Write the smaller number first.");
  return range;
}

SampledDevice::SampledDevice(TrackedDevice& model, std::vector<DetailRange> ranges, oracle::Options options,
                             std::function<void(double)> launched)
    : model_(model), oracle_(options), ranges_(std::move(ranges)), launched_(std::move(launched)) {}

std::uint64_t SampledDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const std::uint64_t address = model_.allocate(bytes, name);
  if (oracle_.allocate(bytes, name) != address)
    refuse(fmt::format("model and oracle have given '{}' different addresses", name));
  buffers_.emplace(address, bytes);
  return address;
}

void SampledDevice::free(std::uint64_t address) {
  model_.free(address);
  oracle_.free(address);
  buffers_.erase(address);
}

void SampledDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  model_.write(address, bytes);
  oracle_.write(address, bytes);
}

void SampledDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  if (oracle_is_newest_)
    oracle_.read(address, bytes);
  else
    model_.read(address, bytes);
}

std::optional<std::vector<std::uint64_t>> SampledDevice::take_written_pages() {
  auto pages = model_.take_written_pages();
  const auto others = oracle_.take_written_pages();
  if (!pages || !others) return std::nullopt;
  std::vector<std::uint64_t> all;
  std::set_union(pages->begin(), pages->end(), others->begin(), others->end(), std::back_inserter(all));
  return all;
}

host::ModuleHandle SampledDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const host::ModuleHandle module = model_.load_module(bytes, name);
  return keep(module, oracle_.load_module(bytes, name), name);
}

host::ModuleHandle SampledDevice::load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                               host::ModuleHandle variables_of) {
  const host::ModuleHandle module = model_.load_sharing(bytes, name, variables_of);
  return keep(module, oracle_.load_sharing(bytes, name, modules_.at(variables_of).of_oracle), name);
}

host::ModuleHandle SampledDevice::keep(host::ModuleHandle module, host::ModuleHandle of_oracle,
                                       const std::string& name) {
  using Kind = host::ModuleSymbol::Kind;
  std::map<std::pair<Kind, std::string>, std::uint64_t> others;
  for (const host::ModuleSymbol& each : oracle_.symbols(of_oracle))
    others[{each.kind, each.name}] = each.address;
  Module kept{of_oracle, {}};
  for (const host::ModuleSymbol& each : model_.symbols(module)) {
    if (const auto found = others.find({each.kind, each.name});
        each.kind != Kind::kShared && found != others.end() && found->second != each.address)
      refuse(fmt::format("model and oracle have given {} '{}' of {} different addresses",
                         each.kind == Kind::kVariable ? "variable" : "function", each.name, name));
    if (each.kind == Kind::kVariable) kept.variables.push_back(each);
  }
  modules_.emplace(module, std::move(kept));
  return module;
}

void SampledDevice::unload(host::ModuleHandle module) {
  model_.unload(module);
  oracle_.unload(modules_.at(module).of_oracle);
  modules_.erase(module);
}

std::uint64_t SampledDevice::symbol(host::ModuleHandle module, const std::string& name) {
  return model_.symbol(module, name);
}

bool SampledDevice::in_detail(const std::string& kernel, std::uint64_t number) const {
  return ranges_.empty() || std::ranges::any_of(ranges_, [&](const DetailRange& range) {
           const bool named =
               range.kernel == "*" || range.kernel == kernel || range.kernel == source_name(kernel);
           return named && number >= range.from && number <= range.to;
         });
}

/// Buffers and variables; what is the same already costs nothing more than to look at.
void SampledDevice::carry(const Read& from, const Read& to, const Write& write) const {
  std::vector<std::byte> bytes, before;
  const auto move = [&](std::uint64_t address, std::uint64_t size) {
    for (std::uint64_t at = 0; at < size; at += kPiece) {
      const std::uint64_t piece = std::min(kPiece, size - at);
      bytes.resize(piece);
      before.resize(piece);
      from(address + at, bytes);
      to(address + at, before);
      if (bytes != before) write(address + at, bytes);
    }
  };
  for (const auto& [address, size] : buffers_) move(address, size);
  for (const auto& [handle, module] : modules_)
    for (const host::ModuleSymbol& each : module.variables) move(each.address, each.bytes);
}

void SampledDevice::carry(host::Device& from, host::Device& to) const {
  carry([&](std::uint64_t address, std::span<std::byte> bytes) { from.read(address, bytes); },
        [&](std::uint64_t address, std::span<std::byte> bytes) { to.read(address, bytes); },
        [&](std::uint64_t address, std::span<const std::byte> bytes) { to.write(address, bytes); });
}

void SampledDevice::skip(const gpu::SkippedCtas& ctas) {
  const Read read = [this](std::uint64_t address, std::span<std::byte> bytes) {
    oracle_.read(address, bytes);
  };
  carry(ctas.read, read,
        [this](std::uint64_t address, std::span<const std::byte> bytes) { oracle_.write(address, bytes); });
  try {
    oracle_.launch(modules_.at(ctas.module).of_oracle, ctas.kernel, *ctas.shape, *ctas.args);
  } catch (const base::Error& error) {
    if (error.code() != base::ExitCode::kHang) throw;
    refuse(fmt::format("CTAs {} to {} of kernel {} do not end without the ones behind them: {}",
                       ctas.shape->first_cta, ctas.shape->first_cta + ctas.shape->part - 1, ctas.kernel,
                       error.message()));
  }
  refuse_heap(oracle_, ctas.kernel);
  carry(read, ctas.read, ctas.write);
}

void SampledDevice::settle() {
  if (std::exchange(oracle_is_newest_, false)) carry(oracle_, model_);
}

void SampledDevice::launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
                           const host::Args& args) {
  Seen& seen = kernels_[kernel];
  const bool detail = in_detail(kernel, ++seen.launches);
  if (detail == oracle_is_newest_) {
    if (detail)
      carry(oracle_, model_);
    else
      carry(model_, oracle_);
    oracle_is_newest_ = !detail;
  }
  if (detail) {
    model_.launch(module, kernel, shape, args);
    refuse_heap(model_, kernel);
    ++detailed_;
    ++seen.simulated;
    seen.ns += last_ns_;
    return;
  }
  oracle_.launch(modules_.at(module).of_oracle, kernel, shape, args);
  ++quick_;
  if (launched_) launched_(seen.simulated == 0 ? 0 : seen.ns / static_cast<double>(seen.simulated));
}

}  // namespace heddle::cli
