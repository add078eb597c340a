import { expect, it } from 'vitest'
import { groupsOf, newQuestions } from '../page/src/conversation-groups.ts'
import { dateGroup, shortTime } from '../page/src/dates.ts'
import type { ConversationSummary } from '../src/event.ts'

const now = new Date(2026, 10, 30, 14, 5).getTime()
const hours = 60 * 60 * 1_000

function summary(id: string, given: Partial<ConversationSummary> = {}): ConversationSummary {
  return {
    ...{ id, title: id, executor: 'local', model: '', packages: [], createdAt: now, updatedAt: now },
    ...{ isWorking: false, questions: 0, ...given },
  }
}

it('conversations that wait for the person come first, the others by their day', () => {
  const list = [
    summary('new'),
    summary('yesterday', { updatedAt: now - 20 * hours }),
    summary('asks', { updatedAt: now - 50 * hours, questions: 2 }),
    summary('week', { updatedAt: now - 5 * 24 * hours }),
    summary('old', { updatedAt: now - 40 * 24 * hours }),
  ]
  const groups = groupsOf(list, { text: '', found: undefined, now })
  expect(groups.map(([heading, rows]) => [heading, rows.map(({ id }) => id)])).toEqual([
    ['Waiting for you', ['asks']],
    ['Today', ['new']],
    ['Yesterday', ['yesterday']],
    ['Previous 7 days', ['week']],
    ['October 2026', ['old']],
  ])
})

it('a search shows titles of any case, and what the server found in texts', () => {
  const list = [summary('Sine'), summary('Words'), summary('Other')]
  const of = (text: string, ids: string[]) =>
    groupsOf(list, { text, found: ids.map((id) => ({ id, excerpt: '' })), now }).map(([heading, rows]) => [
      heading,
      rows.map(({ id }) => id),
    ])
  expect(of(' sIN', ['Words'])).toEqual([['Found', ['Sine', 'Words']]])
  expect(of('nowhere', [])).toEqual([['Nothing found', []]])
})

it('a day begins at midnight, and a time has the day where it is not today', () => {
  const midnight = new Date(2026, 10, 30).getTime()
  expect([dateGroup(midnight, now), dateGroup(midnight - 1, now)]).toEqual(['Today', 'Yesterday'])
  expect(shortTime(midnight, now)).toBe('00:00')
  expect(shortTime(midnight - 1, now)).toBe('Nov 29, 23:59')
  expect(shortTime(new Date(2024, 1, 2).getTime(), now)).toBe('Feb 2, 2024')
})

it('a notification is for conversations with more questions than before', () => {
  const before = [summary('a', { questions: 1 }), summary('b', { questions: 1 })]
  const next = [summary('a', { questions: 2 }), summary('b'), summary('c', { questions: 1 }), summary('d')]
  expect(newQuestions(before, next).map(({ id }) => id)).toEqual(['a', 'c'])
})
