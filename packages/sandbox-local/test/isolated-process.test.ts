import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { LocalSandbox } from '@fenced/sandbox-local'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bubblewrap, resourceLimits } from './requirements.ts'

describe.skipIf(bubblewrap.missing)('a process in bubblewrap that stays', () => {
  it('is outdated when the working directory was removed and made again, and a new one is not', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-outdated-'))
    await using sandbox = new LocalSandbox({ workDir: directory, isolation: 'bubblewrap' })
    await sandbox.start()
    const process = await sandbox.spawn(['cat'], { stdin: 'open' })
    // Before its directory is mounted the next one may have its number.
    process.stdin?.write('begun\n')
    await once(process.stdout, 'data')
    expect(await process.isOutdated?.()).toBe(false)
    await rm(directory, { recursive: true })
    expect(await process.isOutdated?.()).toBe(true)
    await mkdir(directory)
    expect(await process.isOutdated?.()).toBe(true)
    const next = await sandbox.spawn(['cat'], { stdin: 'open' })
    expect(await next.isOutdated?.()).toBe(false)
    await rm(directory, { recursive: true })
  })

  it.skipIf(resourceLimits.missing)('counts who was killed for want of memory, and lives on', async () => {
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: 50 * 2 ** 20 })
    await sandbox.start()
    const process = await sandbox.spawn(
      ['sh', '-c', 'while read -r size; do head -c "$size" /dev/zero | tail -c "$size" | wc -c; done'],
      { stdin: 'open' },
    )
    const answerTo = async (size: number) => {
      process.stdin?.write(`${size}\n`)
      return new Promise((resolve) => process.stdout.once('data', (text) => resolve(Number(text))))
    }
    expect(await answerTo(1_000)).toBe(1_000)
    expect(await process.outOfMemoryKills?.()).toBe(0)
    expect(await answerTo(200_000_000)).toBeLessThan(200_000_000)
    expect(await process.outOfMemoryKills?.()).toBe(1)
    expect(await answerTo(1_000)).toBe(1_000)
  })

  it('writes to directories that it is given beside its own, and others do not see them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fenced-given-'))
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
    await sandbox.start()
    const endOf = async (writable: readonly string[]) =>
      (await sandbox.spawn(['sh', '-c', `echo made >> ${folder}/made`], { writable })).ended
    expect(await endOf([])).toMatchObject({ exitCode: 2 })
    expect(await endOf([folder])).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(folder, 'made'), 'utf8')).toBe('made\n')
    await rm(folder, { recursive: true })
  })

  it('keeps the directories of its mounts open until it has ended, and their test does not', async () => {
    // Bubblewrap was not tested with this path.
    const readable = await mkdtemp(join(tmpdir(), 'fenced-open-'))
    onTestFinished(() => rm(readable, { recursive: true }))
    const openCount = () =>
      readdirSync('/proc/self/fd').filter((name) => targetOf(`/proc/self/fd/${name}`) === readable).length
    await using sandbox = new LocalSandbox({ readable: [readable], isolation: 'bubblewrap' })
    await sandbox.start()
    expect(openCount()).toBe(0)
    const process = await sandbox.spawn(['cat'], { stdin: 'open' })
    expect(openCount()).toBe(1)
    process.stdin?.end()
    await process.ended
    await expect.poll(openCount).toBe(0)
  })

  it('counts nobody and has no private paths without bubblewrap', async () => {
    await using sandbox = new LocalSandbox()
    await sandbox.start()
    const process = await sandbox.spawn(['cat'], { stdin: 'open' })
    expect([process.outOfMemoryKills, process.privatePaths]).toEqual([undefined, undefined])
  })
})

describe.skipIf(bubblewrap.missing)('a program on the PATH that is a link', () => {
  const text = '#!/bin/sh\necho begun\n'

  it('begins, wherever its links lead', async () => {
    const path = await directoryForTest()
    for (const each of ['bin', 'versions', 'real']) await mkdir(join(path, each))
    await writeFile(join(path, 'real', 'program'), text, { mode: 0o755 })
    await symlink('../versions/current', join(path, 'bin', 'linked'))
    await symlink(join(path, 'real', 'program'), join(path, 'versions', 'current'))
    expect(await outputOf(['linked'], join(path, 'bin'))).toBe('begun\n')
  })

  it('opens no directory by a link that code could have made', async () => {
    const path = await directoryForTest()
    const workDir = join(path, 'work')
    const secrets = join(path, 'secrets')
    for (const each of [workDir, secrets]) await mkdir(each)
    await writeFile(join(secrets, 'program'), text, { mode: 0o755 })
    await symlink(join(secrets, 'program'), join(workDir, 'linked'))
    expect(await outputOf(['linked'], workDir, workDir)).toBe('')
  })
})

async function directoryForTest(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'fenced-links-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

async function outputOf([name]: [string], directory: string, workDir?: string): Promise<string> {
  const env = { PATH: `${directory}${delimiter}${process.env.PATH}` }
  await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', env, ...(workDir ? { workDir } : {}) })
  await sandbox.start()
  const program = (await sandbox.which([name])).get(name)
  const started = await sandbox.spawn([program ?? ''])
  const output = await started.stdout.toArray()
  await started.ended
  return output.join('')
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    // It was closed.
    return undefined
  }
}
