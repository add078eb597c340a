import { join } from 'node:path'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

// Starts an isolated executor and one without isolation, each in a directory of its own, says so, and waits to be killed.
const [, , folder = ''] = process.argv
for (const isolation of ['bubblewrap', 'none'] as const)
  await new LocalCommandLineCodeExecutor({ workDir: join(folder, isolation), isolation }).start()
process.stdout.write('started\n')
setInterval(() => {}, 60_000)
