import type { Notice } from '@fenced/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ThrottledNotices } from './throttled-notices.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('says all that matters, and mentions the rest once a second', () => {
  const told: string[] = []
  const notice = ({ code, data }: Notice) => told.push(`${code} ${data?.step}`)
  const notices = new ThrottledNotices({ signal: new AbortController().signal, notice }, 'pull')
  notices.say('The first.', { step: 'begin' })
  for (let part = 1; part <= 30; part++) {
    vi.advanceTimersByTime(100)
    notices.mention(
      () => 'Another.',
      () => ({ step: `${part} of 30` }),
    )
  }
  notices.say('The last.', { step: 'end' })
  notices.say('The very last.', { step: 'really' })
  expect(told).toEqual([
    'pull begin',
    'pull 10 of 30',
    'pull 20 of 30',
    'pull 30 of 30',
    'pull end',
    'pull really',
  ])
})
