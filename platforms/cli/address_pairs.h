// What two devices have put at addresses of their own: an address stored on one is the same as another one stored on the
// other if both point to the same byte of the same thing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::cli {

/// A buffer, a variable or a function on both devices.
struct AddressPair {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
  std::uint64_t bytes = 0;  ///< 0: a function, which only its own address points to
  std::string what;         ///< "variable 'x'"
};

class AddressPairs {
 public:
  explicit AddressPairs(std::vector<AddressPair> pairs);

  /// The end of a buffer belongs to it, as in C. Any two addresses in local memory are the same: that memory is gone
  /// when a launch has ended, and its layout is the device's own.
  [[nodiscard]] bool same(std::uint64_t here, std::uint64_t there) const;
  /// "byte 16 of variable 'x'"; empty: the address is that of nothing known.
  [[nodiscard]] std::string describe_here(std::uint64_t address) const {
    return describe(address, &AddressPair::here);
  }
  [[nodiscard]] std::string describe_there(std::uint64_t address) const {
    return describe(address, &AddressPair::there);
  }

 private:
  [[nodiscard]] std::string describe(std::uint64_t address, std::uint64_t AddressPair::*start) const;

  std::vector<AddressPair> pairs_;    ///< ascending by `here`
  std::vector<std::uint64_t> reach_;  ///< the farthest end of a pair up to this one
};

}  // namespace heddle::cli
