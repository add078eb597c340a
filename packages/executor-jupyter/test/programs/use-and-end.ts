// Uses the library as programs do, and has nothing left to do then. It prints what the cell printed.
import { JupyterCodeExecutor, LocalJupyterServer } from '../../src/index.ts'

const [way, python] = process.argv.slice(2)
await using server = way === 'server' ? new LocalJupyterServer({ python }) : undefined
await using executor = new JupyterCodeExecutor({
  ...{ python, server },
  isolation: way === 'bubblewrap' ? way : 'none',
})
const { output } = await executor.execute([{ language: 'python', code: 'print(6 * 7)' }])
process.stdout.write(output)
const late = await executor.execute([{ language: 'python', code: 'import time; time.sleep(1000)' }], {
  timeoutMs: 500,
})
process.stdout.write(`${late.status}\n`)
await executor.restart()
