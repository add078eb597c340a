import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`)

const rows = rowTags({
  all: ['bubblewrap', 'warm: false'],
  nightly: [{ in: 'bubblewrap', except: ['has written', 'may take longer', 'is not waited for'] }],
})

// It does not wait for its `>(…)` at its end.
describe.runIf(process.platform === 'linux').each([
  ['none', false],
  ['none', true],
  ['bubblewrap', false],
  ['bubblewrap', true],
] as const)('what reads from a block of bash, isolation: %s, warm: %s', rows, (isolation, warm) => {
  const isMissing = (isolation === 'bubblewrap' && bubblewrap.missing) || (warm && python.missing)

  const run = async (code: string, file: string) => {
    await using executor = new LocalCommandLineCodeExecutor({ isolation, warm })
    // Behind it other languages are forks as well.
    if (warm) await executor.execute([{ language: 'python', code: 'pass' }])
    const { status, exitCode, output } = await executor.execute([{ language: 'bash', code }])
    const endedAt = Date.now()
    const content = await readFile(join(executor.workDir, file), 'utf8')
    return { result: { status, exitCode, output, content }, endedAt }
  }

  it.skipIf(isMissing)('has written all it read', async () => {
    const { result } = await run('seq 1 300000 > >(sort -rn > sorted.txt); exit 7', 'sorted.txt')
    const { content, ...others } = result
    expect(others).toEqual({ status: 'error', exitCode: 7, output: '' })
    expect(content === lines(300_000).reverse().join('')).toBe(true)
  })

  it.skipIf(isMissing)(
    'has read all from its stdin, a named pipe or the socket that Node makes',
    async () => {
      const code = `mkfifo lines
(exec < lines; sleep 0.3; wc -l > count) &
seq 1 300 > lines
node -e "
const child = require('node:child_process').spawn('sh', ['-c', 'until [ -s count ]; do sleep 0.1; done; cat count - | wc -c > size'])
child.stdin.write(Buffer.alloc(100_000), () => process.exit())"`
      const { result } = await run(code, 'size')
      expect(result).toEqual({
        status: 'ok',
        exitCode: 0,
        output: '',
        content: `${'300\n'.length + 100_000}\n`,
      })
    },
  )

  it.skipIf(isMissing)('may take longer than a background job, and goes into the output', async () => {
    const code = `exec > >(sleep 0.5; sed 's/^/[log] /' | tee log.txt) 2>&1\nseq 1 5`
    const log = lines(5).map((line) => `[log] ${line}`)
    expect((await run(code, 'log.txt')).result).toEqual({
      ...{ status: 'ok', exitCode: 0 },
      ...{ output: log.join(''), content: log.join('') },
    })
  })

  it.skipIf(isMissing)('is not waited for while a background job writes to it', async () => {
    const code =
      '(echo begun; exec sleep 60) | tee server.log > /dev/null &\nuntil [ -s server.log ]; do sleep 0.01; done\ncat server.log; date +%s%3N > ended'
    const { result, endedAt } = await run(code, 'ended')
    expect(result).toMatchObject({ status: 'ok', output: 'begun\n' })
    // From the end of the script on, however long its start took.
    expect(endedAt - Number(result.content)).toBeLessThan(8_000)
  })
})
