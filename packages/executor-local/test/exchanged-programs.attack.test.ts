import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

let workDir = ''
beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'fenced-exchanged-'))
})
afterEach(() => rm(workDir, { recursive: true }))

/**
 * Writes another program into each program's file, as soon as there is one; as itself, in its place, or in its place until it
 * puts the first one back. The file `exchanged` says that it has done so.
 */
const attack = `
import os, sys
javascript = 'console.log("exchanged")'
programs = {'.py': 'print("exchanged")', '.mjs': javascript, '.cjs': javascript, '.sh': 'echo exchanged'}
done = set()
print('ready', flush=True)
while True:
    if not os.path.exists(sys.argv[2]): continue
    for name in os.listdir('.'):
        other = programs.get(os.path.splitext(name)[1])
        if other is None or name.startswith('other'): continue
        try:
            if open(name).read() == other or sys.argv[1] == 'restores' and name in done: continue
            file = name if sys.argv[1] == 'overwrites' else 'other'
            with open(file, 'r+' if file == name else 'w') as out:
                out.truncate(0)
                out.write(other)
            if sys.argv[1] == 'restores': os.rename(name, 'other-kept')
            if file != name: os.rename(file, name)
            if sys.argv[1] == 'restores': os.rename('other-kept', name)
            done.add(name)
            open('exchanged', 'w').close()
        except OSError: pass
`

/** Each ends when its file was exchanged: so the attack takes place, whether it comes early or late. */
const programs = {
  python: 'while "appr" "oved" in open(__file__).read(): pass\nprint("approved")',
  sh: 'while grep -q "appro""ved" "$0"; do :; done; echo approved',
  bash: 'while grep -q "appro""ved" "$0"; do :; done; echo approved',
  javascript:
    'const fs = require("node:fs")\nwhile (fs.readFileSync(__filename, "utf8").includes("approved"));\nconsole.log("approved")',
}

/** Each begins before the attack, and ends after it. */
const programsThatWait = {
  python:
    'import os\nopen("begun", "w").close()\nwhile not os.path.exists("exchanged"): pass\nprint("approved")',
  sh: ': > begun\nwhile ! [ -e exchanged ]; do :; done\necho approved',
  bash: ': > begun\nwhile ! [ -e exchanged ]; do :; done\necho approved',
  javascript:
    'const fs = require("node:fs")\nfs.writeFileSync("begun", "")\nwhile (!fs.existsSync("exchanged"));\nconsole.log("approved")',
}

const ways = ['overwrites', 'replaces']

interface Case {
  readonly language: keyof typeof programs
  readonly how: string
  readonly options: LocalExecutorOptions
  /** What the interpreter is given: the program itself, or a file of which the content or also the version is compared. */
  readonly takes: 'content' | 'version' | 'file'
}

const isolated = { isolation: 'bubblewrap' } as const
const cases: readonly Case[] = [
  { language: 'python', how: 'warm', options: { warm: {} }, takes: 'content' },
  { language: 'python', how: 'warm, in bubblewrap', options: { warm: {}, ...isolated }, takes: 'content' },
  { language: 'python', how: 'cold', options: { warm: false }, takes: 'file' },
  { language: 'python', how: 'cold, in bubblewrap', options: { warm: false, ...isolated }, takes: 'version' },
  { language: 'sh', how: 'without isolation', options: {}, takes: 'file' },
  { language: 'bash', how: 'without isolation', options: {}, takes: 'file' },
  { language: 'sh', how: 'cold, in bubblewrap', options: { warm: false, ...isolated }, takes: 'version' },
  { language: 'bash', how: 'cold, in bubblewrap', options: { warm: false, ...isolated }, takes: 'version' },
  { language: 'javascript', how: 'without isolation', options: {}, takes: 'file' },
  {
    language: 'javascript',
    how: 'cold, in bubblewrap',
    options: { warm: false, ...isolated },
    takes: 'version',
  },
]

describe
  .skipIf(python.missing)
  .each(cases.filter(({ options }) => options.isolation === undefined || !bubblewrap.missing))(
  'an approved $language program, $how,',
  ({ language, options, takes }) => {
    it.runIf(takes === 'content').each(ways)(
      'is what runs beside a process that %s its file',
      async (way) => {
        await using executor = await startBeside(way, options)
        for (let round = 0; round < 5; round++) {
          const { blocks } = await executor.execute([{ language, code: programs[language] }])
          expect(blocks).toMatchObject([{ status: 'ok', stdout: 'approved\n' }])
        }
      },
      60_000,
    )

    it.runIf(takes === 'version').each([...ways, 'restores'])(
      'does not count, also where its file is put back, beside a process that %s its file meanwhile',
      async (way) => {
        await using executor = await startBeside(way, options, 'begun')
        const { blocks } = await executor.execute([{ language, code: programsThatWait[language] }])
        expect(blocks).toMatchObject([{ status: 'died', notices: [{ code: 'program-changed' }] }])
      },
      60_000,
    )

    it.runIf(takes === 'file').each(ways)(
      'does not count beside a process that %s its file',
      async (way) => {
        await using executor = await startBeside(way, options)
        const { blocks } = await executor.execute([{ language, code: programs[language] }])
        expect(blocks).toMatchObject([{ status: 'died', notices: [{ code: 'program-changed' }] }])
      },
      60_000,
    )
  },
)

/** An executor beside whose blocks the attack runs. */
async function startBeside(
  way: string,
  options: LocalExecutorOptions,
  /** The attack begins when this file exists. */
  since = '.',
): Promise<LocalCommandLineCodeExecutor> {
  const executor = new LocalCommandLineCodeExecutor({ workDir, timeoutMs: 20_000, ...options })
  await executor.start()
  const attacker = await executor.sandbox?.spawn(['python3', '-c', attack, way, since])
  const { promise: ready, resolve } = Promise.withResolvers<unknown>()
  attacker?.stdout.once('data', resolve)
  await ready
  return executor
}
