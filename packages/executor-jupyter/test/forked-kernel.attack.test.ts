import { describe, expect, test } from 'vitest'
import { forkedExecutor, inOwnEnvironment } from './forked-executor.ts'
import { jupyter, run } from './support.ts'

const lookAtStdin = "import os; print(os.get_blocking(0), os.readlink('/proc/self/fd/0'))"

/** A fork inherits it of its parent, and that one of its own. */
const lookAtSlack = "print(open('/proc/self/timerslack_ns').read().strip())"
const changeSlack = [
  'import os',
  "def parent(of): return int(open(f'/proc/{of}/stat').read().rpartition(')')[2].split()[1])",
  'for pid in (os.getppid(), parent(os.getppid())):',
  "    open(f'/proc/{pid}/timerslack_ns', 'w').write('70000')",
]

describe.skipIf(jupyter.missing || process.platform !== 'linux')('a kernel that is a fork', () => {
  test('leaves no flag on the stdin of another kernel', async () => {
    const options = inOwnEnvironment()
    await using first = await forkedExecutor(options)
    await using second = await forkedExecutor(options)
    expect((await run(first, 'import os; os.set_blocking(0, False)')).status).toBe('ok')
    expect((await run(second, lookAtStdin)).output).toBe('True /dev/null\n')
  })

  test.skipIf(process.getuid?.() !== 0)(
    'leaves no timer slack of its parents to a later kernel',
    async () => {
      const options = inOwnEnvironment()
      await using first = await forkedExecutor(options)
      const { output } = await run(first, lookAtSlack)
      expect((await run(first, ...changeSlack)).status).toBe('ok')
      await using second = await forkedExecutor(options)
      expect((await run(second, lookAtSlack)).output).toBe(output)
      await first.restart()
      expect((await run(first, lookAtSlack)).output).toBe(output)
    },
  )
})
