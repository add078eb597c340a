import { bun, deno } from './runtimes.ts'
import type { Place } from './where-place.ts'

const files: Readonly<Record<string, string>> = {
  'docker.mjs': `
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
const blocks = [
  { language: 'python', code: 'from tools import add\\nprint(add(left=6, right=7))' },
  { language: 'sh', code: 'echo done' },
]
const add = { description: 'Adds.', inputSchema: { type: 'object' }, execute: ({ left, right }) => left + right }
const executor = new DockerCommandLineCodeExecutor({ image: process.env.IMAGE })
try {
  const { output } = await executor.execute(blocks, { tools: { add } })
  process.stdout.write(output)
} finally {
  await executor.stop()
}
`,
  'kernel.mjs': `
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
const server = new LocalJupyterServer()
const executor = new JupyterCodeExecutor({ server })
try {
  const { output } = await executor.execute([{ language: 'python', code: 'print(6 * 7)' }])
  process.stdout.write(output)
} catch (error) {
  console.log(error.code)
} finally {
  await executor.stop()
  await server.stop()
}
`,
}

const row = {
  group: 'Runtime',
  packages: ['@fenced/executor-docker', '@fenced/executor-jupyter'],
  files,
} as const
const docker = { ...row, needs: 'docker', prints: /^13\ndone\n$/ } as const
const kernel = { ...row, needs: 'jupyter' } as const
const inEnvironment = 'VIRTUAL_ENV="$JUPYTER"'

/** Other executors on runtimes other than Node. */
export const executors: readonly Place[] = [
  {
    ...docker,
    name: 'Bun, containers',
    version: `${bun.join(' ')} --version`,
    commands: [`${bun.join(' ')} docker.mjs`],
  },
  {
    ...docker,
    name: 'Deno, containers',
    version: `${deno.join(' ')} --version`,
    commands: [`${deno.join(' ')} run --allow-all docker.mjs`],
  },
  {
    ...kernel,
    name: 'Bun, Jupyter kernels on a server',
    version: `${bun.join(' ')} --version`,
    commands: [`${inEnvironment} ${bun.join(' ')} kernel.mjs`],
    prints: /^JUPYTER_START_FAILED\n$/,
    result: 'fails with `JUPYTER_START_FAILED`: the built-in `undici` of Bun has no `Agent.destroy`',
  },
  {
    ...kernel,
    name: 'Deno, Jupyter kernels on a server',
    version: `${deno.join(' ')} --version`,
    commands: [`${inEnvironment} ${deno.join(' ')} run --allow-all kernel.mjs`],
    prints: /^42\n$/,
  },
  {
    ...kernel,
    name: 'Bun and Deno, Jupyter kernels without a server',
    commands: [],
    prints: /^42\n$/,
    notRun:
      'the native module `zeromq` crashes the process (Bun: unsupported function; Deno: segmentation fault)',
  },
]
