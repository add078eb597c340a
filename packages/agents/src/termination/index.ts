// When a team ends.

export { endsWithTermination } from '../message/termination.ts'
export {
  ExternalTermination,
  MaxMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from './limit-conditions.ts'
export {
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  SourceMatchTermination,
  StopMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
} from './message-conditions.ts'
export {
  AndTerminationCondition,
  OrTerminationCondition,
  Termination,
  type TerminationCheck,
  type TerminationCondition,
  type WatchedRun,
} from './termination.ts'
