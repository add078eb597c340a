import type { ConversationSummary } from '../../src/event.ts'
import type { FoundConversation } from '../../src/search.ts'
import { dateGroup } from './dates.ts'

interface Filter {
  readonly text: string
  /** What the server found; absent while it searches. */
  readonly found: readonly FoundConversation[] | undefined
  readonly now: number
}

/** The conversations under their headings. Those that wait for the person come first. */
export function groupsOf(
  list: readonly ConversationSummary[],
  { text, found, now }: Filter,
): (readonly [heading: string, rows: readonly ConversationSummary[]])[] {
  const wanted = text.trim().toLowerCase()
  const ids = new Set(found?.map(({ id }) => id))
  const shown = list.filter(({ id, title }) => title.toLowerCase().includes(wanted) || ids.has(id))
  if (wanted !== '') return [[shown.length === 0 ? 'Nothing found' : 'Found', shown]]
  const groups = Map.groupBy(shown, ({ questions, updatedAt }) =>
    questions > 0 ? waiting : dateGroup(updatedAt, now),
  )
  return [...groups].sort(([a], [b]) => Number(b === waiting) - Number(a === waiting))
}

const waiting = 'Waiting for you'

/** The conversations that have more questions than before. */
export function newQuestions(
  before: readonly ConversationSummary[],
  now: readonly ConversationSummary[],
): ConversationSummary[] {
  const counts = new Map(before.map(({ id, questions }) => [id, questions]))
  return now.filter(({ id, questions }) => questions > (counts.get(id) ?? 0))
}
