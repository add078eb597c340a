export type { ContractOptions, ContractSubject, TestFunctions } from './contract.ts'
export { describeExecutor } from './describe-executor.ts'
export { processesLeft } from './processes.ts'
export { type Requirement, requirement } from './requirement.ts'
