// When a team ends.

export { endsWithTermination } from '../message/termination.ts'
export {
  ExternalTermination,
  MaxMessageTermination,
  type MaxMessageTerminationOptions,
  maxMessageTerminationOptionsSchema,
  TimeoutTermination,
  type TimeoutTerminationOptions,
  TokenUsageTermination,
  type TokenUsageTerminationOptions,
  timeoutTerminationOptionsSchema,
  tokenUsageTerminationOptionsSchema,
} from './limit-conditions.ts'
export {
  FunctionalTermination,
  type FunctionalTerminationOptions,
  FunctionCallTermination,
  type FunctionCallTerminationOptions,
  functionalTerminationOptionsSchema,
  functionCallTerminationOptionsSchema,
  HandoffTermination,
  type HandoffTerminationOptions,
  handoffTerminationOptionsSchema,
  type IsMet,
  SourceMatchTermination,
  type SourceMatchTerminationOptions,
  StopMessageTermination,
  sourceMatchTerminationOptionsSchema,
  TextMentionTermination,
  type TextMentionTerminationOptions,
  TextMessageTermination,
  type TextMessageTerminationOptions,
  textMentionTerminationOptionsSchema,
  textMessageTerminationOptionsSchema,
} from './message-conditions.ts'
export {
  AndTerminationCondition,
  type CombinedTerminationOptions,
  combinedTerminationOptionsSchema,
  OrTerminationCondition,
  Termination,
  type TerminationCheck,
  type TerminationCondition,
  type WatchedRun,
} from './termination.ts'
