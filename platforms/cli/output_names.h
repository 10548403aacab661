// The files that a command reads and writes: two options that name the same file are an error before anything
// runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace heddle::cli {

class OutputNames {
 public:
  /// `place`: the option with its value, for messages. A file that is read must not be written as well,
  /// except devices and pipes.
  void reads(const std::string& path, const std::string& place);
  /// The file of --platform and the files it includes: gpu::load_platform().
  void reads_platform(const std::string& platform, const std::vector<std::string>& files);
  /// Throws base::InputError if another option names the file, in any spelling and through any links, or if
  /// it cannot be written. Its folder must exist.
  void writes(const std::string& path, const std::string& place);
  /// The same for a file that may only be removed.
  void removes(const std::string& path, const std::string& place);

 private:
  using Identity =
      std::tuple<std::uint64_t, std::uint64_t, std::string>;  ///< folder's device and inode, name
  using Places = std::map<Identity, std::string>;
  static void refuse_same(const Identity& file, const std::string& place, const Places& others,
                          const char* what);
  [[nodiscard]] static bool identify(const std::string& path, Identity& file);

  Places read_;
  Places written_;
};

}  // namespace heddle::cli
