// Uses a kernel and forgets to stop it, and its server. It prints what the cell printed.
import { JupyterCodeExecutor, LocalJupyterServer } from '../../src/index.ts'

const [way, python] = process.argv.slice(2)
const server = way === 'server' ? new LocalJupyterServer({ python }) : undefined
const executor = new JupyterCodeExecutor({ python, server })
const code = 'import time; time.sleep(1); print(6 * 7)'
const { output } = await executor.execute([{ language: 'python', code }])
process.stdout.write(output)
