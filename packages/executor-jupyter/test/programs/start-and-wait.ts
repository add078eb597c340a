// Runs a cell in a kernel, prints its result, and waits to be killed. Its argument is what is to be made: an executor
// with a kernel of its own (`direct`, `bubblewrap`; `forked`, which is the second one), or with a server.
import { JupyterCodeExecutor } from '../../src/index.ts'
import { serverOf } from './server-of.ts'

const [way, python] = process.argv.slice(2)
const server = serverOf(way, python)
const isolation = way === 'bubblewrap' ? way : 'none'
const executor = new JupyterCodeExecutor({ python, server, isolation })
await executor.start()
if (way === 'forked') await executor.restart()
const { output } = await executor.execute([
  { language: 'python', code: 'import os\nprint(os.getpid(), os.getppid())' },
])
process.stdout.write(output)
setInterval(() => {}, 1_000)
