// Uses a kernel and forgets to stop it, and its server. It prints what the cell printed.
import { JupyterCodeExecutor } from '../../src/index.ts'
import { serverOf } from './server-of.ts'

const [way, python] = process.argv.slice(2)
const server = serverOf(way, python)
const executor = new JupyterCodeExecutor({ python, server })
const code = 'import time; time.sleep(1); print(6 * 7)'
const { output } = await executor.execute([{ language: 'python', code }])
process.stdout.write(output)
