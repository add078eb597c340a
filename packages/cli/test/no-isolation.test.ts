import { FencedError } from '@fenced/core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { chooseExecutor } from '../src/choose/choose-executor.ts'
import type { ExecutorOptions } from '../src/executor-options.ts'
import { UserError } from '../src/user-error.ts'

// On a machine without bubblewrap and without a container engine.
beforeAll(() => {
  vi.stubEnv('PATH', '/not/there')
  vi.stubEnv('DOCKER_HOST', 'unix:///not/there.sock')
})
afterAll(() => void vi.unstubAllEnvs())

const { signal } = new AbortController()
const list = { option: { allowedHosts: ['one.invalid'] }, asks: false } as const

/** The decision, or the error and how often a person was asked before it. */
async function chosen(options: Partial<ExecutorOptions>, answer = true) {
  const askPerson = vi.fn(async (_question: string) => answer)
  const decision = await chooseExecutor({ executor: 'auto', ...options }, { signal, askPerson }).catch(
    (error: unknown) => error,
  )
  return { decision, asked: askPerson.mock.calls.length }
}

describe('where no isolation works', () => {
  it('nothing is chosen, with the reason of each', async () => {
    const error = await chooseExecutor({ executor: 'auto' }, { signal }).catch((error: unknown) => error)
    expect(FencedError.isInstance(error) && error).toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      data: {
        executor: 'auto',
        bubblewrap: expect.any(String),
        docker: expect.any(String),
      },
      message: expect.not.stringContaining('--isolation none'),
    })
  })

  it('a person is asked once, and an answer yes does without', async () => {
    expect(await chosen({})).toMatchObject({
      decision: { choice: { executor: 'local', isolation: 'none' }, by: 'person' },
      asked: 1,
    })
    expect(await chosen({}, false)).toMatchObject({
      decision: { code: 'ISOLATION_UNAVAILABLE' },
      asked: 1,
    })
  })

  it('what the options name is taken as it is, and no person is asked', async () => {
    for (const [options, choice] of [
      [{ isolation: 'none' }, { executor: 'local', isolation: 'none' }],
      [{ isolation: 'bubblewrap' }, { executor: 'local', isolation: 'bubblewrap' }],
      [{ executor: 'local' }, { executor: 'local' }],
      [{ executor: 'docker' }, { executor: 'docker' }],
    ] as const)
      expect(await chosen(options)).toMatchObject({ decision: { choice, by: 'options' }, asked: 0 })
  })

  it('an image or a list of hosts is never given up for a run without isolation', async () => {
    for (const options of [{ image: 'none.invalid/x' }, { network: list }]) {
      const { decision, asked } = await chosen(options)
      expect(asked).toBe(0)
      expect(decision).toMatchObject({ code: 'ISOLATION_UNAVAILABLE' })
    }
  })
})

it.each<Partial<ExecutorOptions>>([
  { packages: ['rich'] },
  { executor: 'docker', python: 'python3' },
  { executor: 'local', image: 'x' },
])('an option that the executor does not have is refused: %j', async (options) => {
  expect((await chosen(options)).decision).toBeInstanceOf(UserError)
})
