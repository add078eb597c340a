// Starts a shell with a script in a sandbox, and is killed as soon as it has written something; first pauses the sandbox if it is told to.
import { LocalSandbox } from '@fenced/sandbox-local'

const [, , options = '{}', role, script = '', pauses] = process.argv
const sandbox = new LocalSandbox(JSON.parse(options))
await sandbox.start()
const started = await sandbox.spawn(['/bin/sh', '-c', script], {
  role: role as 'block' | 'process',
  stdin: role === 'process' ? 'open' : 'none',
})
started.stdout.once('data', async () => {
  if (pauses === 'pauses') await sandbox.pause()
  process.kill(process.pid, 'SIGKILL')
})
