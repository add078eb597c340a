// @module-tag all

import { once } from 'node:events'
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { formatOwner, thisOwner } from '@fenced/shared'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

const waiting = { timeout: 120_000, interval: 20 }

/** What ends the programs of each thread of this process. */
function watchers(): string[] {
  const owner = formatOwner(thisOwner())
  return readdirSync('/proc').filter((id) => {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'latin1')
      return command.includes('fenced-end-with-host') && command.includes(owner)
    } catch {
      return false
    }
  })
}

async function threadWithProgram(code: string, isolation: 'none' | 'bubblewrap' = 'none'): Promise<Worker> {
  const thread = new Worker(join(import.meta.dirname, 'programs/thread-that-ends.ts'), {
    workerData: { code, isolation },
    execArgv: ['--conditions=@fenced/source'],
  })
  await once(thread, 'message')
  return thread
}

describe.runIf(process.platform === 'linux')('a thread', () => {
  it('ends the programs that it started, and no others, when it ends or is terminated', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ timeoutMs: 60_000 })
    const execution = executor.execute([
      { language: 'sh', code: 'echo >begun; while [ ! -e go ]; do sleep 0.05; done; echo whole' },
    ])
    await vi.waitFor(() => expect(existsSync(join(executor.workDir, 'begun'))).toBe(true), waiting)
    const before = watchers()
    const seconds = [uniqueSeconds(), uniqueSeconds()].map(String)
    const codes = seconds.map((each) => `echo started; sleep ${each}`)
    const threads = await Promise.all(codes.map((code) => threadWithProgram(code)))
    expect(watchers().length).toBe(before.length + 2)
    const ended = threads.map((thread) => once(thread, 'exit'))
    threads[0]?.postMessage('end')
    await threads[1]?.terminate()
    await Promise.all(ended)
    await vi.waitFor(() => expect(watchers()).toEqual(before), waiting)
    expect(await Promise.all(seconds.map(processesLeft))).toEqual([[], []])
    writeFileSync(join(executor.workDir, 'go'), '')
    expect(await execution).toMatchObject({ status: 'ok', output: 'whole\n' })
  })

  it('closes no file of another thread when it ends', async () => {
    const thread = await threadWithProgram('true')
    // They have the numbers of what the thread has closed.
    const files = Array.from({ length: 100 }, () => openSync(devNull, 'r'))
    onTestFinished(() => files.forEach(closeSync))
    const ended = once(thread, 'exit')
    thread.postMessage('end')
    await ended
    for (const file of files) expect(() => fstatSync(file)).not.toThrow()
  })

  it.skipIf(bubblewrap.missing)(
    'runs programs in bubblewrap while another thread of the process does',
    async () => {
      const threads = [await threadWithProgram('echo x; exec sleep 60', 'bubblewrap')]
      threads.push(await threadWithProgram('echo x; exec sleep 60', 'bubblewrap'))
      const ended = threads.map((thread) => once(thread, 'exit'))
      for (const thread of threads) thread.postMessage('end')
      expect(await Promise.all(ended)).toEqual([[0], [0]])
    },
  )
})
