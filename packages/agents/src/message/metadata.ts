import type { UsageSummary } from '../usage.ts'
import type { Message, MessageMetadata } from './message.ts'

interface AnswerFacts {
  readonly usage?: UsageSummary | undefined
  readonly isCut?: boolean | undefined
  readonly stop?: boolean | undefined
}

/** The metadata of an answer; none where nothing is to be said. */
export function metadataOf({ usage, ...facts }: AnswerFacts): Pick<Message, 'metadata'> {
  const isUsed = usage !== undefined && Object.keys(usage.byModel).length > 0
  const said = Object.fromEntries(Object.entries(facts).filter(([, value]) => value === true))
  const metadata: MessageMetadata = { ...(isUsed ? { usage } : {}), ...said }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}
