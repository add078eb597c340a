import { execFile, execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bubblewrap } from '../requirements.ts'

const program = join(import.meta.dirname, '../programs/exchanged-file.ts')
const user = 65_534

const rows = [
  ['root', 'session', 'javascript', 'console.log("ran")'],
  ['root', 'allowSharedWorkDir', 'sh', '# filename: named.sh\necho ran'],
  ['user', 'session', 'python', '# filename: named.py\nprint("ran")'],
  ['user', 'allowSharedWorkDir', 'javascript', 'console.log("ran")'],
] as const

/** A directory with `work`, `outside`, and a `bwrap` that waits until the program's file was exchanged. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-exchanged-file-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of ['work', 'outside', 'bin']) await mkdir(join(folder, name))
  const wait = `#!/bin/sh
real=${execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim()}
for last; do :; done
case $last in ${folder}/work/*) [ ! -e ${folder}/armed ] || {
  : > ${folder}/waiting
  until [ -e ${folder}/work/exchanged ]; do :; done
} ;; esac
exec "$real" "$@"
`
  await writeFile(join(folder, 'bin/bwrap'), wait, { mode: 0o755 })
  return folder
}

async function run(folder: string, words: readonly string[], asUser: boolean) {
  const command = [process.execPath, '--conditions=@fenced/source', program, folder, ...words]
  const become = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
  const [file = '', ...args] = asUser ? [...become, ...command] : command
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder }
  const { stdout } = await promisify(execFile)(file, args, { env, timeout: 60_000 })
  return JSON.parse(stdout)
}

describe.skipIf(bubblewrap.missing)('a program in bubblewrap whose file', () => {
  const isRoot = process.getuid?.() === 0
  it.for(rows)(
    'another sandbox exchanges for a link makes no file outside: as %s, by %s, %s %j',
    { timeout: 60_000 },
    async ([who, ...words], { skip }) => {
      skip(who === 'root' && !isRoot, 'it needs root')
      const folder = await makeFolder()
      const asUser = isRoot && who === 'user'
      if (asUser) {
        for (const name of ['', 'work', 'outside']) await chown(join(folder, name), user, user)
        await chmod(folder, 0o755)
      }
      expect(await run(folder, words, asUser)).toEqual({
        status: 'died',
        codes: expect.arrayContaining(['program-changed']),
        outside: [],
      })
    },
  )
})
