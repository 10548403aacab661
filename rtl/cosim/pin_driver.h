// Clocks one verilated block.
//
// All blocks have clk_i and rst_ni; those of the first edition (rtl/README.md) a request with req_valid_i/req_ready_o and a
// response with rsp_valid_o/rsp_ready_i.
//
// Verilated headers must come before SystemC's, since Verilator would otherwise use SystemC's time: where
// this header is used, the V*.h are included first.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "sim/twins.h"

namespace heddle::cosim {

template <class V>
class PinDriver {
 public:
  /// Of a whole GPU: the waveform of `use`, if one is wanted.
  explicit PinDriver(sim::TwinUse& use) : PinDriver(use.waves, use.core_clock) {
    if (trace_) use.close_waves = [this] { close_waves(); };
  }
  /// `waves`: an FST file; empty: none. Without a `core_clock` times are edges of the block's clock.
  explicit PinDriver(sim::WaveWindow waves = {}, const sim::ClockDomain* core_clock = nullptr)
      : waves_(std::move(waves)), core_clock_(core_clock) {
    context_->randReset(2);  // state without reset starts at random values ...
    context_->randSeed(1);   // ... that are the same in every run
    if (!waves_.file.empty()) {
      context_->traceEverOn(true);
      trace_ = std::make_unique<VerilatedFstC>();
    }
    pins_ = std::make_unique<V>(context_.get(), "top");
    if (trace_) {
      pins_->trace(trace_.get(), 99);
      trace_->set_time_unit("1ps");
      trace_->set_time_resolution("1ps");
      trace_->open(waves_.file.c_str());
    }
    // A block of the first edition has a request and a response; one that is clocked once per core cycle is idle with all inputs 0,
    // as Verilator leaves them.
    if constexpr (requires { pins_->rsp_ready_i; }) {
      pins_->req_valid_i = 0;
      pins_->rsp_ready_i = 1;
    }
    pins_->rst_ni = 0;
    edge();
    edge();
    pins_->rst_ni = 1;
    settle();
  }
  ~PinDriver() {
    // The block's destruction uses the thread's current context, which may be that of a destroyed driver.
    Verilated::threadContextp(context_.get());
    pins_->final();
    close_waves();
    pins_.reset();
  }
  PinDriver(const PinDriver&) = delete;
  PinDriver& operator=(const PinDriver&) = delete;

  [[nodiscard]] V& pins() { return *pins_; }
  [[nodiscard]] const V& pins() const { return *pins_; }
  /// Combinational outputs follow the inputs.
  void settle() { pins_->eval(); }
  /// A rising edge of the clock, followed by the falling edge.
  void edge() {
    pins_->clk_i = 1;
    pins_->eval();
    record();
    pins_->clk_i = 0;
    pins_->eval();
    record();
  }

  /// Completes the request on the pins; returns the number of cycles from acceptance to the answer. The
  /// response stays on the pins until the next call.
  unsigned transact() {
    pins_->req_valid_i = 1;
    edge();
    pins_->req_valid_i = 0;
    unsigned clocks = 1;
    while (pins_->rsp_valid_o == 0) {
      edge();
      if (++clocks > kMostClocks)
        throw base::Error(base::ExitCode::kInternal, pins_->modelName(), "the RTL does not answer a request");
    }
    return clocks;
  }

 private:
  static constexpr unsigned kMostClocks = 1u << 20;
  void record() {
    if (!trace_) return;
    const base::Cycle cycle = core_clock_ != nullptr ? core_clock_->cycle() : 0;
    if (cycle >= waves_.from && cycle <= waves_.to) trace_->dump(time_.next(cycle));
  }
  void close_waves() {
    if (trace_) trace_->close();
    trace_.reset();
  }
  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<VerilatedFstC> trace_;
  std::unique_ptr<V> pins_;
  sim::WaveWindow waves_;
  const sim::ClockDomain* core_clock_;
  sim::WaveTime time_;
};

}  // namespace heddle::cosim
