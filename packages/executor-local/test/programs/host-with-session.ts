// Runs a cell that starts a process and then waits, prints the process numbers of the session, and waits to be killed.
// Arguments: options, and for how many seconds the process would sleep.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [options = '{}', seconds = ''] = process.argv.slice(2)
const executor = new LocalCommandLineCodeExecutor({ ...JSON.parse(options), stateful: true })
const code = `
import os, subprocess, time
subprocess.Popen(["sleep", "${seconds}"])
print(os.getpid(), os.getppid(), flush=True)
time.sleep(600)
`
for await (const event of executor.execute([{ language: 'python', code }], { timeoutMs: 600_000 })) {
  if (event.type === 'stdout') process.stdout.write(event.text)
}
