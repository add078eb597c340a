import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore the programs that its tests need, too
import { docker } from '../packages/executor-docker/test/requirements.ts'
// @boundaries-ignore the programs that its tests need, too
import { bubblewrap, python } from '../packages/executor-local/test/requirements.ts'
import { budgets, countsOfTables } from './budgets.ts'
import { modulesOf, pageFaultsOfBlock, systemCallsOf, systemCallsOfBlock } from './counts.ts'

const withLibraries = join(process.env.FENCED_TEST_JUPYTER ?? '', 'bin/python')
const jupyter = requirement(
  'jupyter',
  process.env.FENCED_TEST_JUPYTER === undefined ? 'FENCED_TEST_JUPYTER is not set' : undefined,
)
const strace = requirement(
  'strace',
  spawnSync('strace', ['-qq', '-o', '/dev/null', '/bin/true']).status === 0 ? undefined : 'it does not run',
)
const require = createRequire(import.meta.url)
const command = join(import.meta.dirname, '../packages/cli/src/main.ts')

function canEndShort(path: string): boolean {
  const code = 'import atexit, sys; print(sys.version_info[:2] == (3, 11) and atexit._ncallbacks() == 0)'
  return `${spawnSync(path, ['-c', code]).stdout}`.trim() === 'True'
}

/** Of the Pythons here one in which `site` registers no exit function, so that blocks end short. */
const shortEnding = ['python3', '/usr/bin/python3'].find(canEndShort)
const noShortEnd = 'No Python here is 3.11 without exit functions of `site`.'

async function temporaryFile(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-budgets-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return join(directory, name)
}

function expectNear(count: number, most: number): void {
  expect(count).toBeGreaterThan(most / 2)
  expect(count).toBeLessThanOrEqual(most)
}

describe('what is counted stays below its budget', () => {
  it.each(Object.entries(budgets.modules))('modules that an import of %s loads', (name, most) => {
    expectNear(modulesOf('--input-type=module', '--eval', `await import('${require.resolve(name)}')`), most)
  })

  it('modules that `fenced --version` loads', () => {
    expectNear(modulesOf(command, '--version'), budgets.modulesOfVersion)
  })

  it.skipIf(python.missing)('page faults of a warm block', async ({ skip }) => {
    await using executor = new LocalCommandLineCodeExecutor({
      warm: {},
      python: shortEnding ?? skip(noShortEnd),
    })
    const count = await pageFaultsOfBlock(executor)
    expectNear(count, budgets.pageFaultsOfWarmBlock)
    expect(count).toBeGreaterThan(0.9 * budgets.pageFaultsOfWarmBlock)
  })

  it.skipIf(docker.missing)('page faults of a block in a container', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image: 'fenced-test/python', warm: {} })
    expectNear(await pageFaultsOfBlock(executor), budgets.pageFaultsInContainer)
  })

  it.skipIf(jupyter.missing)('page faults of a block with preloaded libraries', async ({ skip }) => {
    if (!canEndShort(withLibraries))
      skip('The Python of FENCED_TEST_JUPYTER is not 3.11, or registers exit functions.')
    const preload = ['numpy', 'pandas', 'matplotlib.pyplot']
    await using executor = new LocalCommandLineCodeExecutor({ python: withLibraries, warm: { preload } })
    expectNear(await pageFaultsOfBlock(executor), budgets.pageFaultsWithLibraries)
  })

  it.skipIf(strace.missing || python.missing)(
    'system calls of a warm block',
    { tags: 'all' },
    async ({ skip }) => {
      const count = await systemCallsOfBlock(
        await temporaryFile('calls'),
        'local',
        shortEnding ?? skip(noShortEnd),
      )
      expectNear(count, budgets.systemCallsOfWarmBlock)
    },
  )

  it.skipIf(strace.missing || python.missing)(
    'system calls of a cell of a session, and of its checkpoint',
    { tags: 'all' },
    async ({ skip }) => {
      const count = await systemCallsOfBlock(
        await temporaryFile('calls'),
        'session',
        shortEnding ?? skip(noShortEnd),
      )
      expectNear(count, budgets.systemCallsOfSessionCell)
    },
  )

  it.skipIf(strace.missing || jupyter.missing)('system calls of a cell', { tags: 'all' }, async () => {
    expectNear(
      await systemCallsOfBlock(await temporaryFile('calls'), 'jupyter', withLibraries),
      budgets.systemCallsOfCell,
    )
  })

  it.skipIf(strace.missing || bubblewrap.missing)(
    'system calls of a `fenced run`',
    { tags: 'all' },
    async () => {
      const answer = await temporaryFile('answer.md')
      await writeFile(answer, '```sh\necho 1\n```\n')
      // The first one also tests bubblewrap.
      execFileSync(process.execPath, ['--conditions=@fenced/source', command, 'run', answer])
      expectNear(await systemCallsOf(`${answer}.calls`, command, 'run', answer), budgets.systemCallsOfRun)
    },
  )

  it.skipIf(bubblewrap.missing)('starts of bubblewrap for a `fenced run`', async () => {
    const log = await temporaryFile('log')
    const directory = dirname(log)
    const real = execFileSync('/bin/sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim()
    const counting = `#!/bin/sh\necho started >> ${log}\nexec ${real} "$@"\n`
    await writeFile(join(directory, 'bwrap'), counting, { mode: 0o755 })
    const answer = join(directory, 'answer.md')
    await writeFile(answer, '```sh\necho 1\n```\n')
    // In another home, where no other test forgets what was tested. HOME is not asked for it.
    const otherHome = `
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
os.userInfo = () => ({ uid: process.getuid(), homedir: ${JSON.stringify(directory)} })
syncBuiltinESMExports()`
    const preload = `data:text/javascript,${encodeURIComponent(otherHome)}`
    const args = ['--import', preload, '--conditions=@fenced/source', command, 'run', answer]
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` }
    const starts = async () => (await readFile(log, 'utf8')).trim().split('\n').length
    // The first one also tests bubblewrap.
    for (const most of [2, budgets.bubblewrapStartsOfRun]) {
      await writeFile(log, '')
      expect(execFileSync(process.execPath, args, { env, encoding: 'utf8' })).toBe('1\n')
      expect(await starts()).toBe(most)
    }
  })
})

describe('tables of docs/performance.md are current', () => {
  it.each(Object.entries(countsOfTables))(
    'of the bench %s: its counts are those of today',
    async (name, counts) => {
      const page = await readFile(join(import.meta.dirname, '../docs/performance.md'), 'utf8')
      const caption = page.split(`<!-- bench ${name} -->`)[1]?.trimStart().split('\n')[0] ?? ''
      for (const [count, what] of counts) {
        const then = Number(caption.split(` ${what}`)[0]?.split(' ').at(-1)?.replaceAll(',', ''))
        const problem = `${what}: ${count} now, ${then} in the table. Measure it again with \`npx -y pnpm bench ${name} --write\`.`
        expect(Math.abs(count - then), problem).toBeLessThanOrEqual(0.1 * then)
      }
    },
  )
})
