import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

describe('the output of a cold block', () => {
  describe.each(['none', 'bubblewrap'] as const)('isolation: %s', (isolation) => {
    const isMissing = isolation === 'bubblewrap' && bubblewrap.missing

    it.skipIf(isMissing)('continues after a child that ended its stdout', async () => {
      await using executor = new LocalCommandLineCodeExecutor({ isolation, warm: false })
      const inherit =
        "require('child_process').spawnSync(process.execPath, ['-e', end], { stdio: 'inherit' })"
      const results = await executor.execute([
        { language: 'sh', code: `node -e 'process.stdout.end("x\\n")'; echo after` },
        {
          language: 'javascript',
          code: `const end = 'process.stdout.end("y\\\\n")'\n${inherit}\nconsole.log('after')`,
        },
      ])
      expect(results).toMatchObject({ status: 'ok', output: 'x\nafter\ny\nafter\n' })
    })

    it.skipIf(isMissing)('can be opened as /dev/stdout and /dev/stderr', async () => {
      await using executor = new LocalCommandLineCodeExecutor({ isolation, warm: false })
      const { blocks } = await executor.execute([
        { language: 'sh', code: 'echo out > /dev/stdout; echo warning | tee /dev/stderr' },
        { language: 'javascript', code: "require('fs').writeFileSync('/dev/stdout', 'script\\n')" },
      ])
      expect(blocks).toMatchObject([
        { exitCode: 0, stdout: 'out\nwarning\n', stderr: 'warning\n' },
        { exitCode: 0, stdout: 'script\n' },
      ])
    })
  })
})
