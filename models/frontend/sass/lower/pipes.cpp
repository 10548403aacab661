#include "frontend/sass/lower/lowering.h"

namespace heddle::sass {
namespace {

using isa::CodePipe;

CodePipe pipe_of_product(const Instruction& in, isa::LatencyClass timing) {
  if (timing == isa::LatencyClass::kTensor16) return CodePipe::kTensor16;
  if (in.op == Opcode::kHmma)
    return in.value(Modifier::kDestination) != 0 ? CodePipe::kTensor8Float : CodePipe::kTensor8;
  constexpr unsigned kRowsOf16 = 4;  // shapes from here on
  return in.value(Modifier::kShape) >= kRowsOf16 ? CodePipe::kTensor8 : CodePipe::kTensor;
}

}  // namespace

CodePipe pipe_of(const Instruction& in, isa::LatencyClass timing) {
  switch (in.op) {
    case Opcode::kFadd:
    case Opcode::kFmul:
    case Opcode::kFfma:
    case Opcode::kImad:
    case Opcode::kIdp:
    case Opcode::kViadd:
      return CodePipe::kFma;
    case Opcode::kImadWide:
      return CodePipe::kFmaWide;
    case Opcode::kImadHi:
      return CodePipe::kFmaHigh;
    case Opcode::kHadd2:
    case Opcode::kHmul2:
    case Opcode::kHfma2:
    case Opcode::kHset2:
    case Opcode::kHsetp2:
      return CodePipe::kHalf;
    case Opcode::kHfma2Mma:
      return CodePipe::kHalfMma;
    case Opcode::kDadd:
    case Opcode::kDmul:
    case Opcode::kDfma:
      return CodePipe::kDouble;
    case Opcode::kDsetp:
      return CodePipe::kDoubleCompare;
    case Opcode::kHmma:
    case Opcode::kImma:
      return pipe_of_product(in, timing);
    case Opcode::kCs2r:
      return CodePipe::kClock;
    case Opcode::kVote:
      return CodePipe::kVote;
    case Opcode::kElect:
      return CodePipe::kElect;
    case Opcode::kUiadd3:
    case Opcode::kUiadd3Wide:
    case Opcode::kUimad:
    case Opcode::kUimadWide:
    case Opcode::kUisetp:
    case Opcode::kUlea:
    case Opcode::kUleaHi:
    case Opcode::kUlop3:
    case Opcode::kUshf:
    case Opcode::kUprmt:
    case Opcode::kUsgxt:
    case Opcode::kUsel:
    case Opcode::kUflo:
    case Opcode::kUpopc:
    case Opcode::kUbrev:
    case Opcode::kUplop3:
      return CodePipe::kUniform;
    case Opcode::kUldc:
    case Opcode::kUmov:
    case Opcode::kVoteu:
      return CodePipe::kUniformMove;
    case Opcode::kR2ur:
      return CodePipe::kToUniform;
    case Opcode::kLd:
    case Opcode::kLdg:
    case Opcode::kLds:
    case Opcode::kLdl:
    case Opcode::kSt:
    case Opcode::kStg:
    case Opcode::kSts:
    case Opcode::kStl:
    case Opcode::kAtom:
    case Opcode::kAtomCas:
    case Opcode::kAtomCast:
    case Opcode::kAtomg:
    case Opcode::kAtomgCas:
    case Opcode::kAtoms:
    case Opcode::kAtomsCas:
    case Opcode::kAtomsCast:
    case Opcode::kAtomsPopcInc:
    case Opcode::kRed:
    case Opcode::kLdsm:
    case Opcode::kStsm:
    case Opcode::kLdgsts:
    case Opcode::kShfl:
      return CodePipe::kMemory;
    case Opcode::kLdc:
    case Opcode::kQspc:
    case Opcode::kMufu:
    case Opcode::kFchk:
    case Opcode::kFlo:
    case Opcode::kPopc:
    case Opcode::kBrev:
    case Opcode::kF2f:
    case Opcode::kF2fBf16:
    case Opcode::kF2i:
    case Opcode::kI2f:
    case Opcode::kFrnd:
    case Opcode::kS2r:
    case Opcode::kB2r:
    case Opcode::kS2ur:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kDmma:
    case Opcode::kMovm:
    case Opcode::kTex:
    case Opcode::kTld:
    case Opcode::kTld4:
    case Opcode::kTxd:
    case Opcode::kTxq:
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kSyncsArrive:
    case Opcode::kSyncsExchange:
    case Opcode::kSyncsPhase:
    case Opcode::kSyncsCctl:
    case Opcode::kArrives:
      return CodePipe::kOther;
    case Opcode::kIadd3:
    case Opcode::kIsetp:
    case Opcode::kImnmx:
    case Opcode::kLea:
    case Opcode::kLeaHi:
    case Opcode::kLop3:
    case Opcode::kLop3Signs:
    case Opcode::kShf:
    case Opcode::kPrmt:
    case Opcode::kSgxt:
    case Opcode::kBmsk:
    case Opcode::kIabs:
    case Opcode::kVabsdiff:
    case Opcode::kVabsdiff4:
    case Opcode::kVimnmx:
    case Opcode::kVimnmx3:
    case Opcode::kViaddmnmx:
    case Opcode::kFmnmx:
    case Opcode::kFsel:
    case Opcode::kFset:
    case Opcode::kFsetp:
    case Opcode::kHmnmx2:
    case Opcode::kI2fp:
    case Opcode::kF2fp:
    case Opcode::kF2fpPack:
    case Opcode::kF2fpUnpack:
    case Opcode::kF2fpTf32:
    case Opcode::kI2i:
    case Opcode::kI2ip:
    case Opcode::kF2ip:
    case Opcode::kMov:
    case Opcode::kSel:
    case Opcode::kP2r:
    case Opcode::kR2p:
    case Opcode::kPlop3:
    case Opcode::kLepc:
    case Opcode::kRpcmovRead:
    case Opcode::kRpcmovWrite:
      return CodePipe::kAlu;
    case Opcode::kCctl:
    case Opcode::kMembar:
    case Opcode::kErrbar:
    case Opcode::kCgaerrbar:
    case Opcode::kDepbar:
    case Opcode::kLdgdepbar:
    case Opcode::kFenceView:
    case Opcode::kAcqbulk:
    case Opcode::kPreexit:
    case Opcode::kUblkcp:
    case Opcode::kBra:
    case Opcode::kBrx:
    case Opcode::kBrxu:
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kExit:
    case Opcode::kBssy:
    case Opcode::kBsync:
    case Opcode::kBreak:
    case Opcode::kBmovRead:
    case Opcode::kBmovWrite:
    case Opcode::kWarpsync:
    case Opcode::kEndcollective:
    case Opcode::kYield:
    case Opcode::kNanosleep:
    case Opcode::kBar:
    case Opcode::kBpt:
    case Opcode::kKill:
    case Opcode::kNop:
      break;
  }
  return CodePipe::kNone;
}

}  // namespace heddle::sass
