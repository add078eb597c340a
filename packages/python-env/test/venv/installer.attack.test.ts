import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { declareWritable } from '@fenced/host'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installEnvironment } from '../../src/install/installer-variables.ts'
import { installWithPip } from '../../src/install/pip.ts'
import { chooseInstaller } from '../../src/venv/installer.ts'

describe.skipIf(process.platform === 'win32')('a uv that code left on the PATH', () => {
  let folder = ''
  const open = () => join(folder, 'open')
  const closed = () => join(folder, 'closed')
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fenced-attack-'))
    for (const path of [open(), closed()]) await mkdir(path)
    declareWritable(open())
    await writeFile(join(open(), 'uv'), '#!/bin/sh\n')
    await chmod(join(open(), 'uv'), 0o755)
    vi.stubEnv('PATH', [open(), closed()].join(delimiter))
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })

  it('installs no packages, and what an installer starts is not taken from there', async () => {
    expect((await chooseInstaller('auto')).uv).toBe(undefined)
    expect(installEnvironment({}).PATH).toBe(closed())
    await symlink(join(open(), 'uv'), join(closed(), 'uv'))
    await expect(chooseInstaller('auto')).rejects.toMatchObject({ code: 'PROGRAM_WRITABLE' })
  })

  it('nor a module of a package that an installer would import from there', async () => {
    const packages = join(closed(), 'venv', 'lib', 'python3.12', 'site-packages')
    await mkdir(packages, { recursive: true })
    await writeFile(join(packages, 'own.pth'), `# as after pip install -e\nimport own\n${open()}\n`)
    const request = { packages: ['left-out'], installEnv: {}, installTimeoutMs: 1_000 }
    const python = join(closed(), 'venv', 'bin', 'python')
    await expect(installWithPip(python, request, {})).rejects.toMatchObject({
      code: 'PROGRAM_WRITABLE',
      data: { directory: open() },
    })
  })
})
