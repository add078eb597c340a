// @module-tag nightly

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

const { status, stderr } = spawnSync('python3', ['-m', 'pip', '--version'], { encoding: 'utf8' })
const pip = requirement('pip', status === 0 ? undefined : `python3 has no pip: ${stderr}`)

const places: Readonly<Record<string, LocalExecutorOptions>> = {
  'without isolation': {},
  'in bubblewrap': { isolation: 'bubblewrap' },
}

async function run(options: LocalExecutorOptions, code: string) {
  await using executor = new LocalCommandLineCodeExecutor(options)
  const { blocks } = await executor.execute([{ language: 'python', code }])
  const [block] = blocks
  if (block === undefined) throw new Error('No block was run.')
  return block
}

/** Makes a package without a network, and prints what pip says, one command after the other. */
const asksPip = (...commands: string[]) => `
import os, subprocess, sys, zipfile
os.makedirs('wheels', exist_ok=True)
with zipfile.ZipFile('wheels/greet-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('greet.py', '')
    wheel.writestr('greet-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: greet\\nVersion: 1.0\\n')
    wheel.writestr('greet-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('greet-1.0.dist-info/RECORD', '')
for command in ${JSON.stringify(commands)}:
    print('$', command, flush=True)
    subprocess.run(command.replace('pip ', f'"{sys.executable}" -m pip ', 1), shell=True)
`

for (const [place, options] of Object.entries(places)) {
  describe.skipIf(pip.missing || (place === 'in bubblewrap' && bubblewrap.missing))(`pip ${place}`, () => {
    const offline = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: 'wheels' }

    it('says what it does, without a progress bar, a newer version or a warning about root', async () => {
      const code = asksPip(
        'pip install --target there greet',
        'pip install --dry-run greet',
        'pip install --dry-run pip | grep -c satisfied',
        'pip list',
      )
      const { stdout, stderr: said } = await run({ ...options, env: offline }, code)
      expect(stdout).toMatch(
        /^\$ .*\n(.*\n)*Successfully installed greet-1\.0\n\$ .*\n(.*\n)*Would install greet-1\.0\n\$ .*\n1\n\$ .*\nPackage (.*\n)*pip /,
      )
      expect(said).toBe('')
    })

    it('takes variables of the caller before those that Fenced sets', async () => {
      const env = { ...offline, PIP_PROGRESS_BAR: 'on', PIP_TIMEOUT: '7' }
      const { stdout } = await run({ ...options, env }, asksPip('pip config list'))
      expect(stdout).toMatch(/:env:\.progress-bar='on'\n(.*\n)*:env:\.timeout='7'/)
    })
  })
}

describe.skipIf(pip.missing)('pip without isolation', () => {
  it('reads the configuration file of the user', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    mkdirSync(join(home, '.config/pip'), { recursive: true })
    writeFileSync(join(home, '.config/pip/pip.conf'), '[global]\nextra-index-url = https://pip.test/simple\n')
    const { stdout } = await run({ env: { HOME: home } }, asksPip('pip config get global.extra-index-url'))
    expect(stdout).toContain('\nhttps://pip.test/simple\n')
  })
})
