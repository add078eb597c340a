// Runs a block that writes much, and prints what was counted and by how much this process grew meanwhile.
import type { BlockResult, CodeBlock } from '@fenced/core'
import { executorNamed } from '../executors.ts'

const { subject, flood, timeoutMs, setup } = JSON.parse(process.argv[2] ?? '')
/** A process that grows as much would take the machine's memory, and has shown enough. */
const giveUpAt = 1e9

await using stack = new AsyncDisposableStack()
const executor = stack.use(await executorNamed(subject).make(setup, stack))
// What the first run loads and the heap's first growth are not the flood's.
await run({ language: 'python', code: "import sys\nfor _ in range(200): sys.stdout.write('x' * 100_000)" })
const before = process.memoryUsage.rss()
let most = before
const timer = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
  if (most - before > giveUpAt) print({ status: 'given up', counted: 0 }, () => process.exit())
}, 10)
const { status, stdout, droppedBytes } = await run(flood)
clearInterval(timer)
// Where something is left out, a sentence says so.
print({ status, counted: stdout.replaceAll(/[^#]/g, '').length + droppedBytes.stdout })

async function run(block: CodeBlock): Promise<BlockResult> {
  const { blocks } = await executor.execute([block], { timeoutMs })
  const [result] = blocks
  if (result === undefined) throw new Error('The block was not run.')
  return result
}

function print(seen: object, then = () => {}): void {
  clearInterval(timer)
  process.stdout.write(JSON.stringify({ ...seen, grewBy: most - before }), then)
}
