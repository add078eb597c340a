// Helpers for the tests of several packages. Not published.

export { certificateFile } from './certificate-file.ts'
export { type AttackedServer, sendHostileRequests } from './hostile-requests.ts'
export { numberOfCases } from './number-of-cases.ts'
export { processesLeft } from './processes.ts'
export { openDescriptors, quietCount } from './quiet-count.ts'
export { Random } from './random.ts'
export {
  type MissingRequirement,
  missingRequirements,
  type Requirement,
  requirement,
} from './requirement.ts'
export { rowTags } from './row-tags.ts'
export { describeSessionEvents } from './session-events/session-events.ts'
export { runSessionHost, type SessionOutcomes, type SessionPlace } from './session-events/session-place.ts'
export { expectUndone, undoneDifferences } from './session-programs.ts'
export { SmallDisk, smallDisk } from './small-disk.ts'
export { allowedSockets, type SocketFamilies, socketFamiliesProgram } from './socket-families.ts'
export { temporaryEntries, temporaryParentName } from './temporary-entries.ts'
export { uniqueSeconds } from './unique-seconds.ts'
