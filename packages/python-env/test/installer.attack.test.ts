import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { python } from './support.ts'

test.skipIf(python.missing)('pip is not taken from the directory in which the host runs', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-attack-'))
  try {
    for (const name of ['pip.py', 'os.py', 'runpy.py']) {
      await writeFile(join(directory, name), `open(${JSON.stringify(join(directory, 'was-run'))}, 'w')`)
    }
    const program = new URL('programs/install.ts', import.meta.url).pathname
    const { stdout: found } = await promisify(execFile)('python3', [
      '-c',
      'import sys; print(sys.executable)',
    ])
    await promisify(execFile)(process.execPath, ['--conditions=@fenced/source', program, found.trim()], {
      cwd: directory,
    })
    expect(await readdir(directory)).not.toContain('was-run')
  } finally {
    await rm(directory, { recursive: true })
  }
})
