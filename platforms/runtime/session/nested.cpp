// Launches that kernels make.
#include <fmt/format.h>

#include "runtime/session/device_runtime.h"
#include "runtime/session/images.h"
#include "runtime/session/session.h"

namespace heddle::runtime {

host::ModuleHandle Session::load_ptx(const Bytes& module, const std::string& name,
                                     std::optional<host::ModuleHandle> variables_of) {
  const std::string text = with_device_runtime({reinterpret_cast<const char*>(module.data()), module.size()},
                                               properties(), settings_.compute_capability);
  const auto bytes = std::as_bytes(std::span(text));
  const host::ModuleHandle handle =
      variables_of ? device_->load_sharing(bytes, name, *variables_of) : device_->load_module(bytes, name);
  architectures_[handle] = architecture_of(module);
  names_.loaded(handle);
  nested_.add(*device_, handle, text);
  return handle;
}

/// As if each ran before its parent's next one: their streams and the grid's end ask for no more.
void Session::launch_nested(host::ModuleHandle module, unsigned depth) {
  constexpr unsigned kMostDepth = 24;  // of a card: cudaErrorLaunchMaxDepthExceeded
  for (const DeviceLaunch& each : nested_.take(*device_, module)) {
    if (each.kind != DeviceLaunch::Kind::kKernel) {
      Request request;
      request.box.width = each.bytes;
      request.box.height = request.box.depth = 1;
      request.arguments[0] = each.to;
      request.arguments[1] = each.from_or_value;
      request.arguments[2] = 1;
      each.kind == DeviceLaunch::Kind::kCopy ? copy_box(request) : fill_box(request);
      continue;
    }
    if (depth == kMostDepth)
      throw base::InputError("launch of kernel " + each.kernel,
                             fmt::format("{} kernels that launch each other are the most", kMostDepth),
                             "Launch from the host, or less deep.");
    const Kernel kernel{module, each.kernel, device_->kernel(module, each.kernel)};
    Reply reply;
    if (!fits(kernel, each.shape, reply) && settings_.properties)
      refuse_shape(kernel, each.shape, reply.code);
    host::Args args;
    for (const isa::Param& param : kernel.code->params) {
      const auto piece = std::span(each.parameters).subspan(param.offset, param.bytes);
      args.add_bytes({piece.begin(), piece.end()});
    }
    last_ns_ = 0;
    ++launches_;
    if (settings_.on_launch) settings_.on_launch(*kernel.code);
    device_->launch(module, each.kernel, each.shape, args);
    nested_ns_ += last_ns_ + settings_.launch_ns;
    launch_nested(module, depth + 1);
  }
}

}  // namespace heddle::runtime
