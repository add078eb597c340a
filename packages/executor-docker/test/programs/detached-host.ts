// Makes a detached sandbox, leaves a file and a process in it, says its id, and ends as it is told.
import { DockerSandbox } from '@fenced/sandbox-docker'

const { image, workDir, expiry, ends } = JSON.parse(process.argv[2] ?? '{}')
const sandbox = new DockerSandbox({ image, workDir })
await sandbox.start({ detached: { expiresInMs: expiry } })
await sandbox.files.write('/tmp/kept', 'of the first host')
// The one for expiry starts nothing itself, so that the sandbox rests.
const busy = expiry < 60_000 ? 'exec sleep 600' : 'while :; do date +%s.%N > /tmp/ticks; sleep 0.2; done'
const started = await sandbox.spawn(['sh', '-c', `echo begun; ${busy}`])
for await (const _ of started.stdout) break
process.stdout.write(`${sandbox.id}\n`, () => {
  if (ends === 'exit') process.exit(0)
  process.kill(process.pid, ends)
})
