// @module-tag all

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { HarnessAgent } from '@ai-sdk/harness/agent'
import type { Sandbox } from '@fenced/core/sandbox'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxSession, sandboxProvider } from '../../src/index.ts'
import { scriptedHarness } from '../harness/scripted-harness.ts'
import { isolatedSession, makeProviders, removeOldPreparedImages } from './providers.ts'

const cache = process.env.XDG_CACHE_HOME
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-cache-'))
  process.env.XDG_CACHE_HOME = folder
})
afterAll(async () => {
  if (cache === undefined) delete process.env.XDG_CACHE_HOME
  else process.env.XDG_CACHE_HOME = cache
  await rm(folder, { recursive: true, force: true })
  removeOldPreparedImages()
})

const rows = rowTags({ nightly: ['in bubblewrap', 'that has no name', 'of a harness'] })

describe.each(await makeProviders())(
  'an identity $name',
  rows,
  ({ name, missing, port, clean, ...subject }) => {
    afterAll(() => clean?.())
    const create = () => (name === 'in bubblewrap' ? isolatedSession(folder) : subject.create())

    it.skipIf(missing)('is prepared once for sessions at the same time and later ones', async () => {
      const identity = randomUUID()
      let times = 0
      const onFirstCreate = async (session: SandboxSession) => {
        await session.writeTextFile({ path: 'tools/said', content: `${++times}` })
      }
      const provider = sandboxProvider({ create, ports: [port] })
      for (let round = 0; round < 2; round++) {
        const sessions = await Promise.all(
          [1, 2].map(() => provider.createSession({ identity, onFirstCreate })),
        )
        for (const session of sessions) {
          expect(await session.readTextFile({ path: 'tools/said' })).toBe('1')
          await session.destroy()
        }
      }
      expect(times).toBe(1)
    })

    it.skipIf(missing)('that has no name is prepared for each session by itself', async () => {
      let times = 0
      const provider = sandboxProvider({ create, ports: [port] })
      for (let round = 0; round < 2; round++) {
        const session = await provider.createSession({ onFirstCreate: async () => void times++ })
        await session.destroy()
      }
      expect(times).toBe(2)
    })

    it.skipIf(missing)('that cannot be prepared rejects with the reason, and is tried again', async () => {
      const identity = randomUUID()
      const provider = sandboxProvider({ create, ports: [port] })
      const onFirstCreate = async () => Promise.reject(new Error('not today'))
      const first = provider.createSession({ sessionId: identity, identity, onFirstCreate })
      await expect(first).rejects.toThrow('not today')
      let times = 0
      const again = { sessionId: identity, identity, onFirstCreate: async () => void times++ }
      await (await provider.createSession(again)).destroy()
      expect(times).toBe(1)
    })

    it.skipIf(missing)('of a harness has its recipe carried out once', async () => {
      const sandboxes: Sandbox[] = []
      const keep = () => sandboxes[sandboxes.push(create()) - 1] as Sandbox
      const provider = sandboxProvider({ create: keep, ports: [port] })
      const agent = new HarnessAgent({ harness: dated(scriptedHarness), sandbox: provider })
      const dates = new Set<string>()
      for (const sandbox of [0, 1]) {
        const session = await agent.createSession({ sessionId: randomUUID() })
        const { steps } = await agent.generate({ session, prompt: 'one two three' })
        expect(steps.map(({ text }) => text).join('')).toBe('Prompt 1. It has 3 words.')
        const date = await sandboxes[sandbox]?.files.read('.harness-bootstrap/scripted/date')
        if (date !== undefined) dates.add(await text(date))
        await session.destroy()
      }
      expect([...dates]).toEqual([expect.stringMatching(/^\d+\n$/)])
    })
  },
)

/** The same harness, whose recipe leaves when it was carried out. */
function dated(harness: typeof scriptedHarness): typeof scriptedHarness {
  return {
    ...harness,
    getBootstrap: async (options) => {
      const recipe = await harness.getBootstrap?.(options)
      if (recipe === undefined) throw new Error('It has no recipe.')
      return { ...recipe, commands: [...recipe.commands, { command: 'date +%s%N > date' }] }
    },
  }
}
