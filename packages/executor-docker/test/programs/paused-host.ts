// Starts a sandbox with a process, pauses it, says its id, and is killed.
import { DockerSandbox } from '@fenced/sandbox-docker'

const [options = '{}', detached] = process.argv.slice(2)
const sandbox = new DockerSandbox(JSON.parse(options))
await sandbox.start(detached === undefined ? {} : { detached: { expiresInMs: Number(detached) } })
const started = await sandbox.spawn(['sh', '-c', 'while :; do echo; sleep 0.1; done'])
for await (const _ of started.stdout) break
await sandbox.pause()
process.stdout.write(`${sandbox.id}\n`, () => process.kill(process.pid, 'SIGKILL'))
