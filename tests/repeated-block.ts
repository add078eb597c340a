// `node repeated-block.ts EXECUTOR PYTHON COUNT` runs `print(1)` COUNT times: its calls of the system are counted from outside.
import { argv } from 'node:process'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const [, , name, python = 'python3', count] = argv

await using executor =
  name === 'jupyter'
    ? new JupyterCodeExecutor({ python })
    : new LocalCommandLineCodeExecutor({ warm: true, python })
for (let block = 0; block < Number(count); block++) {
  const { output } = await executor.execute([{ language: 'python', code: 'print(1)' }])
  if (output !== '1\n') throw new Error(`Wrong output: ${output}`)
}
