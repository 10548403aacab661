#include "cosim/fst_socket_log.h"

#include <gtkwave/fstapi.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::cosim {
namespace {

class FstSocketLog final : public sim::SocketLog {
 public:
  FstSocketLog(sim::WaveWindow window, const sim::ClockDomain& core_clock)
      : window_(std::move(window)), core_clock_(core_clock), file_(fstWriterCreate(window_.file.c_str(), 1)) {
    if (file_ == nullptr)
      throw base::InputError(window_.file, "cannot be written", "choose another folder for --out");
    fstWriterSetTimescale(file_, -12);
    fstWriterSetVersion(file_, "Heddle: 1 ns is a core cycle");
  }
  ~FstSocketLog() override { close(); }
  FstSocketLog(const FstSocketLog&) = delete;
  FstSocketLog& operator=(const FstSocketLog&) = delete;

  std::size_t add_socket(const std::string& path, std::span<const sim::SocketField> fields) override {
    unsigned depth = 0;
    for (std::size_t at = 0; at <= path.size(); ++depth) {
      const std::size_t dot = std::min(path.find('.', at), path.size());
      fstWriterSetScope(file_, FST_ST_VCD_MODULE, path.substr(at, dot - at).c_str(), nullptr);
      at = dot + 1;
    }
    Socket& socket = sockets_.emplace_back();
    socket.signals.push_back(signal("calls", 32));
    for (const sim::SocketField& field : fields) socket.signals.push_back(signal(field.name, field.bits));
    for (; depth != 0; --depth) fstWriterSetUpscope(file_);
    return sockets_.size() - 1;
  }

  void transaction(std::size_t number, std::span<const std::uint64_t> values) override {
    Socket& socket = sockets_[number];
    ++socket.calls;
    if (file_ == nullptr) return;
    const base::Cycle cycle = core_clock_.cycle();
    if (cycle < window_.from || cycle > window_.to) return;
    fstWriterEmitTimeChange(file_, time_.next(cycle));
    emit(socket.signals[0], socket.calls & 0xffff'ffffu);
    for (std::size_t i = 0; i < values.size(); ++i) emit(socket.signals[i + 1], values[i]);
  }

  void close() override {
    if (file_ != nullptr) fstWriterClose(file_);
    file_ = nullptr;
  }

 private:
  struct Signal {
    fstHandle handle;
    unsigned bits;
  };
  struct Socket {
    std::uint64_t calls = 0;
    std::vector<Signal> signals;
  };
  Signal signal(const char* name, unsigned bits) {
    return {fstWriterCreateVar(file_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, name, 0), bits};
  }
  void emit(const Signal& signal, std::uint64_t value) {
    char text[65];
    for (unsigned i = 0; i < signal.bits; ++i)
      text[i] = (value >> (signal.bits - 1 - i) & 1) != 0 ? '1' : '0';
    text[signal.bits] = '\0';
    fstWriterEmitValueChange(file_, signal.handle, text);
  }
  sim::WaveWindow window_;
  const sim::ClockDomain& core_clock_;
  void* file_;
  std::vector<Socket> sockets_;
  sim::WaveTime time_;
};

}  // namespace

std::unique_ptr<sim::SocketLog> fst_socket_log(const sim::WaveWindow& window,
                                               const sim::ClockDomain& core_clock) {
  return std::make_unique<FstSocketLog>(window, core_clock);
}

}  // namespace heddle::cosim
