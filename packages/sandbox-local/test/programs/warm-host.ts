// Runs blocks by a runner and then ends in the way that the first argument names, without stopping the executor.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalExecutor } from '../local-executor.ts'

const [, , way, seconds] = process.argv
const executor = new LocalExecutor({ timeoutMs: 120_000, warm: {} })
await executor.execute([{ language: 'python', code: 'print(1)' }])
/** Files that are there when the output has come, and when the program has stopped its resident Python. */
const [seen, stopped] = ['seen', 'stopped'].map((name) => join(process.env.TMPDIR ?? '', name)) as [
  string,
  string,
]
const code = [
  'import subprocess, time',
  `subprocess.Popen(['sleep', '${seconds}'])`,
  `subprocess.Popen(['sleep', '${seconds}'], start_new_session=True, env={})`,
  "print('started')",
  ...(way === 'stopped'
    ? [
        'import os, signal',
        `while not os.path.exists(${JSON.stringify(seen)}): time.sleep(0.02)`,
        'os.kill(os.getppid(), signal.SIGSTOP)',
        `open(${JSON.stringify(stopped)}, 'w')`,
      ]
    : []),
  `time.sleep(${seconds})`,
].join('\n')
if (way !== 'idle') {
  for await (const event of executor.execute([{ language: 'python', code }])) {
    if (event.type !== 'stdout') continue
    if (way === 'exit') process.exit(0)
    if (way === 'throw') throw new Error('the host has a bug')
    if (way === 'stopped') writeFileSync(seen, '')
    while (way === 'stopped' && !existsSync(stopped)) await sleep(20)
    process.kill(process.pid, way === 'stopped' ? 'SIGKILL' : way)
  }
}
