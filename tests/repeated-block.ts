// `node repeated-block.ts EXECUTOR PYTHON PARTS COUNT` runs `print(1)` some times, and then in PARTS of COUNT times between looks at a path
// that is not there: the calls of the system between them are counted from outside.
import { existsSync } from 'node:fs'
import { argv } from 'node:process'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const [, , name, python = 'python3', parts, count] = argv

await using executor =
  name === 'jupyter'
    ? new JupyterCodeExecutor({ python })
    : new LocalCommandLineCodeExecutor({ warm: {}, python, stateful: name === 'session' })
await run(5)
existsSync('/counted-part')
for (let part = 0; part < Number(parts); part++) {
  await run(Number(count))
  existsSync('/counted-part')
}

async function run(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    const { output } = await executor.execute([{ language: 'python', code: 'print(1)' }])
    if (output !== '1\n') throw new Error(`Wrong output: ${output}`)
  }
}
