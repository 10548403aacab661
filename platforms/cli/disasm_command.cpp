// heddle disasm: machine code of sm_75 and sm_90 as text.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/text_input.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "frontend/sass/cubin.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/disassembly.h"
#include "frontend/sass/fat_binary.h"
#include "frontend/sass/print.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDisasmHelp =
    R"(FILE is a cubin, a fat binary, or a program or object that nvcc has made. Of its machine code that for sm_75 and
sm_90 is printed, as nvdisasm -c prints it. An instruction that cannot be decoded is printed as a comment with its
word; the command then ends with exit code 2.

--json has for each kernel what a launch must know, and its instructions: offset, word, text, opcode, guard, modifiers
that are not 0, operands in order, and control:
  stall        cycles until the warp's next instruction
  yield        false: another warp should be preferred
  write, read  the scoreboard that is set until results are written, sources are read; null: none
  wait         scoreboards that must be clear
An operand has role and kind, its text, and what its kind has: number (register, predicate), value (immediate, offset,
displacement from the next instruction), bank, uniform (register), and true among negate, absolute, reuse, wide,
descriptor.)";

struct DisasmRequest {
  std::string file;
  std::string kernel;
  bool hex = false;
  bool json = false;
};

Json json_of(const sass::Instruction& instruction, unsigned index, const sass::TargetName& target) {
  const sass::Operand& operand = instruction.operand[index];
  using Kind = sass::Operand::Kind;
  Json json = {{"role", sass::name_of(operand.role)}, {"kind", sass::name_of(operand.kind)}};
  json["text"] = sass::operand_text(instruction, index, target);
  if (!sass::is_shown(instruction, index)) json["shown"] = false;
  switch (operand.kind) {
    case Kind::kImmediate:
    case Kind::kSpecialRegister:
    case Kind::kScoreboards:
    case Kind::kTarget:
    case Kind::kAbsoluteTarget:
      json["value"] = operand.value;
      break;
    case Kind::kConstant:
    case Kind::kAddress:
      json["number"] = operand.number;
      json["value"] = operand.value;
      if (operand.kind == Kind::kConstant) json["bank"] = operand.bank;
      if (operand.uniform != sass::kNoRegister) json["uniform"] = operand.uniform;
      if (operand.scale != 0) json["factor"] = 2 << operand.scale;
      break;
    case Kind::kPredicates:
      break;
    default:
      json["number"] = operand.number;
  }
  if (operand.half != 0) json["half"] = operand.half;
  if (operand.negate) json["negate"] = true;
  if (operand.absolute) json["absolute"] = true;
  if (operand.reuse) json["reuse"] = true;
  if (operand.wide) json["wide"] = true;
  if (operand.descriptor) json["descriptor"] = true;
  return json;
}

Json json_of(const sass::Control& control) {
  const auto scoreboard = [](unsigned number) { return number == 7 ? Json(nullptr) : Json(number); };
  Json wait = Json::array();
  for (int i = 0; i < 6; ++i)
    if ((control.wait_mask >> i & 1) != 0) wait.push_back(i);
  return {{"stall", control.stall},
          {"yield", control.yield},
          {"write", scoreboard(control.write_barrier)},
          {"read", scoreboard(control.read_barrier)},
          {"wait", std::move(wait)}};
}

class Printer {
 public:
  explicit Printer(const DisasmRequest& request) : request_(request) {}

  void run() {
    const std::string bytes =
        base::read_file(request_.file, "file with machine code", base::kMostModuleBytes);
    for (const sass::Image& image : sass::images_of(std::as_bytes(std::span(bytes)), request_.file))
      if (image.kind == sass::Image::Kind::kCubin) add(sass::read_cubin(image.bytes, request_.file));
    if (cubins_.empty()) throw nothing_to_print();
    check_kernel();
    request_.json ? print_json() : print_text();
    if (!problems_.empty()) throw undecoded();
  }

 private:
  void add(sass::Cubin cubin) {
    if (cubin.arch())
      cubins_.push_back(std::move(cubin));
    else
      others_.insert(fmt::format("sm_{}", cubin.sm));
  }

  [[nodiscard]] base::InputError nothing_to_print() const {
    const std::string has = others_.empty()
                                ? "there is PTX only, no machine code"
                                : fmt::format("the machine code is for {}", fmt::join(others_, ", "));
    return {request_.file, has, "Compile for sm_75 or sm_90: nvcc -cubin -arch=sm_75."};
  }

  void check_kernel() const {
    if (request_.kernel.empty()) return;
    std::set<std::string> names;
    for (const sass::Cubin& cubin : cubins_)
      for (const sass::CodeSection& code : cubin.code) names.insert(code.name);
    if (!names.contains(request_.kernel))
      throw unknown_name("--kernel", "kernel", request_.kernel, {names.begin(), names.end()});
  }

  void print_text() {
    for (const sass::Cubin& cubin : cubins_) {
      if (!request_.kernel.empty() && cubin.find(request_.kernel) == nullptr) continue;
      const sass::Disassembly listing =
          sass::disassemble(cubin, {.hex = request_.hex, .kernel = request_.kernel});
      fmt::print("{}", listing.text);
      problems_.insert(problems_.end(), listing.problems.begin(), listing.problems.end());
    }
  }

  void print_json() {
    Json modules = Json::array();
    for (const sass::Cubin& cubin : cubins_) {
      const sass::Labels labels(cubin);
      Json kernels = Json::array();
      for (std::size_t i = 0; i < cubin.code.size(); ++i)
        if (request_.kernel.empty() || cubin.code[i].name == request_.kernel)
          kernels.push_back(json_of(cubin, labels, i));
      if (!kernels.empty()) modules.push_back({{"sm", cubin.sm}, {"kernels", std::move(kernels)}});
    }
    fmt::print("{}\n", json_text({{"file", request_.file}, {"modules", std::move(modules)}}, 1));
  }

  [[nodiscard]] Json json_of(const sass::Cubin& cubin, const sass::Labels& labels, std::size_t section) {
    const sass::CodeSection& code = cubin.code[section];
    Json parameters = Json::array();
    for (const sass::Parameter& each : code.parameters)
      parameters.push_back({{"offset", each.offset}, {"size", each.size}});
    Json instructions = Json::array();
    for (std::size_t i = 0; i < code.words.size(); ++i)
      instructions.push_back(json_of(cubin, labels, section, i));
    return {{"name", code.name},
            {"entry", code.is_entry},
            {"registers", code.registers},
            {"barriers", code.barriers},
            {"shared_bytes", code.shared_bytes},
            {"frame_bytes", code.frame_bytes},
            {"parameter_base", code.parameter_base},
            {"parameters", std::move(parameters)},
            {"instructions", std::move(instructions)}};
  }

  [[nodiscard]] Json json_of(const sass::Cubin& cubin, const sass::Labels& labels, std::size_t section,
                             std::size_t index) {
    const sass::CodeSection& code = cubin.code[section];
    const sass::Word word = code.words[index];
    const std::uint64_t offset = index * sass::kInstructionBytes;
    Json json = {{"offset", offset},
                 {"word", {fmt::format("{:016x}", word.low), fmt::format("{:016x}", word.high)}}};
    const sass::Decoded decoded = sass::decode(word, *cubin.arch());
    if (!decoded.instruction) {
      json["problem"] = decoded.problem;
      problems_.push_back({code.name, offset, word, decoded.problem});
      return json;
    }
    const sass::Instruction& instruction = *decoded.instruction;
    const sass::TargetName target = [&](const sass::Operand& operand) {
      return labels.target(section,
                           offset + sass::kInstructionBytes + static_cast<std::uint64_t>(operand.value));
    };
    json["text"] = sass::text_at(labels, code, section, offset, instruction);
    if (const auto line = cubin.lines.find(".text." + code.name, offset))
      json["source"] = fmt::format("{}:{}", line->file, line->line);
    json["opcode"] = sass::mnemonic(instruction);
    if (const std::string guard = sass::guard_text(instruction); !guard.empty()) json["guard"] = guard;
    Json modifiers = Json::object();
    for (unsigned i = 0; i < instruction.modifiers.size(); ++i) {
      const sass::Modifier id = instruction.form->modifiers[i].id;
      if (id != sass::Modifier::kNone && instruction.modifiers[i] != 0)
        modifiers[sass::name_of(id)] = instruction.modifiers[i];
    }
    json["modifiers"] = std::move(modifiers);
    Json operands = Json::array();
    for (unsigned i = 0; i < instruction.operand_count; ++i)
      operands.push_back(cli::json_of(instruction, i, target));
    json["operands"] = std::move(operands);
    json["control"] = cli::json_of(instruction.control);
    return json;
  }

  [[nodiscard]] base::InputError undecoded() const {
    const sass::Undecoded& first = problems_.front();
    const std::string more =
        problems_.size() == 1 ? "" : fmt::format("; {} more are marked in the listing", problems_.size() - 1);
    return {fmt::format("{}, kernel {}", request_.file, first.kernel),
            fmt::format("the instruction at {:#x} (word {:016x} {:016x}) cannot be decoded: {}{}",
                        first.offset, first.word.low, first.word.high, first.problem, more),
            "The other instructions are as printed."};
  }

  const DisasmRequest& request_;
  std::vector<sass::Cubin> cubins_;
  std::set<std::string> others_;  ///< architectures that are left out
  std::vector<sass::Undecoded> problems_;
};

}  // namespace

void add_disasm(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("disasm", "Print the machine code of a cubin, fat binary, program or object");
  command->footer(kDisasmHelp);
  const auto request = std::make_shared<DisasmRequest>();
  command->add_option("FILE", request->file, "What nvcc or ptxas has written")->required();
  command->add_option("--kernel", request->kernel, "Only this kernel or function");
  CLI::Option* const hex = command->add_flag("--hex", request->hex, "The words beside their text");
  command->add_flag("--json", request->json, "As JSON, with operands and control fields")->excludes(hex);
  command->callback([request, &body] {
    body = [request] {
      Printer(*request).run();
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
