// When a team ends.

export { endsWithTermination } from '../message/written-text.ts'
export {
  ExternalTermination,
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  MaxMessageTermination,
  SourceMatchTermination,
  StopMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from './conditions.ts'
export {
  AndTerminationCondition,
  OrTerminationCondition,
  Termination,
  type TerminationCheck,
  type TerminationCondition,
  type WatchedRun,
} from './termination.ts'
