import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ScriptedHumanInput } from './scripted-human-input.ts'

const request = (prompt: string) => ({ id: '1', kind: 'reply', choices: [], agent: 'agent', prompt }) as const

describe('a scripted person', () => {
  const { signal } = new AbortController()

  it('answers in order and knows what was asked', async () => {
    const human = new ScriptedHumanInput(['yes', ''])
    expect(await human.ask(request('one'), { signal })).toBe('yes')
    expect(await human.ask(request('two'), { signal })).toBe('')
    expect(human.requests).toEqual([request('one'), request('two')])
  })

  it('answers by a function', async () => {
    const human = new ScriptedHumanInput(async ({ prompt }, index) => `${prompt} ${index}`)
    expect([await human.ask(request('a'), { signal }), await human.ask(request('b'), { signal })]).toEqual([
      'a 0',
      'b 1',
    ])
  })

  it.each([[[]], [() => undefined]])('says so when there is no answer left: %o', async (script) => {
    const human = new ScriptedHumanInput(script)
    await expect(human.ask(request('what?'), { signal })).rejects.toMatchObject({
      code: 'HUMAN_INPUT_SCRIPT_ENDED',
      data: { number: '1', agent: 'agent', prompt: 'what?' },
    })
    expect(human.requests).toHaveLength(1)
  })

  it('is not waited for any longer when the signal is aborted, and leaves nothing at it', async () => {
    const controller = new AbortController()
    const asked = new ScriptedHumanInput(() => new Promise<string>(() => {})).ask(request('?'), controller)
    controller.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    await expect(new ScriptedHumanInput(['x']).ask(request('?'), controller)).rejects.toThrow('enough')
    await new ScriptedHumanInput(() => 'x').ask(request('?'), { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
