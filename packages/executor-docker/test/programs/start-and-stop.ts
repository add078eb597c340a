// A program: starts and stops executors, and has nothing left to do then. From its first argument it reads their
// options; it prints how many blocks ended well.
import { DockerCommandLineCodeExecutor } from '../../src/index.ts'

const options = JSON.parse(process.argv[2] ?? '')
const again = new DockerCommandLineCodeExecutor(options)
let count = 0
for (let round = 0; round < 10; round++) {
  await again.start()
  const { status } = await again.execute([{ language: 'sh', code: 'true' }])
  if (status === 'ok') count++
  await again.stop()
}
const cancelled = new DockerCommandLineCodeExecutor(options)
for await (const { type } of cancelled.execute([{ language: 'sh', code: 'echo early; sleep 100' }])) {
  if (type === 'stdout') break
}
await cancelled.stop()
process.stdout.write(`${count}`)
