#include "native/instruction_decoder.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace heddle::native {
namespace {

/// By the processor's number: all names of a register.
constexpr std::array<std::array<x86_reg, 5>, 16> kGeneral = {{
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_R15B},
}};

int general_number(unsigned reg) {
  for (std::size_t i = 0; i < kGeneral.size(); ++i)
    if (std::find(kGeneral[i].begin(), kGeneral[i].end(), reg) != kGeneral[i].end())
      return static_cast<int>(i);
  return -1;
}

int vector_number(unsigned reg) {
  if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15) return static_cast<int>(reg - X86_REG_XMM0);
  if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15) return static_cast<int>(reg - X86_REG_YMM0);
  return -1;
}

void add(std::vector<std::uint8_t>& list, int number) {
  const auto value = static_cast<std::uint8_t>(number);
  if (number >= 0 && std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

struct InstructionDecoder::Engine {
  csh handle = 0;
  cs_insn* instruction = nullptr;
};

InstructionDecoder::InstructionDecoder() : engine_(std::make_unique<Engine>()) {
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &engine_->handle) != CS_ERR_OK)
    throw std::runtime_error("Capstone cannot be opened");
  cs_option(engine_->handle, CS_OPT_DETAIL, CS_OPT_ON);
  engine_->instruction = cs_malloc(engine_->handle);
}

InstructionDecoder::~InstructionDecoder() {
  cs_free(engine_->instruction, 1);
  cs_close(&engine_->handle);
}

const X86Instruction* InstructionDecoder::decode(std::uint64_t pc, const std::uint8_t* bytes,
                                                 std::size_t size) {
  std::uint64_t address = pc;
  cs_insn* const insn = engine_->instruction;
  if (!cs_disasm_iter(engine_->handle, &bytes, &size, &address, insn)) return nullptr;
  X86Instruction result;
  result.size = static_cast<std::uint8_t>(insn->size);
  const cs_x86& detail = insn->detail->x86;
  const bool direct = detail.op_count == 1 && detail.operands[0].type == X86_OP_IMM;
  if (cs_insn_group(engine_->handle, insn, CS_GRP_CALL)) {
    result.control =
        TraceRecord::kCall | TraceRecord::kProcedureCall | (direct ? TraceRecord::kDirectCall : 0);
  } else if (cs_insn_group(engine_->handle, insn, CS_GRP_RET)) {
    result.control = TraceRecord::kReturn;
  } else if (cs_insn_group(engine_->handle, insn, CS_GRP_JUMP)) {
    const bool always = insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;
    result.control = TraceRecord::kBranch | (direct ? TraceRecord::kDirectBranch : 0) |
                     (always ? 0 : TraceRecord::kFallThrough);
  }
  cs_regs read{}, written{};
  std::uint8_t reads = 0, writes = 0;
  if (cs_regs_access(engine_->handle, insn, read, &reads, written, &writes) == CS_ERR_OK)
    for (unsigned i = 0; i < reads; ++i) {
      add(result.general, general_number(read[i]));
      add(result.vector, vector_number(read[i]));
      result.flags = result.flags || read[i] == X86_REG_EFLAGS;
    }
  const bool no_access = insn->id == X86_INS_LEA || insn->id == X86_INS_NOP;
  for (unsigned i = 0; i < detail.op_count && !no_access; ++i) {
    const cs_x86_op& operand = detail.operands[i];
    if (operand.type != X86_OP_MEM) continue;
    X86Memory memory;
    memory.base = static_cast<std::int8_t>(general_number(operand.mem.base));
    memory.index = static_cast<std::int8_t>(general_number(operand.mem.index));
    memory.relative_to_next = operand.mem.base == X86_REG_RIP;
    memory.segment = operand.mem.segment == X86_REG_FS ? 'f' : operand.mem.segment == X86_REG_GS ? 'g' : 0;
    memory.scale = static_cast<std::uint8_t>(operand.mem.scale);
    memory.displacement = operand.mem.disp;
    // A read and a write of one operand are two accesses ([mmt-sync]).
    result.memory.push_back(memory);
    if ((operand.access & CS_AC_READ) != 0 && (operand.access & CS_AC_WRITE) != 0)
      result.memory.push_back(memory);
  }
  const auto stack = [&](std::int64_t displacement) {
    X86Memory memory;
    memory.base = kRsp;
    memory.displacement = displacement;
    result.memory.push_back(memory);
  };
  if (insn->id == X86_INS_PUSH || (result.control & TraceRecord::kCall) != 0) stack(-8);
  if (insn->id == X86_INS_POP || (result.control & TraceRecord::kReturn) != 0) stack(0);
  if (result.memory.size() > resync::kMaxAddresses) result.memory.resize(resync::kMaxAddresses);
  return &decoded_.emplace(pc, std::move(result)).first->second;
}

std::uint64_t general_register(const user_regs_struct& r, unsigned number) {
  const std::array<unsigned long long, 16> all = {r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi,
                                                  r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
  return all[number];
}

}  // namespace heddle::native
