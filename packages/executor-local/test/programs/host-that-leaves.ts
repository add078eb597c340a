// Starts a program that sleeps and then ends in the way that the first argument names, without stopping the executor.
// The program has a child in its process group and, where a second number of seconds is given, one in another session. The last
// argument is the working directory; default: a temporary one.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [, , way = '', seconds, secondsElsewhere, workDir] = process.argv
const elsewhere = secondsElsewhere === undefined ? '' : `setsid sleep ${secondsElsewhere} &`
const executor = new LocalCommandLineCodeExecutor({ workDir, timeoutMs: 120_000 })
console.log(executor.workDir)
for await (const event of executor.execute([
  // With its own name, so that it has a file.
  { language: 'sh', code: `: $0\n${elsewhere}\nsleep ${seconds} &\necho started; sleep ${seconds}` },
])) {
  if (event.type !== 'stdout') continue
  if (way === 'exit') process.exit(0)
  if (way === 'throw') throw new Error('the host has a bug')
  process.kill(process.pid, way)
}
