#include "cli/machine_code.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>

#include "base/error.h"
#include "frontend/sass/fat_binary.h"
#include "frontend/sass/lower/lower.h"
#include "frontend/sass/module_image.h"
#include "gpu/platform_files.h"
#include "host/module_bytes.h"

namespace heddle::cli {
namespace {

/// What machine code needs of the model, for users to change: the convergence barriers of the hardware as it runs them,
/// with as many of Hanoi's own as a warp may wait for masks of WARPSYNC at a time; its size.
constexpr const char* kMachineCodeSettings[] = {
    "core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.barrier_registers=32",
    "core.control_flow.hanoi.private_registers=16", "core.l1i.instruction_bytes=16"};
/// As an H100 runs them.
constexpr const char* kHopperSetting = "core.control_flow.hanoi.profile=barriers";
/// Nothing was recorded of Turing, whose code clears registers at which lanes wait (models/simt/hanoi/MACHINE_CODE.md).
constexpr const char* kTuringSetting = "core.control_flow.hanoi.yield_releases=1";

/// On a platform of such sub-cores, which have no scoreboard of registers: [MGC].
constexpr const char* kCodesSetting = "core.scoreboard.kind=control_codes";

/// Of a file, or of the files of a folder; one that cannot be read is left to who loads it.
bool is_for_turing(const std::string& place) {
  std::error_code ignored;
  if (std::filesystem::is_directory(place, ignored)) {
    for (const auto& entry : std::filesystem::directory_iterator(place, ignored))
      if (entry.path().extension() == ".cubin") return is_for_turing(entry.path().string());
    return false;
  }
  if (!std::filesystem::is_regular_file(place, ignored)) return false;
  const std::string bytes = host::read_module_file(place);
  return sass::cubin_of(std::as_bytes(std::span(bytes)), place).arch() == sass::Arch::kSm75;
}

constexpr unsigned kHopper = 90, kTuring = 75;

/// Of what -rdc links: the whole is in the file, too.
bool is_part(std::span<const std::byte> cubin) {
  constexpr std::size_t kType = 16;  // e_type of an ELF file
  constexpr std::byte kRelocatable{1};
  return cubin.size() > kType && cubin[kType] == kRelocatable;
}

/// Why a kernel of a cubin is not executed; empty: all are.
std::string first_refused(std::span<const std::byte> cubin, const std::string& name) {
  std::uint64_t end = std::uint64_t{1} << 16;  // nothing is there: it is only looked at
  const isa::Module module = sass::lower(sass::place(
      sass::cubin_of(cubin, name), [&end](const std::string&, std::uint64_t bytes, std::uint32_t align) {
        const std::uint64_t at = (end + align - 1) / align * align;
        end = at + bytes;
        return at;
      }));
  if (module.refused.empty()) return {};
  try {
    (void)module.find_or_refuse(module.refused.front().name);
  } catch (const base::InputError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "kernel " + module.refused.front().name + " is not executed";
}

}  // namespace

bool has_machine_code(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return true;
  const std::string bytes = host::read_module_file(file);
  return sass::is_machine_code(std::as_bytes(std::span(bytes)));
}

std::optional<bool> code_alone_is_for_turing(const std::string& program, unsigned compute_capability) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(program, ignored)) return std::nullopt;
  try {
    const std::string bytes = host::read_module_file(program);
    bool turing = false, hopper = false;
    for (const sass::Image& image : sass::images_of(std::as_bytes(std::span(bytes)), program, false)) {
      if (image.kind == sass::Image::Kind::kPtx) return std::nullopt;
      turing = turing || image.sm == 75;
      hopper = hopper || image.sm == 90;
    }
    if (turing || hopper) return turing && (!hopper || compute_capability < 90);
  } catch (const base::InputError&) {  // a script, or a program whose kernels are in libraries
  }
  return std::nullopt;
}

std::string why_ptx_is_best(const std::string& program, unsigned compute_capability) {
  const unsigned own = compute_capability >= kHopper ? kHopper : kTuring;
  std::error_code ignored;
  if (compute_capability < own) return "the machine executes none";
  if (!std::filesystem::is_regular_file(program, ignored)) return "the program's file is not known";
  try {
    const std::string bytes = host::read_module_file(program);
    bool some = false;
    for (const sass::Image& image : sass::images_of(std::as_bytes(std::span(bytes)), program)) {
      if (image.kind != sass::Image::Kind::kCubin || image.sm != own || is_part(image.bytes)) continue;
      some = true;
      if (std::string refused = first_refused(image.bytes, program); !refused.empty()) return refused;
    }
    if (!some) return fmt::format("there is none for sm_{} in {}", own, program);
  } catch (const base::InputError& error) {  // kernels in libraries
    return error.message();
  }
  return {};
}

std::vector<std::string> machine_code_settings(const std::string& place, const std::string& platform) {
  return machine_code_settings_for(is_for_turing(place), platform);
}

std::vector<std::string> machine_code_settings_for(bool turing, const std::string& platform) {
  std::vector<std::string> settings(std::begin(kMachineCodeSettings), std::end(kMachineCodeSettings));
  settings.emplace_back(turing ? kTuringSetting : kHopperSetting);
  if (!turing && gpu::load_platform(platform, {}).core.fetch.per_sub_core())
    settings.emplace_back(kCodesSetting);
  return settings;
}

}  // namespace heddle::cli
