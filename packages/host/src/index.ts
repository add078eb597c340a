export { declareWritable } from '@fenced/core/internal'
export { type CaptureOptions, captureOutput } from './capture-output.ts'
export { compileProgram } from './compile-program.ts'
export {
  childrenOf,
  endLeftoverProcesses,
  findProcesses,
  type ProcessRoot,
  watchDescendantsOf,
} from './descendant-processes.ts'
export { requireDescriptorsForChild } from './descriptors.ts'
export { lockDirectory } from './directory-lock.ts'
export { endAtExit } from './end-at-exit.ts'
export { endProgramsWithHost } from './end-programs-with-host.ts'
export { isExternallyManaged } from './externally-managed.ts'
export {
  choosePython,
  findPython,
  type Interpreter,
  locatePythons,
  type NoInterpreter,
} from './find-python.ts'
export { startProcess } from './host-process.ts'
export type { HostProcessOptions, StartedProcess } from './host-process-options.ts'
export { takePipe } from './output-pipes.ts'
export { stateOf } from './process-state.ts'
export { type Environment, programEnvironment, withPathFirst } from './program-environment.ts'
export { ResidentProcess } from './resident-process.ts'
export { type ProcessIo, type ProcessOptions, runProcess } from './run-process.ts'
export { requireTrustedPackages } from './trusted-packages.ts'
export {
  findProgram,
  programOnPath,
  programsOnPath,
  requireTrusted,
  withTrustedPath,
} from './trusted-programs.ts'
