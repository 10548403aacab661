// What a socket's transactions look like from outside: for waveforms (heddle run --wave). A socket that nobody records pays nothing: to
// record is to put a function in front of the one that it calls.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace sc_core {
class sc_object;
}

namespace heddle::sim {

/// Where a waveform goes, and of which core cycles it is.
struct WaveWindow {
  std::string file;  ///< empty: none is wanted
  base::Cycle from = 0;
  base::Cycle to = std::numeric_limits<base::Cycle>::max();
};

/// Times of a waveform, in ps: a core cycle is 1 ns long, whatever the clock is. What happens later within a cycle follows by 1 ps each.
class WaveTime {
 public:
  static constexpr std::uint64_t kCycle = 1000;
  [[nodiscard]] std::uint64_t next(base::Cycle cycle) {
    const std::uint64_t time = std::max(cycle * kCycle, next_);
    next_ = time + 1;
    return time;
  }

 private:
  std::uint64_t next_ = 0;
};

struct SocketField {
  const char* name;
  unsigned bits;  ///< 1 to 64
};

/// Takes down transactions.
class SocketLog {
 public:
  virtual ~SocketLog() = default;
  /// Announces a socket, before the first transaction of any. Returns its number.
  virtual std::size_t add_socket(const std::string& path, std::span<const SocketField> fields) = 0;
  /// `values` are those of the socket's fields.
  virtual void transaction(std::size_t socket, std::span<const std::uint64_t> values) = 0;
  /// Nothing is taken down any more.
  virtual void close() = 0;
};

/// A socket whose transactions can be taken down.
class RecordedSocket {
 public:
  /// The socket that takes the transactions, if that is another one and known.
  [[nodiscard]] virtual const sc_core::sc_object* bound() const { return nullptr; }
  /// `log` outlives the simulation.
  virtual void record(SocketLog& log) = 0;

 protected:
  ~RecordedSocket() = default;
};

// ---- The fields of a request: numbers, enumerations, ids and masks that have one of these names

template <class T>
requires std::integral<T> || std::is_enum_v<T>
constexpr std::uint64_t socket_number(T value) { return static_cast<std::uint64_t>(value); }
template <class T>
requires requires(const T& id) {
  { id.value() } -> std::integral;
}
constexpr std::uint64_t socket_number(const T& id) { return static_cast<std::uint64_t>(id.value()); }
template <class T>
requires requires(const T& mask) {
  { mask.bits() } -> std::integral;
}
constexpr std::uint64_t socket_number(const T& mask) { return static_cast<std::uint64_t>(mask.bits()); }
template <class T>
constexpr unsigned socket_bits() {
  return std::is_same_v<T, bool> ? 1u : std::min<unsigned>(64u, 8u * sizeof(T));
}

#define HEDDLE_SOCKET_FIELDS(FIELD)                                                                  \
  FIELD(op)                                                                                          \
  FIELD(event)                                                                                       \
  FIELD(group)                                                                                       \
  FIELD(warp)                                                                                        \
  FIELD(formation)                                                                                   \
  FIELD(cta) FIELD(scheduler) FIELD(pipe) FIELD(pc) FIELD(lanes) FIELD(mask) FIELD(exec) FIELD(line) \
      FIELD(address) FIELD(id) FIELD(position) FIELD(threads) FIELD(room) FIELD(count) FIELD(hazard) \
          FIELD(result) FIELD(accepted) FIELD(closed) FIELD(wanted)
inline constexpr std::size_t kMostSocketFields = 24;

template <class Request>
std::vector<SocketField> socket_fields() {
  std::vector<SocketField> fields;
#define HEDDLE_FIELD(NAME)                                             \
  if constexpr (requires(const Request& r) { socket_number(r.NAME); }) \
    fields.push_back(                                                  \
        {#NAME, socket_bits<std::remove_cvref_t<decltype(std::declval<const Request&>().NAME)>>()});
  HEDDLE_SOCKET_FIELDS(HEDDLE_FIELD)
#undef HEDDLE_FIELD
  return fields;
}

/// Takes down a transaction with the values of socket_fields<Request>().
template <class Request>
void log_request(SocketLog& log, std::size_t socket, const Request& request) {
  std::array<std::uint64_t, kMostSocketFields> values;
  std::size_t count = 0;
#define HEDDLE_FIELD(NAME)                                             \
  if constexpr (requires(const Request& r) { socket_number(r.NAME); }) \
    values[count++] = socket_number(request.NAME);
  HEDDLE_SOCKET_FIELDS(HEDDLE_FIELD)
#undef HEDDLE_FIELD
  log.transaction(socket, {values.data(), count});
}

}  // namespace heddle::sim
