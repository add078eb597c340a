// Runs a cell in a kernel, prints its result, and waits to be killed. Its argument is what is to be made: an executor
// with a kernel of its own (`direct`) or with a server (`server`).
import { JupyterCodeExecutor, LocalJupyterServer } from '../../src/index.ts'

const [way, python] = process.argv.slice(2)
const server = way === 'server' ? new LocalJupyterServer({ python }) : undefined
const executor = new JupyterCodeExecutor({ python, server })
const { output } = await executor.execute([
  { language: 'python', code: 'import os\nprint(os.getpid(), os.getppid())' },
])
process.stdout.write(output)
setInterval(() => {}, 1_000)
