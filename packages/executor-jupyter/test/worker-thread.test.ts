// @module-tag all

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'

it('a kernel without a server is refused in a worker thread, whose end leaves the process alone', async () => {
  const thread = new Worker(join(import.meta.dirname, 'programs/kernel-in-thread.ts'), {
    execArgv: ['--conditions=@fenced/source'],
  })
  const events: unknown[] = []
  const ended = Promise.withResolvers<void>()
  thread.on('message', (message) => events.push(message))
  thread.on('error', (error) => events.push((error as Error).message))
  thread.on('exit', () => ended.resolve())
  await ended.promise
  expect(events.toSorted()).toEqual(['THREAD_UNSUPPORTED', 'The thread ends.'])
})
