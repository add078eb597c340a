import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeExecutor, CodeResult } from '@fenced/core'
import { requirement } from '@fenced/testing'
import { onTestFinished } from 'vitest'

/** The Python of the tests. */
export const python = requirement('python', venvProblem())

/** A second version of Python, for environments that ask for one. */
export const otherPython = findOther()
export const otherVersion = requirement(
  'python-of-another-version',
  otherPython === undefined ? 'no second Python is in ~/.pyenv or on the PATH' : undefined,
)

export const uv = requirement(
  'uv',
  spawnSync('uv', ['--version']).status === 0 ? undefined : 'the program uv is not there',
)

const bwrap = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], { encoding: 'utf8' })
export const bubblewrap = requirement(
  'bubblewrap',
  bwrap.status === 0 ? undefined : `bwrap does not work: ${bwrap.stderr}`,
)

/** A Python whose packages belong to the operating system. */
export const managed = requirement(
  'externally-managed-python',
  existsSync('/usr/lib/python3/dist-packages') && existsSync('/usr/bin/python3')
    ? undefined
    : '/usr/bin/python3 is not a Debian Python',
)

export interface OtherPython {
  readonly path: string
  /** `3.12` */
  readonly version: string
}

/** A directory that goes with the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'fenced-env-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** An index of its own, so that no network is needed: pip and uv take everything from it. */
export interface Wheels {
  readonly path: string
  readonly installEnv: Readonly<Record<string, string>>
}

/** Makes the packages `tiny` and `tiny_too`, of one module each, `huge` of 64 MB, `unbuildable`, and the pip that Python brings along. */
export async function makeWheels(): Promise<Wheels> {
  const path = await mkdtemp(join(tmpdir(), 'fenced-wheels-'))
  const script = join(path, 'make.py')
  await writeFile(script, makeWheelsScript)
  const { status, stderr } = spawnSync('python3', [script, path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const installEnv = {
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: path,
    UV_NO_INDEX: '1',
    UV_FIND_LINKS: path,
    UV_OFFLINE: '1',
  }
  return { path, installEnv }
}

export async function run(executor: CodeExecutor, language: string, ...lines: string[]): Promise<CodeResult> {
  return executor.execute([{ language, code: lines.join('\n') }])
}

/** Everything that an iterable gives until its end. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** The text of a program. */
export const lines = (...all: readonly string[]) => all.join('\n')

const makeWheelsScript = `
import glob, io, os, shutil, sys, tarfile, zipfile
folder = sys.argv[1]
for name in ['tiny', 'tiny_too', 'huge']:
    with zipfile.ZipFile(f'{folder}/{name}-1.0-py3-none-any.whl', 'w', zipfile.ZIP_DEFLATED) as wheel:
        info = f'{name}-1.0.dist-info'
        wheel.writestr(f'{name}.py', 'value = 42')
        wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n')
        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(f'{info}/RECORD', '')
        if name == 'huge':
            wheel.writestr('huge.bin', bytes(2**26))
with tarfile.open(f'{folder}/unbuildable-1.0.tar.gz', 'w:gz') as source:
    for name, text in {
        'pyproject.toml': '[build-system]\\nrequires = []\\nbuild-backend = "broken"\\nbackend-path = ["."]\\n',
        'broken.py': 'import os\\nraise SystemExit("no compiler for this, key %s" % os.environ.get("KEY"))\\n',
        'PKG-INFO': 'Metadata-Version: 2.1\\nName: unbuildable\\nVersion: 1.0\\n',
    }.items():
        entry = tarfile.TarInfo(f'unbuildable-1.0/{name}')
        entry.size = len(text)
        source.addfile(entry, io.BytesIO(text.encode()))
import ensurepip
for bundled in glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), '_bundled', '*.whl')):
    shutil.copy(bundled, folder)
`

function venvProblem(): string | undefined {
  const { status } = spawnSync('python3', ['-c', 'import venv, ensurepip'])
  return status === 0 ? undefined : 'python3 with venv and ensurepip is not there'
}

function findOther(): OtherPython | undefined {
  const version = (program: string) => {
    const { stdout } = spawnSync(program, [
      '-c',
      'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])',
    ])
    return stdout?.toString().trim() ?? ''
  }
  const usual = version('python3')
  for (const minor of [13, 12, 11, 10, 9]) {
    for (const path of [`python3.${minor}`, ...pyenv(minor)]) {
      const found = version(path)
      if (found === `3.${minor}` && found !== usual) return { path, version: found }
    }
  }
}

function pyenv(minor: number): string[] {
  const { stdout } = spawnSync('sh', [
    '-c',
    `ls -d "\${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.${minor}.*/bin/python`,
  ])
  return stdout.toString().split('\n').filter(Boolean)
}
