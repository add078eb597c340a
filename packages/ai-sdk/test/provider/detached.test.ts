// @module-tag all

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { HarnessAgent } from '@ai-sdk/harness/agent'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scriptedHarness } from '../harness/scripted-harness.ts'
import { detachedProvider } from './detached-provider.ts'
import { docker } from './providers.ts'

describe.skipIf(docker.missing)('a session in a container that outlives its host', () => {
  // It starts an agent, and Node without what an earlier one has compiled.
  const timeout = 120_000

  it('is resumed after its host was killed, with its agent and its files', { timeout }, async () => {
    const { directory, sessionId } = await newSession()
    const provider = detachedProvider(directory)
    const state = await stateOfKilledHost({ directory, sessionId, prompt: 'one two three' })
    const agent = new HarnessAgent({ harness: scriptedHarness, sandbox: provider })
    const session = await agent.createSession({ sessionId, resumeFrom: JSON.parse(state) })
    const notes = join(directory, `scripted-${sessionId}`, 'notes.txt')
    expect(await readFile(notes, 'utf8')).toBe('one two three')
    const { steps } = await agent.generate({ session, prompt: 'four five' })
    expect(steps.map(({ text }) => text).join('')).toBe('Prompt 2. It has 2 words.')
    expect(await readFile(notes, 'utf8')).toBe('four five')
    await session.destroy()
    await expect(provider.resumeSession({ sessionId })).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
  })

  it('is the same for two that resume it in one process, and can be made again after its end', async () => {
    const { directory, sessionId } = await newSession()
    const provider = detachedProvider(directory)
    const made = await provider.createSession({ sessionId })
    await made.writeTextFile({ path: '/tmp/kept', content: 'kept' })
    const other = detachedProvider(directory)
    const [one, two] = await Promise.all([1, 2].map(() => other.resumeSession({ sessionId })))
    expect(one).toBe(two)
    expect(await one?.readTextFile({ path: '/tmp/kept' })).toBe('kept')
    await made.destroy()
    await one?.destroy()
    const again = await provider.createSession({ sessionId })
    expect(await again.readTextFile({ path: '/tmp/kept' })).toBeNull()
    await again.destroy()
  })
})

async function newSession(): Promise<{ directory: string; sessionId: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-session-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return { directory, sessionId: randomUUID() }
}

async function stateOfKilledHost(given: object): Promise<string> {
  const program = join(import.meta.dirname, '../programs/harness-host.ts')
  const args = ['--conditions=@fenced/source', program, JSON.stringify(given)]
  const killed = await promisify(execFile)(process.execPath, args).catch((error) => error)
  expect(killed.signal, killed.stderr).toBe('SIGKILL')
  return killed.stdout
}
