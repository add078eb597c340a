// @module-tag all

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('programs/long-conversation.ts', import.meta.url))

describe('a conversation of 2,000 turns', () => {
  it('D-38: needs no deeper stack and, but for its history, no more memory with every turn', async () => {
    const flags = ['--stack-size=200', '--expose-gc', '--conditions=@fenced/source']
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
    const { messages, kept, memory } = JSON.parse(stdout) as Record<'messages' | 'kept', number> & {
      memory: number[]
    }
    expect([messages, kept, memory.length]).toEqual([4_000, 4_000, 4])
    const [, early = 0, , late = 0] = memory
    // Two messages, kept by two agents: some hundred bytes. A chain of calls or a copied history is thousands.
    expect((late - early) / 1_000).toBeLessThan(2_000)
  })
})
