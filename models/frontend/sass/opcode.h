// The operations of machine code. An operation may have several forms (form.h): other operands, other architectures.
#pragma once

#include <cstdint>

namespace heddle::sass {

// clang-format off
enum class Opcode : std::uint8_t {
  // integer
  kIadd3, kImad, kImadWide, kImadHi, kIsetp, kImnmx, kLea, kLeaHi, kLop3, kLop3Signs, kShf, kPrmt, kSgxt, kBmsk, kIabs, kVabsdiff, kVabsdiff4,
  kIdp, kViadd, kVimnmx, kVimnmx3, kViaddmnmx, kFlo, kPopc, kBrev,
  // floating point
  kFadd, kFmul, kFfma, kFmnmx, kFsel, kFset, kFsetp, kFchk, kMufu, kDadd, kDmul, kDfma, kDsetp,
  // half precision
  kHadd2, kHmul2, kHfma2, kHfma2Mma, kHmnmx2, kHset2, kHsetp2,
  // conversions
  kF2f, kF2fBf16, kF2i, kI2f, kFrnd, kI2fp, kF2fp, kF2fpPack, kF2fpUnpack, kF2fpTf32, kI2i, kI2ip, kF2ip,
  // moves and predicates
  kMov, kSel, kS2r, kCs2r, kP2r, kR2p, kPlop3, kB2r, kLepc,
  // uniform datapath
  kUiadd3, kUiadd3Wide, kUimad, kUimadWide, kUisetp, kUlea, kUleaHi, kUlop3, kUshf, kUprmt, kUsgxt, kUmov, kUsel, kUflo, kUpopc, kUbrev,
  kUplop3, kUldc, kS2ur, kR2ur,
  // warp
  kVote, kVoteu, kMatch, kShfl, kRedux,
  // memory
  kLd, kLdg, kLds, kLdl, kLdc, kSt, kStg, kSts, kStl, kAtom, kAtomCas, kAtomCast, kAtomg, kAtomgCas, kAtoms, kAtomsCas, kAtomsCast,
  kAtomsPopcInc, kRed, kQspc, kCctl, kMembar, kErrbar, kCgaerrbar, kDepbar,
  // matrices
  kHmma, kImma, kDmma, kMovm, kLdsm, kStsm,
  // copies in the background, barriers in shared memory, clusters
  kLdgsts, kLdgdepbar, kSyncsArrive, kSyncsExchange, kSyncsPhase, kSyncsCctl, kArrives, kElect, kFenceView, kAcqbulk, kPreexit, kUblkcp,
  // textures, surfaces
  kTex, kTld, kTld4, kTxd, kTxq, kSuld, kSust,
  // control
  kBra, kBrx, kBrxu, kCall, kRet, kExit, kBssy, kBsync, kBreak, kBmovRead, kBmovWrite, kRpcmovRead, kRpcmovWrite, kWarpsync,
  kEndcollective, kYield, kNanosleep, kBar, kBpt, kKill, kNop,
};
// clang-format on

}  // namespace heddle::sass
