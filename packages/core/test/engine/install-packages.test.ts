import { describe, expect, test } from 'vitest'
import {
  blocks,
  type FakeOptions,
  fakeExecutor,
  ok,
  type Program,
} from '../../src/engine/fake-driver.fixture.ts'
import { askingExecutor, type CodeExecutor, DecisionLedger } from '../../src/index.ts'

const installable = { installablePackages: ['rich>=13', 'attrs'] }

/** An executor whose packages come from an index that always has them. */
function placeWith({ options = installable, ...fake }: FakeOptions = {}) {
  const installed: (readonly string[])[] = []
  const packages: FakeOptions['packages'] = {
    advise: async () => ({ advice: '' }),
    async install(names, { notice }) {
      notice({ code: 'install', message: `Installing ${names.join(', ')} with s3cret` })
      installed.push(names)
    },
  }
  return { installed, ...fakeExecutor({ packages, options, ...fake }) }
}

function install(executor: CodeExecutor, ...packages: string[]): Promise<void> {
  if (executor.installPackages === undefined) throw new Error('It installs nothing.')
  return executor.installPackages(packages)
}

describe('packages that a caller requests', () => {
  test('are installed as the list of the executor has them, and the executor is started first', async () => {
    const { executor, installed, steps } = placeWith()
    await install(executor, 'Rich', 'attrs', 'rich')
    expect(installed).toEqual([['rich>=13', 'attrs']])
    expect(steps).toEqual(['start'])
  })

  test.each([
    ['a package that is not in the list', ['attrs', 'numpy'], 'PACKAGE_NOT_ALLOWED'],
    ['no package', [], 'INVALID_OPTIONS'],
    ['an option of pip', ['--index-url=https://evil.test'], 'INVALID_OPTIONS'],
    ['no text', [7 as unknown as string], 'INVALID_OPTIONS'],
  ])('are not installed where they are %s', async (_, packages, code) => {
    const { executor, installed } = placeWith()
    await expect(install(executor, ...packages)).rejects.toMatchObject({ code })
    expect(installed).toEqual([])
  })

  test('are no paths and no URLs where any package is allowed', async () => {
    const { executor, installed } = placeWith({ options: { installablePackages: 'any' } })
    for (const wanted of ['./own.whl', 'https://evil.test/x.whl', 'x @ https://me:s3cret@evil.test/x.whl'])
      await expect(install(executor, wanted)).rejects.toMatchObject({
        code: 'PACKAGE_NOT_ALLOWED',
        message: expect.not.stringContaining('s3cret'),
      })
    await install(executor, 'numpy==2.0')
    expect(installed).toEqual([['numpy==2.0']])
  })

  test('cannot be requested where the executor installs none', () => {
    const packages = { advise: async () => ({ advice: '' }) }
    expect(placeWith({ packages }).executor.installPackages).toBeUndefined()
    expect(placeWith({ options: {} }).executor.installPackages).toBeUndefined()
    expect(askingExecutor(placeWith({ options: {} }).executor, () => 'deny').installPackages).toBeUndefined()
  })

  test('wait for the running call', async () => {
    const end = Promise.withResolvers<void>()
    const open = async (io: Parameters<Program>[0]) => {
      await io.write('stdout', Buffer.from('open\n'))
      await end.promise
      return ok
    }
    const { executor, installed } = placeWith({ programs: { open } })
    const running = executor.execute(blocks('open'))
    for await (const { type } of running) {
      if (type !== 'stdout') continue
      const installing = install(executor, 'attrs').then(() => 'installed')
      const ended = running.then(({ status }) => [status, installed.length])
      end.resolve()
      expect([await ended, await installing]).toEqual([['ok', 0], 'installed'])
    }
  })

  test('are reported without the values that are hidden', async () => {
    const { executor } = placeWith({ options: { ...installable, redact: ['s3cret'] } })
    const told: string[] = []
    await executor.installPackages?.(['attrs'], { onNotice: ({ message }) => void told.push(message) })
    expect(told).toEqual(['Installing attrs with [redacted]'])
  })

  test('reject with the reason of the caller, of the installer or of the stop', async () => {
    const started = Promise.withResolvers<void>()
    const packages: FakeOptions['packages'] = {
      advise: async () => ({ advice: '' }),
      install: ([name], { signal }) =>
        new Promise((_, reject) => {
          if (name === 'attrs') reject(new Error('no such version'))
          signal.addEventListener('abort', () => reject(signal.reason))
          if (name !== 'attrs') started.resolve()
        }),
    }
    const { executor } = placeWith({ packages })
    await expect(install(executor, 'attrs')).rejects.toThrow('no such version')
    const reason = new Error('enough')
    await expect(executor.installPackages?.(['rich'], { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
    const stopped = expect(install(executor, 'rich')).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
    await started.promise
    await executor.stop()
    await stopped
  })
})

describe.each(['its own `ask`', '`askingExecutor`'])('an executor with %s', (which) => {
  const asking = (decision: 'allow' | 'deny', ledger: DecisionLedger) => {
    const questions: object[] = []
    const ask = {
      install: (request: object) => {
        questions.push(request)
        return decision
      },
      code: () => 'allow' as const,
    }
    const options = { ...installable, ...(which === 'its own `ask`' ? { ask, ledger } : {}) }
    const place = placeWith({ options })
    const { executor } = place
    return {
      ...place,
      questions,
      executor: 'ask' in options ? executor : askingExecutor(executor, ask, { ledger }),
    }
  }

  test('asks before an installation, and records it', async () => {
    const ledger = new DecisionLedger()
    const { executor, installed, questions } = asking('allow', ledger)
    await install(executor, 'attrs')
    expect(questions).toMatchObject([{ kind: 'install', packages: ['attrs'] }])
    expect(installed).toEqual([['attrs']])
    expect(await ledger.list()).toMatchObject([{ kind: 'install', state: 'finished' }])
  })

  test('installs nothing that is denied', async () => {
    const ledger = new DecisionLedger()
    const { executor, installed } = asking('deny', ledger)
    await expect(install(executor, 'attrs')).rejects.toMatchObject({
      code: 'APPROVAL_DENIED',
      data: { kind: 'install' },
    })
    expect(installed).toEqual([])
    expect(await ledger.list()).toMatchObject([{ kind: 'install', state: 'denied' }])
  })
})
