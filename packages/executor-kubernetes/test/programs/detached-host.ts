// Makes a detached sandbox, leaves a file and a process in it, says its id, and ends as it is told.
import { KubernetesSandbox } from '../../src/index.ts'

const { options, expiresInMs, isBusy, ends } = JSON.parse(process.argv[2] ?? '{}')
const sandbox = new KubernetesSandbox(options)
await sandbox.start({ detached: { expiresInMs } })
await sandbox.files.write('/tmp/kept', 'of the first host')
// The one for expiry starts nothing itself, so that the sandbox rests.
const going = isBusy ? 'while :; do date +%s.%N > /tmp/ticks; sleep 0.2; done' : 'exec sleep 600'
const started = await sandbox.spawn(['sh', '-c', `echo begun; ${going}`])
for await (const _ of started.stdout) break
process.stdout.write(`${sandbox.id}\n`, () => {
  if (ends === 'exit') process.exit(0)
  process.kill(process.pid, ends)
})
