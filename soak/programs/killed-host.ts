// Uses an executor, prints when it comes to a phase, and waits there to be killed.
import { executorNamed } from '../executors.ts'

const { subject, phase, seconds, setup } = JSON.parse(process.argv[2] ?? '')
// Runs until it is killed.
setInterval(() => {}, 1_000)

// One child in the group of the program, and a second child that leaves the session and the environment.
const code = `
import subprocess, sys, time
subprocess.Popen(['sleep', '${seconds}'])
subprocess.Popen(['sleep', '${seconds}'], start_new_session=True, env={})
print('running', flush=True)
time.sleep(${seconds})
`
const stack = new AsyncDisposableStack()
const executor = stack.use(await executorNamed(subject).make(setup, stack))
if (phase === 'start') {
  process.stdout.write(phase)
  await executor.start()
} else {
  const execution = executor.execute([{ language: 'python', code }], { timeoutMs: 1_800_000 })
  let hasBegun = false
  for await (const { type } of execution) {
    if (type !== 'stdout') continue
    hasBegun = true
    process.stdout.write(phase)
    if (phase === 'stop') await stack.disposeAsync()
  }
  // Otherwise the soak would wait for it.
  if (!hasBegun) throw new Error(`The block ended before it wrote anything: ${(await execution).output}`)
}
