// What the stub driver and the process that is its card say to each other: a request, a reply, both of words and bytes.
//
// The card is a process of its own, so that the library has nothing of Heddle's in it: the program that opens it has an oracle too.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace heddle::stub {

enum class Call : std::uint32_t {
  kHeapBytes,  ///< words: bytes
  kAllocate,   ///< words: bytes. Reply: address
  kFree,       ///< words: address
  kWrite,      ///< words: address; bytes
  kRead,       ///< words: address, bytes. Reply: bytes
  kMemory,     ///< Reply: free bytes, all bytes
  kLoad,       ///< bytes: text. Reply: module
  kUnload,     ///< words: module
  kFunction,   ///< words: module; bytes: name. Reply: shared bytes, and the size of each parameter
  kGlobal,     ///< words: module; bytes: name. Reply: address, bytes
  kLaunch,  ///< words: module, grid, block, shared, cooperative, length of the name; bytes: name, parameters
  kResult   ///< Reply: nothing; the result is what launches have ended with
};

struct Message {
  std::uint32_t code = 0;  ///< of a request the Call, of a reply the driver's result
  std::vector<std::uint64_t> words;
  std::vector<std::byte> bytes;
};

inline bool put(int to, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(to, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}
inline bool get(int from, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(from, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// False: the other side is gone.
inline bool send(int to, const Message& message) {
  const std::uint64_t head[3] = {message.code, message.words.size(), message.bytes.size()};
  return put(to, head, sizeof head) &&
         put(to, message.words.data(), message.words.size() * sizeof(std::uint64_t)) &&
         put(to, message.bytes.data(), message.bytes.size());
}
inline bool receive(int from, Message& message) {
  std::uint64_t head[3] = {};
  if (!get(from, head, sizeof head)) return false;
  message.code = static_cast<std::uint32_t>(head[0]);
  message.words.resize(head[1]);
  message.bytes.resize(head[2]);
  return get(from, message.words.data(), message.words.size() * sizeof(std::uint64_t)) &&
         get(from, message.bytes.data(), message.bytes.size());
}

}  // namespace heddle::stub
