// heddle run --wave BLOCK[:FROM:TO]: waveforms (FST) of blocks within a run: the pins of a block that runs as RTL, otherwise the
// transactions of its sockets. Into wave-BLOCK.fst of --out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/output_dir.h"
#include "cli/problems.h"
#include "cli/temporaries.h"
#include "sim/socket_log.h"
#include "sim/twins.h"

namespace heddle::cli {

/// "core0.scoreboard", "core0.scoreboard:1000:2000".
struct WaveRequest {
  std::string block;  ///< SystemC path of the module, or its end: whole names
  base::Cycle from = 0, to = 0;
};
/// Throws base::InputError for what has another form.
[[nodiscard]] WaveRequest wave_request(const std::string& text);
[[nodiscard]] std::string wave_file(const WaveRequest& request);
/// Names of the files that these options make. Throws base::InputError if two name the same block.
[[nodiscard]] std::vector<std::string> wave_files(const std::vector<std::string>& texts);

class WaveFiles {
 public:
  /// `folder`: that of --out, where the files grow under temporary names.
  WaveFiles(const std::vector<std::string>& texts, const std::string& folder);
  /// Removes what was not taken.
  ~WaveFiles();
  WaveFiles(const WaveFiles&) = delete;
  WaveFiles& operator=(const WaveFiles&) = delete;

  /// Before the GPU is made. `this` outlives the making.
  void listen_to(sim::Twins& twins);
  /// Once the GPU has been made: takes down the sockets of the blocks that are no twins. Throws base::InputError for a block that is not
  /// there, that stands for several, or that has no sockets.
  void begin(sim::Twins& twins);
  /// Completes the files.
  void take(sim::Twins& twins, OutputDir& out);

 private:
  struct Wave {
    std::string text;  ///< of the option
    WaveRequest request;
    std::unique_ptr<Temporary> file;
    std::vector<std::string> twins;  ///< paths of blocks that run as RTL
    std::unique_ptr<sim::SocketLog> log;
  };
  std::vector<Wave> waves_;
};

}  // namespace heddle::cli
