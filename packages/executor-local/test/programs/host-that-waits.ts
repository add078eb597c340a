// Runs a program that calls a tool, and is killed while somebody is asked about the call. Arguments: a working directory, and for
// how many seconds a process of the program would sleep.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [, , workDir = '', seconds] = process.argv
const executor = new LocalCommandLineCodeExecutor({ workDir, timeoutMs: 120_000 })
const code = `
import subprocess, tools
subprocess.Popen(["sleep", "${seconds}"])
tools.act()
`
await executor.execute([{ language: 'python', code }], {
  tools: { act: () => writeFileSync(join(workDir, 'called'), '') },
  ask: {
    tool: async () => {
      process.kill(process.pid, 'SIGKILL')
      return { decision: 'allow' }
    },
  },
})
