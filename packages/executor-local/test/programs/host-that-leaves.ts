// Starts a program that sleeps and then ends in the way that the first argument names, without stopping the executor.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [, , way, seconds] = process.argv
const executor = new LocalCommandLineCodeExecutor({ timeoutMs: 120_000 })
console.log(executor.workDir)
for await (const event of executor.execute([
  { language: 'sh', code: `echo started; sleep ${seconds} & sleep ${seconds}` },
])) {
  if (event.type !== 'stdout') continue
  if (way === 'exit') process.exit(0)
  if (way === 'throw') throw new Error('the host has a bug')
  process.kill(process.pid, 'SIGTERM')
}
