// Runs a Python block as root and again as another user, in one executor, and prints what both could read.
import { chmod } from 'node:fs/promises'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [, , workDir = '', secret = '', isolation = 'none', stateful = ''] = process.argv
const user = 65_534
const code = `import os
print(os.getuid(), os.getgid(), os.getgroups())
try: print(open(${JSON.stringify(secret)}).read())
except OSError as error: print(error.strerror)`

const executor = new LocalCommandLineCodeExecutor({
  workDir,
  warm: {},
  stateful: stateful !== '',
  isolation: isolation as 'none' | 'bubblewrap',
})
// Both users use it.
await chmod(workDir, 0o777)
const run = async () => {
  const { blocks } = await executor.execute([{ language: 'python', code }])
  console.log(blocks[0]?.stdout)
  for (const { code } of blocks[0]?.notices ?? []) console.log(code)
}
await run()
process.setgroups?.([])
process.setgid?.(user)
process.setuid?.(user)
await run().catch(async (error) => {
  console.log(error.code)
  await executor.restart()
  await run()
})
if (stateful !== '') {
  await executor.restart()
  await run()
}
await executor.stop()
console.log('stopped')
process.exit()
