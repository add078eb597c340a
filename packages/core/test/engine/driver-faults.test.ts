import { FencedError } from '@fenced/errors'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import type { BlockIo } from '../../src/engine/driver.ts'
import { blocks, fakeExecutor, ok, typesOf } from '../../src/engine/fake-driver.fixture.ts'
import type { CodeResult } from '../../src/vocabulary/code-result.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'

const rejection = (execution: Promise<CodeResult>): Promise<FencedError> =>
  execution.then(
    () => expect.fail('did not reject'),
    (error: FencedError) => error,
  )

describe('a driver that says too early that its program has ended', () => {
  test('is an error, where it would run for ever without a time limit', async () => {
    const { executor } = fakeExecutor({
      programs: {
        // As a driver that compiles, says `ended`, and then runs what it has compiled.
        twoPrograms: async (io) => {
          expect(io.hasEnded()).toBe(false)
          io.ended()
          expect({ ...io }.hasEnded()).toBe(true)
          await new Promise((resolve) => io.signal.addEventListener('abort', resolve))
          return ok
        },
      },
    })
    const error = await rejection(executor.execute(blocks('hello', 'twoPrograms'), { timeoutMs: 20 }))
    expect(error).toMatchObject({ code: 'DRIVER_FAILED', result: { output: 'hello\n' } })
    expect(error.data).toEqual({ executor: 'fake', limitMs: '70' })
    expect((await executor.execute(blocks('hello'))).status).toBe('ok')
  })
})

describe('a driver that does not stop', () => {
  test('is given up after its grace, and the block has died', async () => {
    const { executor } = fakeExecutor()
    const result = await executor.execute(blocks('hello', 'deaf', 'ok'), { timeoutMs: 20 })
    expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    expect(result.blocks.map(({ status }) => status)).toEqual(['ok', 'died'])
    const [notice] = result.blocks[1]?.notices ?? []
    expect(notice).toMatchObject({ code: 'died', data: { executor: 'fake', limitMs: '50' } })
    expect(result.output).toBe(`hello\n${notice?.message}\n`)
  })

  test('is given up as well when the caller cancels', async () => {
    const { executor } = fakeExecutor()
    const result = await executor.execute(blocks('deaf'), { signal: AbortSignal.timeout(20) })
    expect(result.status).toBe('died')
  })

  test('leaves a fresh sandbox for the next call, where there is no state to lose', async () => {
    const { executor, steps } = fakeExecutor()
    await executor.execute(blocks('deaf'), { timeoutMs: 20 })
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
    expect(steps).toEqual(['start', 'run deaf', 'stop', 'start', 'run hello'])
  })

  test('is not used again without a restart, where there was state', async () => {
    const { executor, steps } = fakeExecutor({ capabilities: { stateful: ['sh'] } })
    await executor.execute(blocks('deaf'), { timeoutMs: 20 })
    for (let count = 0; count < 2; count++) {
      await expect(executor.execute(blocks('ok'))).rejects.toMatchObject({
        code: 'EXECUTOR_DIED',
        data: { executor: 'fake' },
      })
    }
    await executor.restart()
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
    expect(steps).toEqual(['start', 'run deaf', 'stop', 'start', 'run hello'])
  })

  test('is not listened to any more', async () => {
    const { promise: abandoned, resolve } = Promise.withResolvers<BlockIo>()
    const { executor } = fakeExecutor({
      programs: {
        talkative: async (io) => {
          await io.write('stdout', Buffer.from('early\n'))
          resolve(io)
          return new Promise(() => {})
        },
      },
    })
    const execution = executor.execute(blocks('talkative'), { timeoutMs: 20 })
    const result = await execution
    const before = JSON.stringify(result)
    const io = await abandoned
    await io.write('stdout', Buffer.from('late\n'))
    io.result({ 'text/plain': 'late' })
    io.notice({ code: 'late', message: 'late' })
    expect(JSON.stringify(result)).toBe(before)
    expect(typesOf(await collect(execution))).toEqual([
      'block-start',
      'stdout',
      'notice',
      'block-end',
      'execution-end',
    ])
    expect(result.output).toMatch(/^early\n/)
  })
})

describe('a driver that dies', () => {
  test('says so with its outcome, and the next call gets a fresh sandbox', async () => {
    const { executor, steps } = fakeExecutor()
    expect(await executor.execute(blocks('dying', 'ok'))).toMatchObject({ status: 'died', exitCode: 255 })
    await executor.execute(blocks('ok'))
    expect(steps).toEqual(['start', 'run dying', 'stop', 'start', 'run ok'])
  })

  test('and cannot be taken down is not used', async () => {
    let stopCount = 0
    const { executor } = fakeExecutor({
      stop: async () => {
        if (stopCount++ === 0) throw new Error('does not go')
      },
    })
    await executor.execute(blocks('dying'))
    await expect(executor.execute(blocks('ok'))).rejects.toThrow('does not go')
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
  })
})

describe('a driver that throws', () => {
  test.each<[how: string, program: () => Promise<never>]>([
    ['rejecting', () => Promise.reject(new Error('the daemon is gone'))],
    [
      'at once',
      () => {
        throw new Error('the daemon is gone')
      },
    ],
    ['something that is no error', () => Promise.reject('the daemon is gone')],
  ])('%s fails the call, with what was run before', async (_, broken) => {
    const { executor } = fakeExecutor({ programs: { broken } })
    const error = await rejection(executor.execute(blocks('hello', 'broken', 'ok')))
    expect(FencedError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'DRIVER_FAILED',
      data: { executor: 'fake', block: '2', reason: 'the daemon is gone' },
      result: { status: 'died', blocks: [{ status: 'ok', stdout: 'hello\n' }, { status: 'died' }] },
    })
    expect(error.cause).toBeDefined()
  })

  test('a FencedError keeps its code and its data', async () => {
    const broken = () =>
      Promise.reject(
        new FencedError({ code: 'DOCKER_GONE', message: 'Docker is gone.', data: { engine: 'a' } }),
      )
    const { executor } = fakeExecutor({ programs: { broken } })
    const error = await rejection(executor.execute(blocks('hello', 'broken')))
    expect(error).toMatchObject({ code: 'DOCKER_GONE', data: { engine: 'a' } })
    expect(error.result?.output).toBe('hello\n')
  })

  test('keeps what the failing block had written', async () => {
    const { executor } = fakeExecutor()
    const error = await rejection(executor.execute(blocks('throwing')))
    expect(error.result?.output).toBe('before\n')
  })

  test('leaves a fresh sandbox for the next call', async () => {
    const { executor, steps } = fakeExecutor()
    await rejection(executor.execute(blocks('throwing')))
    await executor.execute(blocks('ok'))
    expect(steps).toEqual(['start', 'run throwing', 'stop', 'start', 'run ok'])
  })

  test('leaves the executor usable, and the next call is not held up', async () => {
    const { executor } = fakeExecutor()
    const [first, second] = await Promise.allSettled([
      executor.execute(blocks('throwing')),
      executor.execute(blocks('hello')),
    ])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'DRIVER_FAILED' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: { output: 'hello\n' } })
  })

  test('because it was stopped has done as it was told', async () => {
    const { executor } = fakeExecutor()
    expect(await executor.execute(blocks('throwingWhenStopped'), { timeoutMs: 20 })).toMatchObject({
      status: 'timeout',
      exitCode: 124,
    })
  })

  test('fails the call although it was cancelled, when the fault is another', async () => {
    const controller = new AbortController()
    class FullDisk extends HostWorkDirectory {
      override async write(): Promise<never> {
        controller.abort()
        throw new Error('no space left')
      }
    }
    await using executor = fakeExecutor({ workDirectory: new FullDisk() }).executor
    const execution = executor.execute(blocks('ok'), { signal: controller.signal })
    await expect(execution).rejects.toMatchObject({
      code: 'DRIVER_FAILED',
      data: { executor: 'fake', block: '1', reason: 'no space left' },
    })
  })

  describe('after it was given up', () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    beforeEach(() => void process.on('unhandledRejection', note))
    afterEach(() => void process.off('unhandledRejection', note))

    test('throws into nowhere', async () => {
      const { promise, reject } = Promise.withResolvers<never>()
      const { executor } = fakeExecutor({ programs: { late: () => promise } })
      expect((await executor.execute(blocks('late'), { timeoutMs: 20 })).status).toBe('died')
      reject(new Error('late'))
      await new Promise(setImmediate)
      expect(unhandled).toEqual([])
    })
  })
})

describe('a reader that is behind', () => {
  test('does not keep a program from being stopped at its time limit', async () => {
    const flood = async (io: BlockIo) => {
      while (!io.signal.aborted) await io.write('stdout', Buffer.alloc(65_536, 'x'))
      return ok
    }
    const { executor } = fakeExecutor({ programs: { flood }, stopGraceMs: 5_000 })
    const execution = executor.execute(blocks('flood'), { timeoutMs: 100 })
    const reader = execution[Symbol.asyncIterator]()
    await reader.next()
    expect((await execution).status).toBe('timeout')
  })
})
