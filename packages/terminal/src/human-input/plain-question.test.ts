import type { HumanInputRequest } from '@fenced/agents'
import { humanInputRequest } from '@fenced/agents/testing'
import { describe, expect, it } from 'vitest'
import { plainQuestion } from './terminal-human-input.ts'

const runs = { action: 'run-code', programs: 1, isolation: 'none', network: 'none', ends: false } as const

describe('a plain question', () => {
  const request = (more: Partial<HumanInputRequest>) =>
    humanInputRequest({
      kind: 'reply',
      agent: 'user',
      partner: 'assistant',
      prompt: 'Replying as user.',
      ...more,
    })

  it.each<[NonNullable<HumanInputRequest['onEmpty']>, string]>([
    [{ ...runs, network: 'open' }, 'Enter runs it on this machine, not isolated.'],
    [
      { ...runs, isolation: 'container', programs: 3 },
      'Enter runs the 3 programs in a container, without network.',
    ],
    [
      { ...runs, isolation: 'bubblewrap', network: 'open', ends: true },
      'Enter runs it in bubblewrap, with the network, and ends the conversation.',
    ],
    [{ action: 'call-tools' }, 'Enter calls the tools.'],
    [{ action: 'reply' }, 'Enter continues.'],
    [{ action: 'end' }, 'Enter ends the conversation.'],
  ])('of %o', (onEmpty, sentence) => {
    expect(plainQuestion(request({ onEmpty }), 80)).toBe(`${sentence}\nA text answers assistant, exit ends: `)
  })

  it('fits a narrow terminal', () => {
    expect(plainQuestion(request({ onEmpty: { ...runs, network: 'open' } }), 40)).toBe(
      'Enter runs it on this machine, not\nisolated.\nA text answers assistant, exit ends: ',
    )
  })

  it('is the one that was asked where it is not known what Enter does', () => {
    expect(plainQuestion(request({ prompt: 'Why?\nWell? ' }), 80)).toBe('Why?\nWell? ')
  })
})
