export { type CommandLineBlockOptions, commandLineBlockShape, statefulCapabilities } from './block-options.ts'
export { CommandLineCodeExecutor, type CommandLineExecutorOptions } from './command-line-code-executor.ts'
export { CommandLineDriver } from './command-line-driver.ts'
export type { CommandLineDriverParts } from './command-line-driver-parts.ts'
export { ChildBackendProcess } from './exec/child-backend-process.ts'
export { ProcessFiles } from './files/process-files.ts'
export { programsOf } from './interpreters.ts'
export type { Lookup } from './network/network-gate.ts'
export type { Lease } from './pool/lease.ts'
export type { Poolable, PoolCreateOptions, SandboxPoolOptions } from './pool/pool-options.ts'
export { type AcquireOptions, SandboxPool } from './pool/sandbox-pool.ts'
export { type ConnectInsideOptions, connectInside } from './ports/connect-inside.ts'
export { type ForwardedPort, type ForwardPortOptions, forwardPort } from './ports/forward-port.ts'
export { type WarmOption, warmOptionSchema } from './resident-python/warm-option.ts'
export { type ProbeOptions, probe, type SandboxFacts } from './supervise/probe.ts'
export type {
  LaunchContext,
  LaunchedSandbox,
  SuperviseOptions,
} from './supervise/supervise-options.ts'
export { SupervisedSandbox } from './supervise/supervised-sandbox.ts'
