import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FencedError } from '@fenced/core'
import { rowTags } from '@fenced/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const rows = rowTags({ all: ['a program forked', 'keeps no descriptor'] })

describe.skipIf(bubblewrap.missing || python.missing).each([
  ['started', {}],
  ['forked', { warm: {} }],
])('isolation: bubblewrap, a program %s,', rows, (_, start) => {
  const runPython = async (...lines: string[]) => {
    await using executor = new LocalCommandLineCodeExecutor({ ...start, isolation: 'bubblewrap' })
    return await executor.execute([{ language: 'python', code: lines.join('\n') }])
  }

  it('says what it promises', () => {
    const { capabilities } = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
    expect(capabilities).toMatchObject({ isolation: 'bubblewrap', network: 'none' })
  })

  it('hides the home directory, the host’s /tmp and the host’s processes', async () => {
    await using secret = await temporaryFile(tmpdir())
    await using key = await temporaryFile(homedir())
    const { output } = await runPython(
      'import os',
      `print(os.path.exists(${JSON.stringify(secret.path)}), os.path.exists(${JSON.stringify(key.path)}))`,
      "print(sum(name.isdigit() for name in os.listdir('/proc')) < 5)",
    )
    expect(output).toBe('False False\nTrue\n')
  })

  it('lets programs write in the working directory and in a /tmp of their own, and nowhere else', async () => {
    const { output, files } = await runPython(
      'import os',
      "for place in ['.', '/tmp', '/usr', '/etc', '/var', os.path.expanduser('~'), '/proc/sys/kernel']:",
      "    try: open(f'{place}/fenced-test', 'w').write('x'); print(place if place in ('.', '/tmp') else 'home' if place == os.path.expanduser('~') else 'BROKEN ' + place)",
      '    except OSError: pass',
    )
    // The home directory is an empty one that goes with the sandbox.
    expect(output).toBe('.\n/tmp\nhome\n')
    expect(files.map(({ path }) => path)).toEqual(['fenced-test'])
    await expect(readFile(join(homedir(), 'fenced-test'))).rejects.toThrow('ENOENT')
  })

  it('keeps no descriptor for an executor that has ended', async () => {
    const program = join(import.meta.dirname, 'programs/descriptors-left.ts')
    const command = ['--conditions=@fenced/source', program, JSON.stringify(start)]
    const { stdout } = await promisify(execFile)(process.execPath, command)
    expect(Number(stdout)).toBeLessThanOrEqual(0)
  })

  it('runs without capabilities', async () => {
    const { output } = await runPython(
      "print([line for line in open('/proc/self/status') if line.startswith('CapEff')])",
    )
    expect(output).toContain('0000000000000000')
  })

  it('has no network unless it is turned on', async () => {
    const server = createServer((_, response) => response.end('reached'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const program = `import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:${port}', timeout=5).read())`
    expect((await runPython(program)).status).toBe('error')
    await using executor = new LocalCommandLineCodeExecutor({
      ...start,
      isolation: 'bubblewrap',
      network: 'open',
    })
    expect((await executor.execute([{ language: 'python', code: program }])).output).toBe("b'reached'\n")
    server.close()
  })

  it('runs JavaScript as well', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
    const result = await executor.execute([{ language: 'javascript', code: 'console.log(6 * 7)' }])
    expect(result).toMatchObject({ status: 'ok', output: '42\n' })
  })
})

describe('isolation that cannot be had', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is an error that names the missing program, and nothing is run', async () => {
    vi.stubEnv('PATH', '/nonexistent')
    await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
    const run = async () => await executor.execute([{ language: 'javascript', code: 'console.log(1)' }])
    await expect(run).rejects.toSatisfy(FencedError.isInstance)
    await expect(run).rejects.toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      data: { isolation: 'bubblewrap', program: 'bwrap' },
    })
  })

  it('is not promised: refusing the network without isolation is a wrong option', () => {
    expect(() => new LocalCommandLineCodeExecutor({ network: 'none' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'network' } }),
    )
  })
})

async function temporaryFile(directory: string): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(join(directory, 'fenced-isolation-'))
  const path = join(folder, 'secret')
  await writeFile(path, 'secret')
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
