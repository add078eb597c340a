import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DirectoryLease } from '@fenced/core/internal'
import { programOnPath } from '@fenced/host'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { UnprivilegedUser } from '../src/isolation/unprivileged-user.ts'
import { bubblewrap, python, unprivilegedUser } from './requirements.ts'

/** In which programs of another sandbox could write. */
let others = ''
/** Outside of every sandbox. */
let outside = ''
/** The directory or file to exchange. */
let exchanged = ''
/** Makes the next start of bubblewrap see it exchanged. */
let armed = ''

beforeEach(async () => {
  const make = async (name: string) => realpath(await mkdtemp(join(tmpdir(), `fenced-${name}-`)))
  ;[others, outside] = [await make('others'), await make('outside')]
  await writeFile(join(outside, 'secret'), 'secret\n')
  await chmod(outside, 0o777)
  exchanged = join(others, 'sub')
  armed = join(outside, 'armed')
  await mkdir(exchanged)
  await mkdir(join(others, 'data'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const path of [others, outside]) await rm(path, { recursive: true, force: true })
})

/**
 * A bubblewrap that finds a link in the place of the directory while it resolves the paths of its mounts, as if a program in another
 * sandbox had exchanged the directory and put it back at once.
 */
async function exchangeAtStart({ hasUser }: { hasUser: boolean }): Promise<void> {
  const programs = await mkdtemp(join(tmpdir(), 'fenced-programs-'))
  onTestFinished(() => rm(programs, { recursive: true }))
  const script = `#!/bin/sh
if [ -e '${armed}' ]; then
  rm '${armed}'
  before=
  for word; do
    shift
    case $before$word in
      --bind'${exchanged}'* | --ro-bind'${exchanged}'*) set -- "$@" '${outside}'"\${word#'${exchanged}'}" ;;
      *) set -- "$@" "$word" ;;
    esac
    before=$word
  done
fi
exec ${programOnPath('bwrap', process.env.PATH ?? '')} "$@"`
  await writeFile(join(programs, 'bwrap'), script, { mode: 0o755 })
  if (hasUser) return void vi.stubEnv('PATH', `${programs}:${process.env.PATH}`)
  // Without `setpriv`, programs have the user of this process.
  for (const name of ['sh', 'rm', 'mkfifo'])
    await symlink(programOnPath(name, process.env.PATH ?? '') ?? '', join(programs, name))
  vi.stubEnv('PATH', programs)
}

const sandboxIn = (options: LocalSandboxOptions) =>
  new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false, ...options })

const script = 'for each in . ../data; do cat $each/secret; echo ran > $each/ran; done; echo ran'

async function spawnIn(sandbox: LocalSandbox, options = {}) {
  let output = ''
  const process = await sandbox.spawn(['/bin/sh', '-c', script], {
    ...options,
    output: (_stream, chunk) => {
      output += Buffer.from(chunk).toString()
    },
  })
  return { kind: (await process.ended).kind, output }
}

const users = [
  { user: 'of a user without rights', hasUser: true },
  { user: 'of this process’s user', hasUser: false },
]

describe.skipIf(bubblewrap.missing).each(users)('a program $user', ({ hasUser }) => {
  const isMissing = hasUser && unprivilegedUser.missing

  it.skipIf(isMissing).each([
    ['the working directory', { path: 'sub', below: '.', isReadable: false }],
    ['a directory above it', { path: 'sub', below: 'work', isReadable: false }],
    ['a directory that it may write', { path: 'data', below: '.', isReadable: false }],
    ['a readable directory', { path: 'data', below: '.', isReadable: true }],
  ])('reaches no target of a link for which %s was exchanged', async (_, { path, below, isReadable }) => {
    exchanged = join(others, path)
    for (const directory of [outside, join(others, 'sub')]) await mkdir(join(directory, 'work'))
    await chmod(join(outside, 'work'), 0o777)
    await exchangeAtStart({ hasUser })
    const readable = isReadable ? [exchanged] : []
    await using sandbox = sandboxIn({ workDir: join(others, 'sub', below), readable })
    await sandbox.start()
    await writeFile(armed, '')
    const writable = path === 'data' && !isReadable ? [exchanged] : []
    const { kind, output } = await spawnIn(sandbox, { writable })
    expect(existsSync(armed)).toBe(false)
    expect(output).not.toContain('secret\n')
    expect(await readdir(outside, { recursive: true })).toEqual(['secret', 'work'])
    // Root mounts an opened directory, so that its program runs in the one that was meant.
    expect(kind).toBe(hasUser && !isReadable ? 'exited' : 'not-started')
  })

  it.skipIf(isMissing || python.missing).each([true, false])(
    'of a block does not run in the target of a link, with warm: %s',
    async (warm) => {
      const program = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
        encoding: 'utf8',
      })
      await exchangeAtStart({ hasUser })
      await using sandbox = sandboxIn({ workDir: exchanged, python: program.trim() })
      await using executor = new CommandLineCodeExecutor({ sandbox, warm })
      await executor.start()
      await writeFile(armed, '')
      const code = 'open("ran", "w").write("ran")'
      await executor.execute([{ language: 'python', code }]).catch(() => {})
      expect(existsSync(armed)).toBe(false)
      expect(await readdir(outside)).not.toContain('ran')
    },
  )
})

it.skipIf(unprivilegedUser.missing)('root mounts only the directory that was opened', async () => {
  const user = UnprivilegedUser.find()
  if (typeof user === 'string') throw new Error(user)
  const { dev, ino } = statSync(exchanged)
  const look = (realPath: string, identity: string) => {
    const directories = [{ realPath, identity }]
    const command = user.withFilesIn({ directories, cwd: realPath }, ['/bin/ls', user.place(0)])
    return spawnSync(command[0], command.slice(1), { encoding: 'utf8' })
  }
  expect(look(outside, `${dev}:${ino}`)).toMatchObject({ status: 1, stdout: '' })
  await writeFile(join(exchanged, 'own'), '')
  expect(look(exchanged, `${dev}:${ino}`)).toMatchObject({ status: 0, stdout: 'own\n' })
})

describe.skipIf(bubblewrap.missing)('a temporary directory', () => {
  it('is not made where programs of another sandbox can write', async () => {
    await using other = sandboxIn({ workDir: others })
    await other.start()
    vi.stubEnv('TMPDIR', join(others, 'data'))
    await using sandbox = sandboxIn({})
    await sandbox.start()
    expect(sandbox.directory.startsWith(others)).toBe(false)
  })

  it('is refused where programs of another process can write', async () => {
    const lease = new DirectoryLease({ isolation: 'bubblewrap' })
    lease.take(others)
    vi.stubEnv('TMPDIR', join(others, 'data'))
    await using sandbox = sandboxIn({})
    await expect(sandbox.start()).rejects.toMatchObject({ code: 'WORK_DIR_SHARED' })
    lease.release()
  })
})
