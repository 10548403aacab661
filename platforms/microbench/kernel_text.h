// PTX text of kernels that time themselves.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::microbench {

/// A kernel for one-dimensional CTAs, written line by line. Registers are declared on request.
///
/// Every warp stores a record: the values of %clock around a timed region, its core, and words that the
/// kernel keeps. Every thread may store values. The first two parameters are the addresses of both.
///
/// The timed region is usually inside rounds (begin_rounds .. end_rounds): a loop whose earlier iterations
/// bring the code into the instruction cache and the data into the data caches. The record holds the clocks
/// of the last round. The loop head is a branch target, so fetch restarts there, and the position of
/// instructions in fetch groups is known.
class TimedKernel {
 public:
  explicit TimedKernel(std::string name);

  /// Adds a parameter of a PTX type ("u64", "f32" ...), in call order. Returns the register it is loaded
  /// into.
  [[nodiscard]] std::string parameter(std::string_view type);
  /// A new register: "b32", "b64", "f32", "f64" or "pred".
  [[nodiscard]] std::string reg(std::string_view type);
  /// A new label.
  [[nodiscard]] std::string label();
  /// A declaration before the kernel.
  void module_line(const std::string& text) { module_ += text + "\n"; }
  /// Shared memory of the CTA, which the kernel addresses from 0.
  void use_shared(std::uint32_t bytes) { shared_bytes_ = bytes; }
  [[nodiscard]] std::uint32_t shared_bytes() const { return shared_bytes_; }

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... arguments) {
    body_ += "    " + fmt::format(format, std::forward<T>(arguments)...) + ";\n";
  }
  void place(const std::string& label) { body_ += label + ":\n"; }

  /// %r registers of the prologue.
  [[nodiscard]] const std::string& warp() const { return warp_; }    ///< warp number in the grid
  [[nodiscard]] const std::string& lane() const { return lane_; }    ///< %laneid
  [[nodiscard]] const std::string& round() const { return round_; }  ///< 0, 1 ... within rounds

  void begin_rounds();
  void end_rounds(std::uint32_t rounds);
  void start_clock() { line("mov.u32 {}, %clock", start_); }
  void stop_clock() { line("mov.u32 {}, %clock", stop_); }
  /// The clock registers, for kernels that fill them themselves.
  [[nodiscard]] const std::string& start_register() const { return start_; }
  [[nodiscard]] const std::string& stop_register() const { return stop_; }

  /// Stores a 32-bit register's value in lane 0 as word 0, 1, ... of the record.
  void keep(const std::string& reg);
  /// Stores a register of `type` in every lane as value 0, 1, ... of the thread.
  void keep_lanes(std::string_view type, const std::string& reg);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The complete module, with `padding` instructions before the rounds. Call it once the kernel is complete.
  [[nodiscard]] std::string text(std::uint32_t padding = 0) const;
  [[nodiscard]] bool has_rounds() const { return !loop_.empty(); }
  [[nodiscard]] std::uint32_t record_words() const {
    return kFixedWords + static_cast<std::uint32_t>(kept_.size());
  }
  [[nodiscard]] std::uint32_t lane_values() const { return static_cast<std::uint32_t>(kept_lanes_.size()); }

  static constexpr std::uint32_t kFixedWords = 3;  ///< start, stop, core

 private:
  [[nodiscard]] std::string prologue() const;
  [[nodiscard]] std::string epilogue() const;

  std::string name_;
  std::string module_;
  std::string before_rounds_;  ///< the part of the body before the loop
  std::string body_;
  std::uint32_t shared_bytes_ = 0;
  std::uint32_t labels_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> registers_;
  std::vector<std::pair<std::string, std::string>> parameters_;  ///< type, register
  std::vector<std::string> kept_;
  std::vector<std::pair<std::string, std::string>> kept_lanes_;  ///< type, register
  std::string warp_, lane_, round_, start_, stop_, records_, values_, scratch_, more_rounds_;
  std::string loop_;
};

}  // namespace heddle::microbench
