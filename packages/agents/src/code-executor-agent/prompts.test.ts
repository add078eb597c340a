import { askingExecutor, type CodeBlock, type CodeResult } from '@fenced/core'
import { notRun } from '@fenced/core/internal'
import { describe, expect, it } from 'vitest'
import { microtasks } from '../microtasks.fixture.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { resultText } from '../running/result-text.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { CodeExecutorAgent } from './code-executor-agent.ts'

const python = (code: string): CodeBlock => ({ language: 'python', code })

async function textOf(
  blocks: readonly CodeBlock[],
  options: { readonly signal?: AbortSignal } = {},
  executor = new EchoExecutor(),
) {
  return resultText(await executor.execute(blocks, options), 1_000)
}

describe('what a model reads of a script', () => {
  it('that is refused as it stands', async () => {
    const result = await new EchoExecutor().execute([{ language: 'rust', code: 'fn main() {}' }])
    expect(result.blocks[0]?.notices).toMatchObject([
      { code: 'unknown-language', data: { language: 'rust' } },
    ])
    const text = resultText(result, 1_000)
    expect(text).toMatch(/^The script was not run: .*status: invalid\)\nIts output was:\n/)
    expect(text).toContain(result.output)
  })

  it('that is refused in the middle', async () => {
    const text = await textOf([python('first'), { ...python('half'), closed: false }])
    expect(text).toMatch(/^The script ran up to a block .*status: invalid\)\nIts output was:\nfirst\n/)
  })

  it('that prints nothing, beside a block that was skipped', async () => {
    const text = await textOf([{ language: 'rust', code: 'x' }, python('')])
    expect(text).toMatch(/^[^\n]+\nThe script ran but produced no output/)
  })

  it('that is cancelled before it is run', async () => {
    const text = await textOf([python('first')], { signal: AbortSignal.abort() })
    expect(text).toMatch(
      /^The script was cancelled before it was run \(POSIX exit code: 125, status: cancelled\)/,
    )
  })

  it('that is cancelled in the middle', async () => {
    const stop = new AbortController()
    const executor = new EchoExecutor()
    const text = textOf([python('hang')], { signal: stop.signal }, executor)
    await microtasks()
    expect(executor.ran).toEqual(['hang'])
    stop.abort()
    expect(await text).toMatch(/^The script was cancelled before its end \(/)
  })

  it('whose executor failed', () => {
    const died: CodeResult = notRun(new EchoExecutor(), 'died', 'The kernel is gone.\n')
    expect(resultText(died, 1_000)).toMatch(
      /not known \(.*status: died\)\nIts output was:\nThe kernel is gone/,
    )
  })
})

describe('a program that an approved executor denies', () => {
  const denied = askingExecutor(new EchoExecutor(), () => ({ decision: 'deny', reason: 'Not here.' }))

  it('is reported as not approved, and not reflected on', async () => {
    const model = new ScriptedModel([fence('python', 'print(1)'), 'never asked'])
    const agent = new CodeExecutorAgent({ name: 'coder', executor: denied, model })
    const { message } = await agent.onMessages([])
    expect(message.content).toBe('Code execution was not approved. Reason: Not here.')
    expect(model.prompts).toHaveLength(1)
  })

  it('is a program that was not run, where the model is asked for another one', async () => {
    const decision = JSON.stringify({ retry: false, reason: 'There is no other.' })
    const model = new ScriptedModel([fence('python', 'print(1)'), decision])
    const agent = new CodeExecutorAgent({ name: 'coder', executor: denied, model, maxRetriesOnError: 1 })
    const { message } = await agent.onMessages([])
    expect(message.content).toBe('Code execution was not approved. Reason: Not here.')
    expect(JSON.stringify(model.prompts[1])).toContain('The program was not run:')
    expect(JSON.stringify(model.prompts[1])).not.toContain('did not work')
  })
})
