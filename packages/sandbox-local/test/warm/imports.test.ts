// @module-tag all

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LocalExecutor } from '../local-executor.ts'
import { python } from '../requirements.ts'

describe.skipIf(python.missing)('a block of a resident Python', () => {
  let workDir: string

  beforeEach(async () => {
    workDir = await mkdtemp(join(tmpdir(), 'fenced-imports-'))
    onTestFinished(() => rm(workDir, { recursive: true }))
  })

  function blocksWith(env: Record<string, string>) {
    const options = { workDir, warm: {}, env: { FENCED_TEST: randomUUID(), ...env } }
    const executor = new LocalExecutor(options)
    onTestFinished(() => executor.stop())
    return async (code: string) => (await executor.execute([{ language: 'python', code }])).output
  }

  it('imports from an archive as an earlier block has left it', async () => {
    const run = blocksWith({ PYTHONPATH: join(workDir, 'lib.zip') })
    const write = (...files: string[]) => `import zipfile
with zipfile.ZipFile('lib.zip', 'w') as archive:
    for name, text in zip(*[iter(${JSON.stringify(files)})] * 2): archive.writestr(name, text)`
    await run(write('helper.py', 'x = 1'))
    const see = 'import helper; print(helper.x)'
    expect(await run(see)).toBe('1\n')
    await run(write('other.py', 'x = 6', 'helper.py', 'x = 7'))
    expect(await run(see)).toBe('7\n')
  })

  it('imports from an archive that was there before its interpreter, as an earlier block has left it', async () => {
    const archive = join(workDir, 'lib.zip')
    const write = `import zipfile
with zipfile.ZipFile(${JSON.stringify(archive)}, 'w') as archive: archive.writestr('late.py', 'x = 2')`
    execFileSync('python3', ['-c', write.replace('late', 'early')])
    const run = blocksWith({ PYTHONPATH: archive })
    await run(write)
    expect(await run('import late; print(late.x)')).toBe('2\n')
  })

  it('imports from a directory of PYTHONPATH that an earlier block has made', async () => {
    const run = blocksWith({ PYTHONPATH: join(workDir, 'lib') })
    await run("import os; os.mkdir('lib'); open('lib/helper.py', 'w').write('x = 8')")
    expect(await run('import helper; print(helper.x)')).toBe('8\n')
  })

  it.each(['lib', '.', ':/nowhere'])('finds what a relative PYTHONPATH means: %s', async (path) => {
    const folder = path === 'lib' ? join(workDir, 'lib') : workDir
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'helper.py'), 'x = 9')
    const run = blocksWith({ PYTHONPATH: path })
    expect(await run('import helper, sys; print(helper.x, "/" in sys.path)')).toBe('9 False\n')
  })

  it('runs after the sitecustomize that is there when it begins', async () => {
    const run = blocksWith({ PYTHONPATH: join(workDir, 'lib') })
    const see = "import sys; print(getattr(sys.modules.get('sitecustomize'), 'x', None))"
    await mkdir(join(workDir, 'lib'))
    expect(await run(see)).toBe('None\n')
    await run("open('lib/sitecustomize.py', 'w').write('x = 1')")
    expect(await run(see)).toBe('1\n')
    await run("open('lib/sitecustomize.py', 'w').write('x = 22')")
    expect(await run(see)).toBe('22\n')
  })

  it('sees the lines of a .pth file that an earlier block has added', async () => {
    const base = join(workDir, 'base')
    const site = execFileSync('python3', ['-c', 'import site; print(site.getusersitepackages())'], {
      env: { ...process.env, PYTHONUSERBASE: base },
    })
    const file = join(`${site}`.trim(), 'mine.pth')
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, '')
    const run = blocksWith({ PYTHONUSERBASE: base })
    await run(`open(${JSON.stringify(file)}, 'a').write('import sys; sys.mine = 3\\n')`)
    expect(await run('import sys; print(sys.mine)')).toBe('3\n')
  })

  it('has the threads of a sitecustomize', async () => {
    await writeFile(
      join(workDir, 'sitecustomize.py'),
      `import threading
lock = threading.Lock()
release = threading.Event()
def hold():
    with lock: release.wait()
threading.Thread(target=hold, daemon=True).start()`,
    )
    const run = blocksWith({ PYTHONPATH: workDir })
    expect(await run('import sitecustomize as s; s.release.set()\nwith s.lock: print("free")')).toBe('free\n')
  })
})
