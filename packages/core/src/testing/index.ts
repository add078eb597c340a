export type { ContractOptions, ContractSubject, TestFunctions } from './contract.ts'
export { type BackendSubject, type BackendUnderTest, describeBackend } from './describe-backend.ts'
export { describeExecutor } from './describe-executor.ts'
export { describeHostTools, type HostToolsSubject } from './describe-host-tools.ts'
export { describeNetwork, type NetworkSubject } from './describe-network.ts'
export { describeSandbox, type SandboxSubject } from './describe-sandbox.ts'
export { describeSecrets, type SecretsSubject } from './describe-secrets.ts'
export { outputOf } from './output-of.ts'
export { processesLeft } from './processes.ts'
export type { ContractPrograms, OutputPiece } from './programs.ts'
export { openDescriptors, quietCount } from './quiet-count.ts'
export { Random } from './random.ts'
export {
  longTests,
  type MissingRequirement,
  missingRequirements,
  type Requirement,
  requirement,
} from './requirement.ts'
export { uniqueSeconds } from './unique-seconds.ts'
