#include "regression/determinism/rig.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "blocks/isolated.h"
#include "core/observe/register_hash.h"
#include "determinism/determinism_mechanism.h"
#include "gpu/gpu.h"
#include "gpu/platform_files.h"

namespace heddle::testing {

namespace {

Json record_of(const determinism::QuantumRecord& quantum) {
  Json json;
  json["waves"] = Json::object();
  for (const determinism::WaveRecord& wave : quantum.waves)
    json["waves"][fmt::format("{}.{:03}", wave.core, wave.wave_slot)] = {
        wave.count, determinism::kEndReasonNames.at(static_cast<std::size_t>(wave.reason))};
  json["digest"] = quantum.digest;
  json["path"] = quantum.path_digest;
  json["logs"] = quantum.log_digest;
  json["serial"] = Json::array();
  for (const determinism::QuantumRecord::Atomic& atomic : quantum.serial)
    json["serial"].push_back({atomic.core, atomic.warp.value(), atomic.pc.value()});
  json["started"] = Json::array();
  for (const core::CtaChoice& choice : quantum.started)
    json["started"].push_back({choice.core, choice.slot->value(), choice.cta});
  return json;
}

/// Of all buffers of the program, as the L2 holds them.
std::uint64_t memory_digest(gpu::Gpu& gpu, const host::AllocationTable& allocations) {
  core::Hash hash;
  std::vector<unsigned char> bytes;
  for (const auto& [address, allocation] : allocations.all()) {
    if (allocation.name.find("(determinism)") != std::string::npos) continue;
    bytes.resize(allocation.bytes);
    gpu.crossbar->debug_read(address, bytes.data(), bytes.size());
    hash.add(address);
    for (const unsigned char byte : bytes) hash.add(byte);
  }
  return hash.value();
}

}  // namespace

Settings perturbed(unsigned seed, const Settings& more) {
  const std::string number = std::to_string(seed);
  Settings settings{"test.memory.crossbar.perturb_seed=" + number, "test.memory.crossbar.perturb_cycles=60",
                    "test.memory.dram.perturb_seed=" + number, "test.core.scheduler.perturb_seed=" + number,
                    "test.core.start_jitter.perturb_seed=" + number};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Json run(const Settings& settings, const Program& program, const Extras& extras) {
  return tb::isolated([&]() -> Json {
    std::vector<std::string> assignments{"determinism.enabled=true"};
    assignments.insert(assignments.end(), settings.begin(), settings.end());
    Json result;
    Json quanta = Json::array();
    gpu::RunOptions options;
    options.max_cycles = 5'000'000;
    options.core_extensions = extras.core_extensions;
    options.shuffle_modules = extras.shuffle;
    options.on_launch = [&](const gpu::LaunchRecord& launch) {
      result["cycles"] = launch.cycles;
      result["quanta"] = quanta;
      quanta = Json::array();
    };
    options.on_print = [&](const std::string& text) { result["printed"].push_back(text); };
    const gpu::GpuDevice* made = nullptr;
    Json memory = Json::object();
    options.extend = [&](gpu::Gpu& gpu) {
      for (const auto& mechanism : gpu.mechanisms) {
        auto* const determinism = dynamic_cast<determinism::DeterminismMechanism*>(mechanism.get());
        if (determinism == nullptr) continue;
        determinism::QuantumSequencer& sequencer = determinism->sequencer();
        sequencer.on_quantum = [&](const determinism::QuantumRecord& quantum) {
          quanta.push_back(record_of(quantum));
          quanta.back().update(memory);
        };
        if (!extras.watch_memory) continue;
        sequencer.on_memory = [&](determinism::QuantumSequencer::Point point) {
          const bool committed = point == determinism::QuantumSequencer::Point::kCommitted;
          memory[committed ? "committed" : "serial_done"] = memory_digest(gpu, made->allocations());
        };
      }
    };
    try {
      gpu::GpuDevice device(gpu::load_platform("tiny", assignments), options);
      made = &device;
      program(device, result);
      result["statistics"] = device.stats().to_json();
    } catch (const std::exception& error) {
      result["errors"].push_back(error.what());
    }
    return result;
  });
}

std::string waves_of(const Json& result, std::size_t quantum) {
  std::string text;
  for (const auto& [name, wave] : result.at("quanta").at(quantum).at("waves").items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", wave[0].get<int>(), wave[1].get<std::string>());
  return text;
}

std::size_t quanta_of(const Json& result) { return result.at("quanta").size(); }

std::string kernel_text(const std::string& body, const std::string& declarations) {
  return R"(.version 7.5
.target sm_75
.address_size 64
)" + declarations +
         R"(
.visible .entry test(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .b32 %t, %w, %r<16>;
  .reg .b64 %a, %b, %c, %d<8>;
  .reg .pred %p<8>;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %c, [c];
  mov.u32 %t, %tid.x;
  shr.u32 %w, %t, 5;
)" + body +
         "\n}\n";
}

std::string filler(std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += "  add.u32 %r15, %r15, 1;\n";
  return text;
}

void launch(gpu::GpuDevice& device, Json& result, const std::string& ptx, std::uint32_t ctas,
            std::uint32_t threads, const std::vector<std::uint32_t>& initial, std::uint64_t bytes) {
  const auto module = device.load_ptx_text(ptx, "test.ptx");
  host::Args args;
  std::vector<std::uint64_t> buffers;
  for (const char* name : {"a", "b", "c"}) args.add(buffers.emplace_back(device.allocate(bytes, name)));
  if (!initial.empty()) device.write(buffers[0], std::as_bytes(std::span(initial)));
  const auto words = [&] {
    for (std::size_t i = 0; i < buffers.size(); ++i)
      result[std::string(1, static_cast<char>('a' + i))] =
          device.download<std::uint32_t>(buffers[i], bytes / sizeof(std::uint32_t));
  };
  device.launch(module, "test", {{ctas, 1, 1}, {threads, 1, 1}, 0}, args);
  words();
}

Json run_body(const Settings& settings, const std::string& body, std::uint32_t ctas, std::uint32_t threads,
              const std::vector<std::uint32_t>& initial, const Extras& extras) {
  const std::string ptx = kernel_text(body);
  return run(
      settings,
      [&](gpu::GpuDevice& device, Json& result) { launch(device, result, ptx, ctas, threads, initial); },
      extras);
}

}  // namespace heddle::testing
