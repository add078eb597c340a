import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'

it('a kernel without a server is refused in a worker thread, whose end leaves the process alone', async () => {
  const thread = new Worker(join(import.meta.dirname, 'programs/kernel-in-thread.ts'), {
    execArgv: ['--conditions=@fenced/source'],
  })
  const failed = once(thread, 'error')
  expect(await once(thread, 'message')).toEqual(['THREAD_UNSUPPORTED'])
  expect(await failed).toMatchObject([{ message: 'The thread ends.' }])
})
