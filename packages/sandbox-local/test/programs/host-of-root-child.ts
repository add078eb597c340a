// As the user `nobody`: two executors, one after the other, each run a block that leaves a process of root, and then another block. Prints
// what was seen of each executor. Arguments: a program that can become root, and for how many seconds a process sleeps.
import { LocalExecutor } from '../local-executor.ts'

const [, , become = '', seconds = ''] = process.argv
const nobody = 65_534
process.setgroups?.([])
process.setgid?.(nobody)
process.setuid?.(nobody)

const leave = `
import subprocess, time
command = [${JSON.stringify(become)}, '--reuid=0', 'sleep', '${seconds}']
none = subprocess.DEVNULL
pid = subprocess.Popen(command, start_new_session=True, stdin=none, stdout=none, stderr=none).pid
while 'Uid:\\t0\\t' not in open(f'/proc/{pid}/status').read(): time.sleep(0.01)
print(pid)`
const showShared =
  'import os; print(open(f"/proc/{os.getppid()}/status").read().partition("PPid:")[2].split()[0])'

for (let round = 0; round < 2; round++) {
  await using executor = new LocalExecutor({ warm: {}, python: '/usr/bin/python3' })
  const run = async (code: string) => {
    const { status, output, blocks } = await executor.execute([{ language: 'python', code }])
    const notices = blocks.flatMap(({ notices }) => notices.map(({ code }) => code))
    return { status, output: output.trim(), notices }
  }
  console.log(JSON.stringify([await run(leave), await run(showShared)]))
}
process.exit()
