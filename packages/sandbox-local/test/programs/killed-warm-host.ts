// Runs a Python block as a fork in a sandbox, and is killed some time after the block has written something.
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { LocalSandbox } from '@fenced/sandbox-local'

const [, , options = '{}', waitMs, code = ''] = process.argv
const executor = new CommandLineCodeExecutor({ sandbox: new LocalSandbox(JSON.parse(options)), warm: {} })
for await (const event of executor.execute([{ language: 'python', code }])) {
  if (event.type !== 'stdout') continue
  await sleep(Number(waitMs))
  process.kill(process.pid, 'SIGKILL')
}
