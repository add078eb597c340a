import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isExternallyManaged } from '@fenced/host'
import { SystemPythonEnvironment, VenvPythonEnvironment } from '@fenced/python-env'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { pythonOf } from '../src/venv/installer.ts'
import { folder, python, uv } from './support.ts'

const secrets = {
  UV_PUBLISH_TOKEN: 'pypi-secret-1',
  UV_PUBLISH_PASSWORD: 'secret-2',
  UV_GITHUB_TOKEN: 'secret-3',
  TWINE_USERNAME: 'secret-4',
  TWINE_PASSWORD: 'secret-5',
  NPM_TOKEN: 'secret-6',
  NODE_AUTH_TOKEN: 'secret-7',
  PIP_TOKEN: 'secret-8',
  AWS_SECRET_ACCESS_KEY: 'secret-9',
}

/** Names only: a failure prints no environment. */
function secretsIn(variables: string): string[] {
  return Object.entries(secrets).flatMap(([name, value]) => (variables.includes(value) ? [name] : []))
}

/** A virtual environment that takes pip from its Python, because installing pip takes seconds. */
async function quickVenv(): Promise<string> {
  const venvPath = join(await folder(), 'venv')
  const options = ['--without-pip', '--system-site-packages']
  await promisify(execFile)('python3', ['-m', 'venv', ...options, venvPath])
  return venvPath
}

/** A package that records the variables it sees: while it is built, and whenever a Python starts that has it. */
async function spy(): Promise<{ readonly path: string; seen(what: 'build' | 'start'): Promise<string> }> {
  const path = await folder()
  const record = (what: string) =>
    `open(${JSON.stringify(join(path, what))}, 'a').write(repr(sorted(__import__('os').environ.items())))`
  await writeFile(
    join(path, 'pyproject.toml'),
    '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n' +
      '[project]\nname = "spy"\nversion = "1.0"\n',
  )
  await writeFile(
    join(path, 'backend.py'),
    `import zipfile
${record('build')}
def build_wheel(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(f'{folder}/spy-1.0-py3-none-any.whl', 'w') as wheel:
        info = 'spy-1.0.dist-info'
        wheel.writestr('spy.pth', ${JSON.stringify(`import os; ${record('start')}`)})
        wheel.writestr(f'{info}/METADATA', 'Metadata-Version: 2.1\\nName: spy\\nVersion: 1.0\\n')
        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(f'{info}/RECORD', '')
    return 'spy-1.0-py3-none-any.whl'
`,
  )
  const seen = async (what: string) =>
    existsSync(join(path, what)) ? await readFile(join(path, what), 'utf8') : ''
  return { path, seen }
}

describe.skipIf(python.missing)('the code of a package', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value)
    vi.stubEnv('PIP_TIMEOUT', '17')
    vi.stubEnv('UV_HTTP_TIMEOUT', '17')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test.for([
    { installer: 'pip', missing: python.missing },
    { installer: 'uv', missing: uv.missing },
  ] as const)(
    'sees no token for uploads while $installer builds it',
    async ({ installer, missing }, { skip }) => {
      skip(missing)
      const { path, seen } = await spy()
      const venvPath = await quickVenv()
      await using environment = new VenvPythonEnvironment({ venvPath, installer, packages: [path] })
      await environment.start()
      const variables = await seen('build')
      expect(variables).toContain(installer === 'pip' ? "('PIP_TIMEOUT', '17')" : "('UV_HTTP_TIMEOUT', '17')")
      expect(secretsIn(variables)).toEqual([])
    },
  )

  test('sees no token of the host when Fenced asks the Python that has it which one it is', async () => {
    const { path, seen } = await spy()
    const venvPath = await quickVenv()
    await new VenvPythonEnvironment({ venvPath, packages: [path] }).start()
    await new VenvPythonEnvironment({ venvPath, packages: [path] }).start()
    await new SystemPythonEnvironment({ executable: venvPath }).start()
    await isExternallyManaged(pythonOf(venvPath))
    expect(secretsIn(await seen('start'))).toEqual([])
    // The package would have seen them in a start with all variables.
    await promisify(execFile)(pythonOf(venvPath), ['-c', ''])
    expect(secretsIn(await seen('start'))).toEqual(Object.keys(secrets))
  })
})
