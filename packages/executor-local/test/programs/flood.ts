// Runs `yes` under a cap of 1 MiB for three seconds and prints by how much this process grew.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

await using executor = new LocalCommandLineCodeExecutor({ maxOutputBytes: 2 ** 20, timeoutMs: 3_000 })
// What the first run loads and the heap's first growth are not the flood's.
await executor.execute([{ language: 'sh', code: 'head -c 500000000 /dev/zero' }])
const before = process.memoryUsage().rss
let peak = before
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
}, 20)
const { status, output, blocks } = await executor.execute([{ language: 'sh', code: 'yes' }])
clearInterval(timer)
console.log(
  JSON.stringify({
    grewBy: peak - before,
    status,
    outputLength: output.length,
    head: output.slice(0, 4),
    dropped: blocks[0]?.droppedBytes.stdout,
  }),
)
