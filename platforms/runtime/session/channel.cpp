#include "runtime/session/channel.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace heddle::runtime {

Channel::~Channel() {
  if (!window_.empty()) ::munmap(window_.data(), window_.size());
  ::close(socket_);
}

void Channel::map_window(int file) {
  void* const at = ::mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (at == MAP_FAILED) throw base::InputError("heddle cuda", std::string("mmap: ") + std::strerror(errno));
  window_ = {static_cast<std::byte*>(at), kWindowBytes};
}

/// False: the other end is closed. A file descriptor that comes along is the window's.
bool Channel::read_all(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    iovec part{at, bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_, &header, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    if (const cmsghdr* const message = CMSG_FIRSTHDR(&header);
        message != nullptr && message->cmsg_type == SCM_RIGHTS && window_.empty()) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(message), sizeof file);
      map_window(file);
    }
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool Channel::receive(Request& request, std::vector<std::byte>& payload) {
  if (!read_all(&request, sizeof request)) return false;
  payload.resize(request.bytes);
  return read_all(payload.data(), payload.size());
}

void Channel::reply(Reply& reply, const std::string& printed, const std::string& message,
                    std::span<const std::byte> data) {
  reply.printed = static_cast<std::uint32_t>(printed.size());
  reply.message = static_cast<std::uint32_t>(message.size());
  reply.bytes = static_cast<std::uint32_t>(data.size());
  std::string text(reinterpret_cast<const char*>(&reply), sizeof reply);
  text += printed;
  text += message;
  text.append(reinterpret_cast<const char*>(data.data()), data.size());
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the next receive() says that the program has ended
    at += static_cast<std::size_t>(sent);
  }
}

}  // namespace heddle::runtime
