// Runs blocks by a runner and then ends in the way that the first argument names, without stopping the executor.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [, , way, seconds] = process.argv
const executor = new LocalCommandLineCodeExecutor({ timeoutMs: 120_000, warm: true })
await executor.execute([{ language: 'python', code: 'print(1)' }])
const code = [
  'import subprocess, time',
  `subprocess.Popen(['sleep', '${seconds}'])`,
  `subprocess.Popen(['sleep', '${seconds}'], start_new_session=True, env={})`,
  "print('started')",
  `time.sleep(${seconds})`,
].join('\n')
if (way !== 'idle') {
  for await (const event of executor.execute([{ language: 'python', code }])) {
    if (event.type !== 'stdout') continue
    if (way === 'exit') process.exit(0)
    if (way === 'throw') throw new Error('the host has a bug')
    process.kill(process.pid, way)
  }
}
