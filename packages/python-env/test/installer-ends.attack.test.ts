import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { VenvPythonEnvironment } from '@fenced/python-env'
import { describe, expect, test } from 'vitest'
import { folder, python } from './support.ts'

/** A package whose build never ends, and leaves a process outside its session and without its parent. */
async function endless(): Promise<{ readonly path: string; processes(): Promise<readonly number[]> }> {
  const path = await folder()
  await writeFile(
    join(path, 'pyproject.toml'),
    '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
  )
  const record = join(path, 'processes')
  await writeFile(
    join(path, 'backend.py'),
    `import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
builder = os.getpid()
with open(${JSON.stringify(record)}, 'a') as file:
    file.write(f'{builder}\\n')
time.sleep(1000)
`,
  )
  const processes = async () => {
    const recorded = await readFile(record, 'utf8').catch(() => '')
    return recorded.split('\n').filter(Boolean).map(Number)
  }
  return { path, processes }
}

/** A virtual environment that takes pip from its Python, because installing pip takes seconds. */
async function quickVenv(): Promise<string> {
  const venvPath = join(await folder(), 'venv')
  const options = ['--without-pip', '--system-site-packages']
  await promisify(execFile)('python3', ['-m', 'venv', ...options, venvPath])
  return venvPath
}

function lives(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch {
    return false
  }
}

describe.skipIf(python.missing || process.platform !== 'linux')(
  'the build of a package on this machine',
  () => {
    test('ends when its host is killed, with what left its session', async () => {
      const { path, processes } = await endless()
      const program = join(import.meta.dirname, 'programs/install-and-wait.ts')
      const args = ['--conditions=@fenced/source', program, await quickVenv(), path]
      const host = spawn(process.execPath, args, { stdio: 'inherit' })
      while ((await processes()).length < 2) await delay(20)
      host.kill('SIGKILL')
      await once(host, 'exit')
      const started = await processes()
      while (started.some(lives)) await delay(20)
    })

    test('ends at its time limit, with what left its session', async () => {
      const { path, processes } = await endless()
      const options = { venvPath: await quickVenv(), installer: 'pip', packages: [path] } as const
      const environment = new VenvPythonEnvironment({ ...options, installTimeoutMs: 3_000 })
      await expect(environment.start()).rejects.toMatchObject({
        code: 'INSTALL_FAILED',
        data: { packages: path, limitMs: '3000', option: 'installTimeoutMs' },
      })
      const started = await processes()
      while (started.some(lives)) await delay(20)
    })
  },
)
