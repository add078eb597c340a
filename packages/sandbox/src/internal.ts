// No promises: only for the packages of Fenced. What is here changes and goes without notice, in any version.

export type { CopyReport } from './copy/copy-report.ts'
export { DirectoryCopy, type DirectoryCopyOptions } from './copy/directory-copy.ts'
export type { ExecTarget } from './supervise/backend.ts'
export { hasEnded } from './supervise/describe-loss.ts'
export { ExecSupply } from './supervise/exec-supply.ts'
export { keepAliveCommand, type LifeLimits } from './supervise/keep-alive.ts'
export { runCommand } from './supervise/run-command.ts'
export { controlledCommand } from './supervise/start-process.ts'
export { SupervisedProcess } from './supervise/supervised-process.ts'
