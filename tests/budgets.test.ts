import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { ownHome, requirement } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore the programs that its tests need, too
import { bubblewrap, python } from '../packages/executor-local/test/requirements.ts'
import { budgets, countsOfTables } from './budgets.ts'

const withLibraries = join(process.env.FENCED_TEST_JUPYTER ?? '', 'bin/python')
const jupyter = requirement(
  'jupyter',
  process.env.FENCED_TEST_JUPYTER === undefined ? 'FENCED_TEST_JUPYTER is not set' : undefined,
)
const require = createRequire(import.meta.url)
const command = join(import.meta.dirname, '../packages/cli/src/main.ts')

/** Prints how many modules were loaded besides Node's own. */
const countModules = `
  import { registerHooks } from 'node:module'
  let count = 0
  const load = (url, context, next) => { if (!url.startsWith('node:')) count++; return next(url, context) }
  registerHooks({ load })
  process.on('exit', () => process.stderr.write('\\n' + count))
`

function modulesOf(...args: readonly string[]): number {
  const hooks = `data:text/javascript,${encodeURIComponent(countModules)}`
  const { stderr } = spawnSync(
    process.execPath,
    ['--conditions=@fenced/source', '--import', hooks, ...args],
    {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    },
  )
  return Number(stderr.slice(stderr.lastIndexOf('\n')))
}

function canEndShort(path: string): boolean {
  const code = 'import atexit, sys; print(sys.version_info[:2] == (3, 11) and atexit._ncallbacks() == 0)'
  return `${spawnSync(path, ['-c', code]).stdout}`.trim() === 'True'
}

/** Of a block that prints a number, on average. */
async function pageFaults(options: LocalExecutorOptions): Promise<number> {
  await using executor = new LocalCommandLineCodeExecutor({ warm: true, ...options })
  const run = async (code: string) => (await executor.execute([{ language: 'python', code }])).output.trim()
  const server = await run('import os; print(os.getppid())')
  // Of the children that have ended, which are the blocks (proc_pid_stat(5)).
  const faults = async () => {
    const stat = await readFile(`/proc/${server}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8])
  }
  for (let block = 0; block < 5; block++) await run('print(1)')
  const before = await faults()
  for (let block = 0; block < 20; block++) await run('print(1)')
  return ((await faults()) - before) / 20
}

describe('what is counted stays below its budget', () => {
  it.each(Object.entries(budgets.modules))('modules that an import of %s loads', (name, most) => {
    const count = modulesOf('--input-type=module', '--eval', `await import('${require.resolve(name)}')`)
    expect(count).toBeGreaterThan(most / 2)
    expect(count).toBeLessThanOrEqual(most)
  })

  it('modules that `fenced --version` loads', () => {
    const count = modulesOf(command, '--version')
    expect(count).toBeGreaterThan(budgets.modulesOfVersion / 2)
    expect(count).toBeLessThanOrEqual(budgets.modulesOfVersion)
  })

  it.skipIf(python.missing)('page faults of a warm block', async ({ skip }) => {
    // Of the Pythons here one in which `site` registers no exit function, so that blocks end short.
    const path = ['python3', '/usr/bin/python3'].find(canEndShort)
    if (path === undefined) skip('No Python here is 3.11 without exit functions of `site`.')
    const count = await pageFaults({ python: path })
    expect(count).toBeGreaterThan(0.9 * budgets.pageFaultsOfWarmBlock)
    expect(count).toBeLessThanOrEqual(budgets.pageFaultsOfWarmBlock)
  })

  it.skipIf(jupyter.missing)('page faults of a block with preloaded libraries', async ({ skip }) => {
    if (!canEndShort(withLibraries))
      skip('The Python of FENCED_TEST_JUPYTER is not 3.11, or registers exit functions.')
    const preload = ['numpy', 'pandas', 'matplotlib.pyplot']
    const count = await pageFaults({ python: withLibraries, warm: { preload } })
    expect(count).toBeGreaterThan(0.5 * budgets.pageFaultsWithLibraries)
    expect(count).toBeLessThanOrEqual(budgets.pageFaultsWithLibraries)
  })

  it.skipIf(bubblewrap.missing || ownHome.missing)('starts of bubblewrap for a `fenced run`', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-budgets-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const log = join(directory, 'log')
    const real = execFileSync('/bin/sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim()
    const counting = `#!/bin/sh\necho started >> ${log}\nexec ${real} "$@"\n`
    await writeFile(join(directory, 'bwrap'), counting, { mode: 0o755 })
    const answer = join(directory, 'answer.md')
    await writeFile(answer, '```sh\necho 1\n```\n')
    const args = ['--conditions=@fenced/source', command, 'run', answer]
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
