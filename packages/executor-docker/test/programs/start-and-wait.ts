// Starts executors, runs a block in each, prints their working directories, and waits to be killed.
import { DockerCommandLineCodeExecutor } from '../../src/index.ts'

const [prefix, count, options] = process.argv.slice(2)
const executors = Array.from(
  { length: Number(count) },
  (_, index) =>
    new DockerCommandLineCodeExecutor({ ...JSON.parse(options ?? ''), containerName: `${prefix}-${index}` }),
)
await Promise.all(executors.map((executor) => executor.start()))
for (const executor of executors) void executor.execute([{ language: 'sh', code: 'sleep 1000' }])
process.stdout.write(`${JSON.stringify(executors.map(({ workDir }) => workDir))}\n`)
setInterval(() => {}, 1_000)
