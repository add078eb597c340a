// Private: each build contains what its package uses of this. It has no state, because a process holds several copies.

export { anySignal, isAbortSignal } from './any-signal.ts'
export { bytesOfBase64 } from './base64.ts'
export { nodeHttp, nodeTls } from './builtin-modules.ts'
export { definedOptions } from './defined-options.ts'
export { firstBytes } from './first-bytes.ts'
export { hideSecrets, hideUsers } from './hide-secrets.ts'
export { type HandleRequest, listenOnLoopback, reportFailure } from './loopback-server.ts'
export { nonInteractiveEnvironment } from './non-interactive-environment.ts'
export { readIntoOneBuffer } from './one-buffer.ts'
export { waitingForReaders } from './pipe-readers.ts'
export { formatOwner, isOwnerGone, type ProcessOwner, parseOwner, thisOwner } from './process-owner.ts'
export { normalizePackages, type RequirementsFile, readRequirements } from './requirements.ts'
export { notResumable, sandboxNotStarted } from './sandbox-errors.ts'
export { TerminalOutput } from './terminal-output.ts'
export { folded, quotedCode, resetLooks, withMargin } from './terminal-text.ts'
export { TextTail, wholeCharacter } from './text-tail.ts'
export { TurnQueue } from './turn-queue.ts'
export {
  afterGrace,
  afterTime,
  onAbort,
  pendingReads,
  Quiet,
  raceAbort,
  raceGrace,
  raceTimeout,
  untilAborted,
  untilKnown,
} from './waiting.ts'
export { inPieces, withProgress } from './with-progress.ts'
