// @module-tag all

import { text } from 'node:stream/consumers'
import { HarnessAgent } from '@ai-sdk/harness/agent'
import type { Sandbox } from '@fenced/core/sandbox'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { sandboxProvider } from '../../src/index.ts'
import { makeProviders } from '../provider/providers.ts'
import { scriptedHarness } from './scripted-harness.ts'

describe.each(await makeProviders())(
  'a session of a scripted agent $name',
  rowTags({ nightly: ['in bubblewrap'] }),
  ({ missing, port, create, clean }) => {
    afterAll(() => clean?.())

    it.skipIf(missing)('has prompts, files and commands, is left and found again, and ends', async () => {
      const sandboxes: Sandbox[] = []
      const keep = (sandbox: Sandbox) => sandboxes[sandboxes.push(sandbox) - 1] as Sandbox
      const provider = sandboxProvider({ create: () => keep(create()), ports: [port] })
      const agent = new HarnessAgent({ harness: scriptedHarness, sandbox: provider })

      const session = await agent.createSession({ sessionId: 'notes' })
      const [sandbox] = sandboxes
      onTestFinished(() => sandbox?.stop())
      const notes = `${sandbox?.directory}/scripted-notes/notes.txt`
      const first = await agent.generate({ session, prompt: 'one two three' })
      expect(toolsOf(first)).toEqual([
        { name: 'write', given: { file_path: 'notes.txt', content: 'one two three' } },
        { name: 'write', result: '13 characters' },
        { name: 'bash', given: { command: 'wc -w notes.txt' } },
        { name: 'bash', result: '3 notes.txt' },
      ])
      expect(textOf(first)).toBe('Prompt 1. It has 3 words.')
      expect(first.finishReason).toBe('stop')
      expect(await contentOf(sandbox, notes)).toBe('one two three')

      const state = await session.detach()
      const again = await agent.createSession({ sessionId: 'notes', resumeFrom: state })
      const second = await agent.generate({ session: again, prompt: 'four five' })
      expect(textOf(second)).toBe('Prompt 2. It has 2 words.')
      expect(await contentOf(sandbox, notes)).toBe('four five')
      expect(sandboxes).toHaveLength(1)

      await again.destroy()
      expect(sandbox?.id).toBeUndefined()
      await expect(sandbox?.spawn(['true'])).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
    })
  },
)

type Answer = Awaited<ReturnType<HarnessAgent<typeof scriptedHarness>['generate']>>

function textOf({ steps }: Pick<Answer, 'steps'>): string {
  return steps.map((step) => step.text).join('')
}

function toolsOf({ steps }: Pick<Answer, 'steps'>) {
  return steps.flatMap(({ toolCalls, toolResults }) => [
    ...toolCalls.map(({ toolName, input }) => ({ name: toolName, given: input })),
    ...toolResults.map(({ toolName, output }) => ({ name: toolName, result: output })),
  ])
}

async function contentOf(sandbox: Sandbox | undefined, path: string): Promise<string | undefined> {
  const content = await sandbox?.files.read(path)
  return content === undefined ? undefined : text(content)
}
