// A whole GPU with a third-party memory instead of its DRAM channels: see README.md.
//
//   foreign_dram [WORKLOAD [LATENCY_NS]]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "blocks/protocol_checker.h"
#include "cli/oracle_check.h"
#include "cli/tracked_device.h"
#include "examples/foreign_dram/simple_memory.h"
#include "gpu/gpu_device.h"
#include "workloads/workload.h"

namespace {

using heddle::tb::ProtocolChecker;

/// One channel: the memory, and a checker on its link (optional).
struct Channel : sc_core::sc_module {
  ProtocolChecker<> checker{"checker"};
  SimpleMemory memory;

  Channel(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
      : sc_module(name), memory("memory", latency) {
    checker.isock.bind(memory.socket);
  }
};

int run(const std::string& name, double latency_ns) {
  const heddle::workloads::Workload* const workload = heddle::workloads::find(name);
  if (workload == nullptr) {
    std::printf("there is no workload '%s'\n", name.c_str());
    return 2;
  }
  const heddle::gpu::GpuConfig config;  // a GTX 480
  std::vector<Channel*> channels;
  heddle::gpu::RunOptions options;
  options.dram = [&](const heddle::gpu::DramSite& site, tlm::tlm_initiator_socket<>& partition) {
    auto channel = std::make_unique<Channel>(("memory" + std::to_string(site.partition)).c_str(),
                                             sc_core::sc_time(latency_ns, sc_core::SC_NS));
    partition.bind(channel->checker.tsock);
    channels.push_back(channel.get());
    return channel;
  };
  heddle::gpu::GpuDevice gpu(config, options);

  heddle::cli::TrackedDevice device(gpu);
  const auto program = [&](heddle::host::Device& d) { return workload->run(d, {}); };
  const heddle::workloads::Verdict verdict = program(device);
  std::printf("%s: %s: %s\n", name.c_str(), verdict.passed ? "passed" : "FAILED", verdict.summary.c_str());
  bool good = verdict.passed;
  if (!workload->racy) {
    const auto oracle =
        heddle::cli::compare_with_oracle(device, [&](heddle::host::Device& d) { (void)program(d); });
    std::printf("memory against the scalar interpreter: %s\n", oracle.summary.c_str());
    good = good && oracle.passed;
  }
  std::uint64_t cycles = 0, accesses = 0, errors = 0;
  for (const auto& kernel : gpu.kernels()) cycles += kernel.cycles;
  for (const Channel* channel : channels) {
    accesses += channel->memory.accesses();
    errors += channel->checker.errors().size();
    for (const std::string& error : channel->checker.errors()) std::printf("protocol: %s\n", error.c_str());
  }
  std::printf("%llu core cycles; %llu accesses to %zu memories of %g ns; %llu protocol violations\n",
              static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(accesses),
              channels.size(), latency_ns, static_cast<unsigned long long>(errors));
  return good && accesses != 0 && errors == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  try {
    return run(argc > 1 ? argv[1] : "vecadd", argc > 2 ? std::atof(argv[2]) : 50);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 70;
  }
}
