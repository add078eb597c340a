// A program: takes 100 MB of output in a container of an image, with a working directory that has them in a file, and
// prints by how many bytes this process grew at most meanwhile.
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { byteCount, outputFile } from './docker.bench.ts'

const [image = '', workDir = ''] = process.argv.slice(2)

await using executor = new DockerCommandLineCodeExecutor({ image, workDir })
await executor.execute([{ language: 'sh', code: 'true' }])
const before = process.memoryUsage.rss()
let most = before
const timer = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 10)
const { status, blocks } = await executor.execute([{ language: 'sh', code: `exec cat ${outputFile}` }])
clearInterval(timer)
const { stdout = '', droppedBytes } = blocks[0] ?? {}
if (status !== 'ok' || (droppedBytes?.stdout ?? 0) < byteCount - stdout.length) {
  throw new Error(`It ended with ${status}, and not all of the output was seen.`)
}
console.log(JSON.stringify({ grewBy: Math.max(most, process.memoryUsage.rss()) - before }))
