// When a team ends.

export { endsWithTermination } from '../message/termination.ts'
export { ExternalTermination } from './external-termination.ts'
export {
  FunctionCallTermination,
  type FunctionCallTerminationOptions,
  functionCallTerminationOptionsSchema,
} from './function-call-termination.ts'
export {
  FunctionalTermination,
  type FunctionalTerminationOptions,
  functionalTerminationOptionsSchema,
  type IsMet,
} from './functional-termination.ts'
export {
  HandoffTermination,
  type HandoffTerminationOptions,
  handoffTerminationOptionsSchema,
} from './handoff-termination.ts'
export {
  MaxMessageTermination,
  type MaxMessageTerminationOptions,
  maxMessageTerminationOptionsSchema,
} from './max-message-termination.ts'
export {
  SourceMatchTermination,
  type SourceMatchTerminationOptions,
  sourceMatchTerminationOptionsSchema,
} from './source-match-termination.ts'
export { StopMessageTermination } from './stop-message-termination.ts'
export {
  AndTerminationCondition,
  type CombinedTerminationOptions,
  combinedTerminationOptionsSchema,
  OrTerminationCondition,
  Termination,
} from './termination.ts'
export type { TerminationCheck, TerminationCondition, WatchedRun } from './termination-condition.ts'
export {
  TextMentionTermination,
  type TextMentionTerminationOptions,
  textMentionTerminationOptionsSchema,
} from './text-mention-termination.ts'
export {
  TextMessageTermination,
  type TextMessageTerminationOptions,
  textMessageTerminationOptionsSchema,
} from './text-message-termination.ts'
export {
  TimeoutTermination,
  type TimeoutTerminationOptions,
  timeoutTerminationOptionsSchema,
} from './timeout-termination.ts'
export {
  TokenUsageTermination,
  type TokenUsageTerminationOptions,
  tokenUsageTerminationOptionsSchema,
} from './token-usage-termination.ts'
