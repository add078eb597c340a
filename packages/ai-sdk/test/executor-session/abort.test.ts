import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { expect, it } from 'vitest'
import { begun, firstOf } from '../session/watch.ts'
import { bytesStream, describeEachExecutor, type Session } from './executors.ts'

const reason = new Error('the caller changed its mind')

/** Every call that takes a signal, on something that needs the executor. */
const calls: readonly [
  name: string,
  call: (session: Session, abortSignal: AbortSignal) => PromiseLike<unknown>,
][] = [
  ['run', (session, abortSignal) => session.run({ command: 'true', abortSignal })],
  ['spawn', async (session, abortSignal) => (await session.spawn({ command: 'true', abortSignal })).wait()],
  ['readFile', (session, abortSignal) => session.readFile({ path: '/etc/passwd', abortSignal })],
  ['readBinaryFile', (session, abortSignal) => session.readBinaryFile({ path: '/etc/passwd', abortSignal })],
  ['readTextFile', (session, abortSignal) => session.readTextFile({ path: '/etc/passwd', abortSignal })],
  [
    'writeFile',
    (session, abortSignal) => session.writeFile({ path: 'never', content: bytesStream(), abortSignal }),
  ],
  [
    'writeBinaryFile',
    (session, abortSignal) =>
      session.writeBinaryFile({ path: 'never', content: new Uint8Array(1), abortSignal }),
  ],
  [
    'writeTextFile',
    (session, abortSignal) => session.writeTextFile({ path: 'never', content: '', abortSignal }),
  ],
  ['stat', (session, abortSignal) => session.stat({ path: '.', abortSignal })],
  ['listDirectory', (session, abortSignal) => session.listDirectory({ path: '.', abortSignal })],
  ['deleteFile', (session, abortSignal) => session.deleteFile({ path: 'never', abortSignal })],
]

describeEachExecutor((get) => {
  it.for(calls)('%s rejects with the reason of a signal that is aborted before', async ([, call]) => {
    await expect(call(get().session, AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('every call rejects with the reason when it is aborted while it waits, and does nothing', async () => {
    const { session } = get()
    const running = await session.spawn({ command: 'echo begun; sleep 60' })
    await firstOf(running.stdout)
    const abort = new AbortController()
    const waiting = calls.map(([, call]) => call(session, abort.signal))
    const settled = Promise.allSettled(waiting)
    abort.abort(reason)
    expect(await settled).toEqual(calls.map(() => ({ status: 'rejected', reason })))
    await running.kill()
    expect(await running.wait()).toEqual({ exitCode: 125 })
    expect(await session.stat({ path: 'never' })).toBeNull()
  })

  it('run: a signal kills the command and all that it started', async () => {
    const { session } = get()
    const seconds = uniqueSeconds()
    const abort = new AbortController()
    const result = session.run({
      command: `sleep ${seconds} & echo > begun; sleep ${seconds}`,
      abortSignal: abort.signal,
    })
    const rejected = expect(result).rejects.toBe(reason)
    await begun(`${seconds}`)
    abort.abort(reason)
    await rejected
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it.for(['signal', 'kill'] as const)(
    'spawn: a %s kills the process and all that it started',
    async (way) => {
      const { session } = get()
      const seconds = uniqueSeconds()
      const abort = new AbortController()
      const process = await session.spawn({
        command: `sleep ${seconds} & echo begun; sleep ${seconds}`,
        abortSignal: abort.signal,
      })
      const ended =
        way === 'kill'
          ? expect(process.wait()).resolves.toEqual({ exitCode: 125 })
          : expect(process.wait()).rejects.toBe(reason)
      const reader = process.stdout.getReader()
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('begun\n')
      if (way === 'kill') await Promise.all([process.kill(), process.kill()])
      else abort.abort(reason)
      await ended
      expect(await reader.read()).toMatchObject({ done: true })
      expect(await processesLeft(`${seconds}`)).toEqual([])
    },
  )

  it('a write whose source never ends, and a read that is not finished, end with their signals', async () => {
    const { session } = get()
    let cancelled: unknown
    const begun = Promise.withResolvers<void>()
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('part')),
      // Called once the part is taken.
      pull: () => begun.resolve(),
      cancel: (why) => {
        cancelled = why
      },
    })
    const abort = new AbortController()
    const written = expect(
      session.writeFile({ path: 'never', content, abortSignal: abort.signal }),
    ).rejects.toBe(reason)
    await begun.promise
    abort.abort(reason)
    await written
    expect(cancelled).toBe(reason)
    expect(await session.stat({ path: 'never' })).toBeNull()

    await session.writeBinaryFile({ path: 'large', content: new Uint8Array(2 ** 22) })
    const reading = new AbortController()
    const reader = (await session.readFile({ path: 'large', abortSignal: reading.signal }))?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    reading.abort(reason)
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toBe(reason)
  })
})
