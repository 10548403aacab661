#include "blocks/isolated.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

namespace heddle::tb {

nlohmann::ordered_json isolated(const std::function<nlohmann::ordered_json()>& simulate) {
  std::fflush(nullptr);
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return {{"errors", {"pipe failed"}}};
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    nlohmann::ordered_json result;
    try {
      result = simulate();
    } catch (const std::exception& exception) {
      result = {{"errors", {exception.what()}}};
    }
    // CBOR is written and read in fewer instructions than text.
    const std::vector<std::uint8_t> bytes = nlohmann::ordered_json::to_cbor(result);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = write(pipe_ends[1], bytes.data() + done, bytes.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    close(pipe_ends[1]);
    std::fflush(nullptr);
    _exit(0);  // no destructors of the parent's state
  }
  close(pipe_ends[1]);
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 65536> buffer{};
  for (ssize_t count; (count = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;)
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + count);
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return {{"errors", {"the simulation died with status " + std::to_string(status)}}};
  return nlohmann::ordered_json::from_cbor(bytes);
}

}  // namespace heddle::tb
