import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import type { PackageManager } from '../../src/engine/driver.ts'
import {
  blocks,
  type FakeOptions,
  fakeExecutor,
  ok,
  type Program,
  typesOf,
} from '../../src/engine/fake-driver.fixture.ts'
import type { ExecutionEvent } from '../../src/execution.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { reached } from './reached.ts'
import { stopClock } from './stop-clock.ts'

const lacks = (module: string) => Buffer.from(`ModuleNotFoundError: No module named '${module}'\n`)

/** A sandbox with an index: what its packages bring, and what it was asked for. */
function placeWith(fake: FakeOptions, install?: PackageManager['install']) {
  const installed: string[] = []
  const packages: PackageManager = {
    async advise(distribution) {
      return { advice: `Type: get ${distribution}`, command: `get ${distribution}` }
    },
    async install([wanted = ''], context) {
      installed.push(wanted)
      await install?.([wanted], context)
    },
  }
  /** Imports modules, each of which is a package; says what it has done before and after. */
  const importing =
    (...modules: string[]): Program =>
    async (io) => {
      await io.write('stdout', Buffer.from(`began with ${installed.length}\n`))
      const missing = modules.find((module) => !installed.some((name) => name.startsWith(module)))
      if (missing === undefined) {
        await io.write('stdout', Buffer.from('done\n'))
        return ok
      }
      io.result({ 'text/plain': 'half a result' })
      await io.write('stderr', lacks(missing))
      return { exitCode: 1 }
    }
  const programs = {
    importsRich: importing('rich'),
    importsBoth: importing('rich', 'attr'),
    ...fake.programs,
  }
  return { installed, ...fakeExecutor({ packages, ...fake, programs }) }
}

const mayInstall = (...installablePackages: string[]) => ({
  missingPackages: 'install' as const,
  installablePackages,
})

const noticesOf = (events: readonly ExecutionEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.notice.code] : []))

describe('a program that lacks a package', () => {
  test('is told how to get it, and nothing is installed', async () => {
    const { executor, installed, steps } = placeWith({})
    const result = await executor.execute(blocks('importsRich'))
    expect(result).toMatchObject({ status: 'error', exitCode: 1 })
    const notices = result.blocks[0]?.notices ?? []
    expect(notices).toMatchObject([
      { code: 'missing-package', data: { module: 'rich', distribution: 'rich', command: 'get rich' } },
    ])
    expect(result.output).toContain(`No module named 'rich'\n${notices[0]?.message}\n`)
    expect([installed, steps]).toEqual([[], ['start', 'run importsRich']])
  })

  test('is told without the login of its address that it was installed', async () => {
    const wanted = 'rich @ https://me:s3cret@index.test/rich.whl'
    const { executor, installed } = placeWith({ options: mayInstall(wanted) })
    const result = await executor.execute(blocks('importsRich'))
    expect(installed).toEqual([wanted])
    expect(result.blocks[0]?.notices).toMatchObject([
      {
        code: 'package-installed',
        data: { requirement: 'rich @ https://[redacted]@index.test/rich.whl' },
      },
    ])
    expect(JSON.stringify(result)).not.toContain('s3cret')
  })

  test('and has changed files gets it, and is not run again', async () => {
    const workDirectory = new HostWorkDirectory()
    const { executor, installed, steps } = placeWith({
      workDirectory,
      options: mayInstall('rich'),
      programs: {
        writing: async (io) => {
          await workDirectory.write('data.csv', `${installed.length}`)
          await io.write('stderr', lacks('rich'))
          return { exitCode: 1 }
        },
      },
    })
    const result = await executor.execute(blocks('writing'))
    expect(result).toMatchObject({ status: 'error', exitCode: 1, files: [{ path: 'data.csv' }] })
    const notices = result.blocks[0]?.notices ?? []
    expect(notices).toMatchObject([
      { code: 'package-installed', data: { module: 'rich', distribution: 'rich' } },
    ])
    expect(result.output).toContain(notices[0]?.message)
    expect([installed, steps]).toEqual([['rich'], ['start', 'run writing']])
    await executor.stop()
  })

  test('whose name is another one is told so', async () => {
    const { executor } = placeWith({
      programs: {
        seeing: async (io) => {
          await io.write('stderr', lacks('cv2'))
          return { exitCode: 1 }
        },
      },
    })
    const [block] = (await executor.execute(blocks('seeing'))).blocks
    expect(block?.notices).toMatchObject([
      { data: { module: 'cv2', distribution: 'opencv-python', command: 'get opencv-python' } },
    ])
  })

  test('is told so where nobody knows how packages are installed', async () => {
    const driver = fakeExecutor({
      programs: {
        rich: async (io) => {
          await io.write('stderr', lacks('rich'))
          return { exitCode: 1 }
        },
      },
    })
    const [block] = (await driver.executor.execute(blocks('rich'))).blocks
    expect(block?.notices[0]).toMatchObject({
      code: 'missing-package',
      data: { module: 'rich', distribution: 'rich' },
    })
  })

  test('is recognized when its traceback came before what was printed', async () => {
    const { executor } = placeWith({
      programs: {
        apart: async (io) => {
          await io.write('stderr', lacks('rich'))
          await io.write('stdout', Buffer.from('printed before\n'))
          return { exitCode: 1 }
        },
      },
    })
    const [block] = (await executor.execute(blocks('apart'))).blocks
    expect(block?.notices).toMatchObject([{ code: 'missing-package' }])
  })

  test.each<[what: string, program: Program]>([
    [
      'that goes on without it',
      async (io) => {
        await io.write('stderr', lacks('rich'))
        return ok
      },
    ],
    [
      'and is stopped at its time limit',
      async (io) => {
        await io.write('stderr', lacks('rich'))
        await sleep(60_000, undefined, { signal: io.signal }).catch(() => {})
        return { exitCode: 1 }
      },
    ],
  ])('%s is left alone', async (_, program) => {
    const { executor, installed } = placeWith({ programs: { program }, options: mayInstall('rich') })
    const [block] = (await executor.execute(blocks('program'), { timeoutMs: 20 })).blocks
    expect(block?.notices.map(({ code }) => code)).not.toContain('missing-package')
    expect(installed).toEqual([])
  })

  test('is not looked for in another language', async () => {
    const { executor } = placeWith({ capabilities: { languages: ['sh'] } })
    const result = await executor.execute([{ language: 'sh', code: 'importsRich' }])
    expect(result.blocks[0]?.notices).toEqual([])
  })
})

describe('what may be installed is', () => {
  test('and the block is run once more, as if it were the first time', async () => {
    const place = placeWith({
      workDirectory: new HostWorkDirectory(),
      options: mayInstall('attrs', 'rich>=13'),
    })
    await using executor = place.executor
    const events = await collect(executor.execute(blocks('importsRich')))
    const end = events.at(-1)
    if (end?.type !== 'execution-end') throw new Error('There is no end.')
    expect(end.result).toMatchObject({
      status: 'ok',
      exitCode: 0,
      output: 'began with 1\ndone\n',
      blocks: [{ stdout: 'began with 1\ndone\n', stderr: '', results: [] }],
    })
    expect(end.result.blocks[0]?.notices).toMatchObject([
      { code: 'package-installed', data: { module: 'rich', distribution: 'rich', requirement: 'rich>=13' } },
    ])
    expect(typesOf(events)).toEqual([
      'block-start',
      'stdout',
      'result',
      'stderr',
      'clear',
      'notice',
      'stdout',
      'block-end',
      'execution-end',
    ])
    expect(place.installed).toEqual(['rich>=13'])
    expect(place.steps).toEqual(['start', 'run importsRich', 'run importsRich'])
  })

  test('also when a second one turns out to be missing', async () => {
    const { executor, installed } = placeWith({ options: mayInstall('rich', 'attrs') })
    const result = await executor.execute(blocks('importsBoth'))
    expect(result).toMatchObject({ status: 'ok', output: 'began with 2\ndone\n' })
    expect(installed).toEqual(['rich', 'attrs'])
    expect(result.blocks[0]?.notices.map(({ data }) => data?.distribution)).toEqual(['rich', 'attrs'])
  })

  test('under any name, where that is wanted', async () => {
    const { executor } = placeWith({
      options: { missingPackages: 'install', installablePackages: 'any' },
    })
    expect((await executor.execute(blocks('importsRich'))).status).toBe('ok')
  })

  test('and the installer’s words are told to those who listen, without secrets, and to nobody else', async () => {
    const { executor } = placeWith(
      { options: { ...mayInstall('rich'), redact: ['s3cret'] } },
      async (_, { notice }) => notice({ code: 'install', message: 'Getting it from s3cret@index' }),
    )
    const execution = executor.execute(blocks('importsRich'))
    const events = await collect(execution)
    expect(events).toContainEqual({
      type: 'notice',
      notice: { code: 'install', message: 'Getting it from [redacted]@index' },
    })
    expect((await execution).blocks[0]?.notices).toMatchObject([{ code: 'package-installed' }])
  })

  test('and the time that it takes counts towards no limit and no duration', async () => {
    stopClock()
    const install = async () => void vi.advanceTimersByTime(300)
    const { executor } = placeWith({ options: mayInstall('rich') }, install)
    const result = await executor.execute(blocks('importsRich'), { timeoutMs: 200 })
    expect(result).toMatchObject({ status: 'ok', durationMs: 0 })
  })

  test('and the second run has a time limit of its own', async () => {
    let runs = 0
    const { executor } = placeWith({
      options: mayInstall('rich'),
      programs: {
        slowThen: async (io) => {
          if (++runs === 2) await sleep(60_000, undefined, { signal: io.signal }).catch(() => {})
          await io.write('stderr', lacks('rich'))
          return { exitCode: 1 }
        },
      },
    })
    expect(await executor.execute(blocks('slowThen'), { timeoutMs: 50 })).toMatchObject({ status: 'timeout' })
    expect(runs).toBe(2)
  })
})

describe('what cannot be had is reported, and nothing loops', () => {
  test('a package that is not among the installable ones', async () => {
    const { executor, installed, steps } = placeWith({ options: mayInstall('attrs') })
    const result = await executor.execute(blocks('importsBoth'))
    expect(result).toMatchObject({ status: 'error', exitCode: 1 })
    expect(result.blocks[0]?.notices).toMatchObject([{ code: 'missing-package' }])
    expect([installed, steps.length]).toEqual([[], 2])
  })

  test('a package that does not bring the module', async () => {
    const { executor, installed, steps } = placeWith({
      options: mayInstall('rich'),
      programs: {
        hopeless: async (io) => {
          await io.write('stderr', lacks('rich'))
          return { exitCode: 1 }
        },
      },
    })
    const events = await collect(executor.execute(blocks('hopeless')))
    expect(noticesOf(events)).toEqual(['package-installed', 'missing-package'])
    expect(installed).toEqual(['rich'])
    expect(steps).toEqual(['start', 'run hopeless', 'run hopeless'])
  })

  test('a program that wants another package every time', async () => {
    let count = 0
    const { executor, installed } = placeWith({
      options: { missingPackages: 'install', installablePackages: 'any' },
      programs: {
        greedy: async (io) => {
          await io.write('stderr', lacks(`module${++count}`))
          return { exitCode: 1 }
        },
      },
    })
    const result = await executor.execute(blocks('greedy'))
    expect(result.status).toBe('error')
    expect(result.blocks[0]?.notices.at(-1)).toMatchObject({ code: 'missing-package' })
    expect(installed).toHaveLength(10)
  })

  test('an installer that fails: the first result stays', async () => {
    const { executor, steps } = placeWith({ options: mayInstall('rich') }, async () => {
      throw new Error('No matching distribution found')
    })
    const result = await executor.execute(blocks('importsRich'))
    expect(result).toMatchObject({
      status: 'error',
      exitCode: 1,
      blocks: [
        {
          stdout: 'began with 0\n',
          notices: [
            { code: 'missing-package' },
            { code: 'install-failed', data: { reason: 'No matching distribution found' } },
          ],
        },
      ],
    })
    const messages = result.blocks[0]?.notices.map(({ message }) => `${message}\n`).join('')
    expect(result.output).toContain(`No module named 'rich'\n${messages}`)
    expect(steps).toEqual(['start', 'run importsRich'])
  })
})

describe('cancelled while it installs', () => {
  test('it stops, and keeps what the program said', async () => {
    const controller = new AbortController()
    const { executor, steps } = placeWith({ options: mayInstall('rich') }, async (_, { signal }) => {
      controller.abort()
      await sleep(60_000, undefined, { signal })
    })
    const result = await executor.execute(blocks('importsRich', 'ok'), { signal: controller.signal })
    expect(result).toMatchObject({ status: 'cancelled', exitCode: 125 })
    expect(result.output).toContain("No module named 'rich'")
    expect(result.blocks).toHaveLength(1)
    expect(steps).toEqual(['start', 'run importsRich'])
  })

  test('by stop(), too', async () => {
    const { executor, installed } = placeWith({ options: mayInstall('rich') }, (_, { signal }) =>
      sleep(60_000, undefined, { signal }),
    )
    const execution = executor.execute(blocks('importsRich'))
    await reached(installed, 'rich')
    await executor.stop()
    expect(await execution).toMatchObject({ status: 'cancelled', exitCode: 125 })
  })

  test('an installer that does not hear it is given up, and the sandbox made again', async () => {
    const controller = new AbortController()
    const { executor, steps } = placeWith({ options: mayInstall('rich') }, () => {
      controller.abort()
      return new Promise(() => {})
    })
    const result = await executor.execute(blocks('importsRich'), { signal: controller.signal })
    expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    expect((await executor.execute(blocks('ok'))).status).toBe('ok')
    expect(steps).toEqual(['start', 'run importsRich', 'stop', 'start', 'run ok'])
  })
})

test('a driver that cannot install refuses to be asked for it', () => {
  const options = mayInstall('rich')
  for (const packages of [undefined, { advise: async () => ({ advice: '' }) }]) {
    expect(() => fakeExecutor({ options, ...(packages === undefined ? {} : { packages }) })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { executor: 'fake', option: 'missingPackages' },
      }),
    )
  }
})

test.each([['--index-url=https://evil.test'], [' -r other.txt'], ['']])(
  'an option of pip, %j, is no installable package',
  (name) => {
    expect(() => placeWith({ options: mayInstall(name) })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'installablePackages.0' } }),
    )
  },
)

test('a failed program’s output is read as text once, however much it is', async () => {
  const chunk = new Uint8Array(1_000_000).fill(0x61)
  const { executor } = fakeExecutor({
    capabilities: { network: 'none' },
    programs: {
      loud: async (io) => {
        await io.write('stderr', chunk)
        await io.write('stderr', Buffer.from('\n'))
        await io.write('stderr', lacks('rich'))
        return { exitCode: 1 }
      },
    },
  })
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  try {
    const result = await executor.execute(blocks('loud'))
    expect(result.blocks[0]?.notices).toMatchObject([{ code: 'missing-package' }])
    const sizes = decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0)
    // The live event, `stderr`, and `output`.
    expect(sizes.filter((size) => size >= chunk.length)).toHaveLength(3)
  } finally {
    decode.mockRestore()
  }
})
