import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findPython } from '../src/find-python.ts'

const real = await findPython({ python: undefined, host: process.env, path: process.env.PATH ?? '' })
const python = requirement('python', 'missing' in real ? real.missing : undefined)

describe.skipIf(python.missing || process.platform === 'win32')('findPython', () => {
  const interpreter = 'command' in real ? real.command[0] : ''
  let directory: string
  let standIn: string
  let log: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fenced-find-python-'))
    standIn = join(directory, 'python3')
    log = join(directory, 'log')
    await writeFile(log, '')
    await write('# first')
  })

  afterEach(() => rm(directory, { recursive: true }))

  /** A version manager's stand-in for a Python. */
  async function write(comment: string): Promise<void> {
    await writeFile(
      `${standIn}.new`,
      `#!/bin/sh\n${comment}\necho asked >> ${log}\nexec ${interpreter} "$@"\n`,
    )
    await chmod(`${standIn}.new`, 0o755)
    await rename(`${standIn}.new`, standIn)
  }

  const find = (variables: NodeJS.ProcessEnv = {}) =>
    findPython({
      python: undefined,
      host: { ...process.env, VIRTUAL_ENV: '', ...variables },
      path: directory,
    })

  const timesAsked = async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean).length

  it('asks a program once in this process, also when many want to know it at the same time', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => find()))
    for (const each of [...found, await find()]) expect(each).toMatchObject({ command: [interpreter] })
    expect(await timesAsked()).toBe(1)
  })

  it('asks again when the program was replaced, and in another environment', async () => {
    await find()
    await write('# second, and longer')
    expect(await find()).toMatchObject({ command: [interpreter] })
    expect(await timesAsked()).toBe(2)
    await find({ PYENV_VERSION: '3.99' })
    expect(await timesAsked()).toBe(3)
  })

  it('does not name a Python that is not there any more, and finds one that comes', async () => {
    await find()
    await rm(standIn)
    expect(await find()).toMatchObject({ exitCode: 127 })
    await write('# back')
    expect(await find()).toMatchObject({ command: [interpreter] })
  })

  it('asks again what was no Python', async () => {
    await rm(standIn)
    await writeFile(standIn, '#!/bin/sh\nexit 1\n')
    await chmod(standIn, 0o755)
    expect(await find()).toMatchObject({ exitCode: 127, missing: expect.stringContaining('do not work') })
    await write('# now it is one')
    expect(await find()).toMatchObject({ command: [interpreter] })
  })
})
