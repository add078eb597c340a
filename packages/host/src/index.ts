export {
  declareWritable,
  isOwnerGone,
  type ProcessOwner,
  raceAbort,
  raceTimeout,
  SharedStart,
  type SharedStartOptions,
  TextTail,
  thisOwner,
  trustedPath,
  untilKnown,
} from '@fenced/core/internal'
export { type CapturedOutput, type CaptureOptions, captureOutput } from './capture-output.ts'
export {
  childrenOf,
  DescendantProcesses,
  endLeftoverProcesses,
  type ProcessMark,
  watchDescendantsOf,
} from './descendant-processes.ts'
export {
  isNoResources,
  noResources,
  requireDescriptorsForChild,
  withoutInherited,
} from './descriptors.ts'
export { lockDirectory } from './directory-lock.ts'
export { endAtExit, type ProgramToEnd } from './end-at-exit.ts'
export { endProgramsWithHost } from './end-programs-with-host.ts'
export { isExternallyManaged } from './externally-managed.ts'
export {
  choosePython,
  findPython,
  type Interpreter,
  locatePythons,
  type NoInterpreter,
  type PythonSearch,
} from './find-python.ts'
export { startProcess } from './host-process.ts'
export type { HostProcessOptions, StartedProcess } from './host-process-options.ts'
export { interpreterEnvironment } from './interpreter-environment.ts'
export { readIntoOneBuffer } from './one-buffer.ts'
export { type Pipe, takePipe } from './output-pipes.ts'
export { type Environment, programEnvironment, withPathFirst } from './program-environment.ts'
export { normalizePackages, type RequirementsFile, readRequirements } from './requirements.ts'
export { ResidentProcess, type ResidentProgram } from './resident-process.ts'
export { type ProcessIo, type ProcessOptions, type ProcessOutcome, runProcess } from './run-process.ts'
export type { ProcessExit } from './start-child.ts'
export { requireTrustedPackages } from './trusted-packages.ts'
export {
  findProgram,
  type ProgramSearch,
  requireTrusted,
  withTrustedPath,
} from './trusted-programs.ts'
