// Is busy, or stopped, while its programs end and their time limit passes. Prints their results.
import { spawn } from 'node:child_process'
import { existsSync, stat, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const timeoutMs = 5_000
const [, , way, ...isolations] = process.argv
const code = 'echo >begun; while [ ! -e go ]; do sleep 0.02; done; echo whole; echo >done'
const executors = isolations.map(
  (isolation) =>
    new LocalCommandLineCodeExecutor({
      isolation: isolation === 'bubblewrap' ? 'bubblewrap' : 'none',
      warm: false,
      timeoutMs,
    }),
)
const filesOf = (name: string) => executors.map(({ workDir }) => join(workDir, name))
const executions = executors.map((executor) => executor.execute([{ language: 'sh', code }]))
while (!filesOf('begun').every(existsSync)) await sleep(5)
if (way === 'busy') {
  // What is called here comes before the timers, and before the ends of processes.
  stat('/', () => {
    for (const file of filesOf('go')) writeFileSync(file, '')
    const since = performance.now()
    while (performance.now() - since < timeoutMs || !filesOf('done').every(existsSync)) pause(5)
    pause(200)
  })
} else {
  const script = `kill -STOP ${process.pid}; touch "$@"; sleep ${timeoutMs / 1_000}; kill -CONT ${process.pid}`
  spawn('sh', ['-c', script, 'sh', ...filesOf('go')], { stdio: 'ignore' })
}
const results = await Promise.all(executions)
console.log(JSON.stringify(results.map(({ status, output }) => [status, output])))
await Promise.all(executors.map((executor) => executor.stop()))

function pause(timeMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeMs)
}
