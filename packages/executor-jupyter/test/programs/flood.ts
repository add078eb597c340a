// Runs a cell that writes without end, and prints as JSON by how many bytes this process grew meanwhile, as a whole and
// by what V8 counts, and whether the kernel kept its variables. Its arguments are the kind of kernel, a Python, whether
// the events are read, for how long, and the line that writes.
import { setTimeout as sleep } from 'node:timers/promises'
import { JupyterCodeExecutor, LocalJupyterServer } from '../../src/index.ts'

const [way, python, reading, floodMs = '4000', line = "sys.stdout.write('x' * 100_000)"] =
  process.argv.slice(2)
await using server = way === 'server' ? new LocalJupyterServer({ python }) : undefined
await using executor = new JupyterCodeExecutor({ python, server })

const flood = async (timeoutMs: number) => {
  const code = `import sys\nwhile True: ${line}`
  const execution = executor.execute([{ language: 'python', code }], { timeoutMs })
  if (reading === 'read') for await (const _ of execution) await sleep(1)
  return execution
}

await executor.execute([{ language: 'python', code: 'kept = 7' }])
// V8 lets its heap grow to its usual size first, whatever a program does.
await flood(2_500)
const used = () => {
  const { rss, heapTotal, external } = process.memoryUsage()
  return { rss, held: heapTotal + external }
}
const before = used()
const most = { ...before }
const watching = setInterval(() => {
  const now = used()
  most.rss = Math.max(most.rss, now.rss)
  most.held = Math.max(most.held, now.held)
}, 20)
const { status, blocks } = await flood(Number(floodMs))
clearInterval(watching)
const { output } = await executor.execute([{ language: 'python', code: 'print(kept)' }])
const notices = blocks.flatMap(({ notices }) => notices.map(({ code }) => code))
const [{ droppedBytes, durationMs } = {}] = blocks
process.stdout.write(
  JSON.stringify({
    status,
    notices,
    output,
    grownBytes: most.rss - before.rss,
    heldBytes: most.held - before.held,
    droppedBytes,
    durationMs,
  }),
)
