import { expect, it } from 'vitest'
import { PromptWindow } from './prompt-window.ts'

function windowOf(limit: number, ...contents: string[]): readonly string[] {
  const window = new PromptWindow(limit)
  for (const content of contents) window.add({ role: 'user', content })
  return window.messages.map(({ content }) => content)
}

it('has no messages at first', () => {
  expect(windowOf(10)).toEqual([])
})

it('has all messages up to its limit', () => {
  expect(windowOf(12, 'task', 'next', 'last')).toEqual(['task', 'next', 'last'])
})

it('leaves out the oldest messages after the first, and gives their number', () => {
  const left = '[2 messages that followed are left out here, because the conversation is long.]'
  expect(windowOf(12, 'task', 'one.', 'two.', 'new.', 'last')).toEqual([`task\n\n${left}`, 'new.', 'last'])
})

it('has the newest message, even where the first one and it are longer than the limit', () => {
  // Each is cut to half of the limit, and a line about the cut comes on top.
  const [first, ...newest] = windowOf(10, 'the task', 'the newest')
  expect(first).toMatch(/^the\n.*\nsk$/)
  expect(newest).toEqual([expect.stringMatching(/^the\n.*\nst$/)])
})
