// Runs cells that write without end, one after the other in one kernel, and prints for each as JSON by how many bytes
// this process grew meanwhile, as a whole and by what V8 counts, and whether the kernel kept its variables. Its
// arguments are the kind of kernel, a Python, for how long each cell writes, and the floods: how they are read, and the
// line that writes.
import { setTimeout as sleep } from 'node:timers/promises'
import { JupyterCodeExecutor, LocalJupyterServer } from '../../src/index.ts'

interface Flood {
  readonly reading: 'awaited' | 'read' | 'read slowly'
  readonly line: string
}

const [way, python, floodMs, floods = '[]'] = process.argv.slice(2)
await using server = way === 'server' ? new LocalJupyterServer({ python }) : undefined
// A busy machine may take long to stop a cell.
await using executor = new JupyterCodeExecutor({ python, server, interruptGraceMs: 60_000 })

async function flood({ reading, line }: Flood) {
  const code = `import sys\nwhile True: ${line}`
  const execution = executor.execute([{ language: 'python', code }], { timeoutMs: Number(floodMs) })
  if (reading === 'read') for await (const _ of execution);
  if (reading === 'read slowly') for await (const _ of execution) await sleep(1)
  return execution
}

function used(): { rss: number; held: number } {
  const { rss, heapTotal, external } = process.memoryUsage()
  return { rss, held: heapTotal + external }
}

async function watched(given: Flood) {
  const before = used()
  const most = { ...before }
  const watching = setInterval(() => {
    const now = used()
    most.rss = Math.max(most.rss, now.rss)
    most.held = Math.max(most.held, now.held)
  }, 20)
  const { status, blocks } = await flood(given).finally(() => clearInterval(watching))
  const { output } = await executor.execute([{ language: 'python', code: 'print(kept)' }])
  return {
    status,
    notices: blocks.flatMap(({ notices }) => notices.map(({ code }) => code)),
    output,
    grownBytes: most.rss - before.rss,
    heldBytes: most.held - before.held,
    droppedBytes: blocks[0]?.droppedBytes.stdout,
  }
}

await executor.execute([{ language: 'python', code: 'kept = 7' }])
// V8 lets its heap grow to its usual size first, whatever a program does.
await flood({ reading: 'awaited', line: "sys.stdout.write('x' * 100_000)" })
const results: unknown[] = []
for (const given of JSON.parse(floods)) results.push(await watched(given))
process.stdout.write(JSON.stringify(results))
