#include "runtime/connection.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::runtime {
namespace {

std::string system_error(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

/// Variables of the environment that decide where the device is, as the program was started with them: it may clear its
/// environment before it asks for the device.
class Variables {
 public:
  Variables() {
    for (const char* const name : {kSocketVariable, kCommandVariable, kOptionsVariable})
      if (const char* const value = std::getenv(name); value != nullptr) at_start_.emplace_back(name, value);
  }
  /// Empty: there is none.
  [[nodiscard]] std::string operator[](std::string_view name) const {
    if (const char* const now = std::getenv(std::string(name).c_str()); now != nullptr) return now;
    for (const auto& [known, value] : at_start_)
      if (known == name) return value;
    return {};
  }

  static constexpr const char* kCommandVariable = "HEDDLE_COMMAND";
  static constexpr const char* kOptionsVariable = "HEDDLE_CUDA_OPTIONS";

 private:
  std::vector<std::pair<std::string, std::string>> at_start_;
};
const Variables& variables() {
  static const Variables all;
  return all;
}
[[maybe_unused]] const Variables& read_at_start = variables();

/// The heddle command for a program that it has not started: HEDDLE_COMMAND, beside this library, or in PATH.
std::string command() {
  if (std::string named = variables()[Variables::kCommandVariable]; !named.empty()) return named;
  Dl_info here{};
  if (::dladdr(reinterpret_cast<void*>(&system_error), &here) != 0 && here.dli_fname != nullptr) {
    char path[PATH_MAX];
    if (::realpath(here.dli_fname, path) != nullptr) {
      std::string beside = path;  // PREFIX/lib.../heddle/cuda/libcudart.so.13
      for (int i = 0; i < 3 && !beside.empty(); ++i)
        beside.resize(std::max<std::size_t>(beside.rfind('/'), 0));
      for (int i = 0; i < 2; ++i) {
        if (::access((beside + "/bin/heddle").c_str(), X_OK) == 0) return beside + "/bin/heddle";
        const std::size_t up = beside.rfind('/');
        if (up == std::string::npos) break;
        beside.resize(up);
      }
    }
  }
  return "heddle";
}

}  // namespace

bool Connection::make_window(std::string& error) {
  if (window_ != nullptr) return true;
  window_file_ = ::memfd_create("heddle", MFD_CLOEXEC);
  if (window_file_ < 0 || ::ftruncate(window_file_, static_cast<off_t>(kWindowBytes)) != 0) {
    error = system_error("memfd_create");
    return false;
  }
  void* const at = ::mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, window_file_, 0);
  if (at == MAP_FAILED) {
    error = system_error("mmap");
    return false;
  }
  window_ = static_cast<std::byte*>(at);
  return true;
}

/// Of `heddle cuda`, which listens.
bool Connection::connect(std::string& error) {
  const std::string path = variables()[kSocketVariable];
  if (path.empty()) return start_command(error);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    error = std::string(kSocketVariable) + " is too long for a socket: " + path;
    return false;
  }
  std::strcpy(address.sun_path, path.c_str());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return true;
  error = system_error("connect to heddle cuda");
  close();
  return false;
}

/// A session of this program's own: `heddle cuda --serve DESCRIPTOR`, with options from HEDDLE_CUDA_OPTIONS. The process is
/// no child, so that the program's wait() does not see it.
bool Connection::start_command(std::string& error) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    error = system_error("socketpair");
    return false;
  }
  int failed[2];
  if (::pipe2(failed, O_CLOEXEC) != 0) {
    error = system_error("pipe");
    return false;
  }
  const std::string name = command();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    ::fcntl(ends[1], F_SETFD, 0);
    const std::string descriptor = std::to_string(ends[1]);
    std::string options = variables()[Variables::kOptionsVariable];
    std::vector<char*> arguments;
    std::string verb = "cuda", serve = "--serve", number = descriptor, path = name;
    for (std::string* each : {&path, &verb, &serve, &number}) arguments.push_back(each->data());
    char* state = nullptr;
    for (char* word = ::strtok_r(options.data(), " ", &state); word != nullptr;
         word = ::strtok_r(nullptr, " ", &state))
      arguments.push_back(word);
    arguments.push_back(nullptr);
    ::execvp(name.c_str(), arguments.data());
    const int why = errno;
    (void)!::write(failed[1], &why, sizeof why);
    ::_exit(127);
  }
  ::close(ends[1]);
  ::close(failed[1]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  int why = 0;
  const bool bad = child < 0 || ::read(failed[0], &why, sizeof why) > 0;
  ::close(failed[0]);
  if (bad) {
    ::close(ends[0]);
    error = "the command '" + name + "' does not start: " + std::strerror(why) +
            "\n  Run the program with heddle cuda, or name the command in HEDDLE_COMMAND.";
    return false;
  }
  socket_ = ends[0];
  own_ = true;
  return true;
}

bool Connection::open(Machine& machine, std::string& error) {
  if (!make_window(error) || !connect(error)) return false;
  Request hello;
  hello.operation = Operation::kHello;
  hello.arguments[0] = kProtocolVersion;
  hello.arguments[1] = static_cast<std::uint64_t>(::getpid());
  Answer answer;
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string_view program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  hello.bytes = static_cast<std::uint32_t>(program.size());
  if (!send(hello, program, window_file_)) {
    error = "the process that simulates has ended";
    close();
    return false;
  }
  answer = wait();
  if (answer.reply.code != Code::kSuccess || answer.data.size() != sizeof machine) {
    error = "no device: see the message of heddle";
    close();
    return false;
  }
  std::memcpy(&machine, answer.data.data(), sizeof machine);
  return true;
}

void Connection::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Connection::finish() {
  if (!is_open() || !own_) return;
  ::shutdown(socket_, SHUT_WR);
  char rest = 0;
  ssize_t got = 0;
  do {
    got = ::recv(socket_, &rest, 1, 0);
  } while (got > 0 || (got < 0 && errno == EINTR));
  close();
}

bool Connection::send(const Request& request, std::string_view payload, int file) {
  iovec parts[2] = {{const_cast<Request*>(&request), sizeof request},
                    {const_cast<char*>(payload.data()), payload.size()}};
  msghdr header{};
  header.msg_iov = parts;
  header.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (file >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const message = CMSG_FIRSTHDR(&header);
    message->cmsg_level = SOL_SOCKET;
    message->cmsg_type = SCM_RIGHTS;
    message->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(message), &file, sizeof file);
  }
  for (std::size_t left = sizeof request + payload.size(); left != 0;) {
    const ssize_t sent = ::sendmsg(socket_, &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    left -= static_cast<std::size_t>(sent);
    header.msg_control = nullptr;
    header.msg_controllen = 0;
    auto taken = static_cast<std::size_t>(sent);
    for (iovec& part : parts) {
      const std::size_t piece = std::min(taken, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + piece;
      part.iov_len -= piece;
      taken -= piece;
    }
  }
  return true;
}

bool Connection::receive(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t got = ::recv(socket_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void Connection::post(const Request& request, std::string_view payload) {
  Request sized = request;
  sized.bytes = static_cast<std::uint32_t>(payload.size());
  if (is_open() && !send(sized, payload)) close();
}

Connection::Answer Connection::wait(std::string* message) {
  Answer answer;
  std::string printed, said;
  const auto text = [&](std::string& to, std::size_t bytes) {
    to.resize(bytes);
    return receive(to.data(), bytes);
  };
  bool works = is_open() && receive(&answer.reply, sizeof answer.reply) &&
               text(printed, answer.reply.printed) && text(said, answer.reply.message);
  if (works) {
    answer.data.resize(answer.reply.bytes);
    works = receive(answer.data.data(), answer.data.size());
  }
  if (!works) {
    close();
    answer.reply.code = Code::kDeviceLost;
    answer.reply.sticky = 1;
    return answer;
  }
  if (!printed.empty()) std::fwrite(printed.data(), 1, printed.size(), stdout);
  if (!said.empty()) {
    std::fflush(stdout);
    std::fwrite(said.data(), 1, said.size(), stderr);
  }
  if (message != nullptr) *message = said;
  return answer;
}

}  // namespace heddle::runtime
