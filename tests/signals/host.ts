// Runs a program that sleeps, and stops its executor in listeners for a signal. The argument is a `Case` of `signals.test.ts`.
import type { CodeExecutor } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { SandboxPool } from '@fenced/sandbox'

const { subject, method, order, count, signal, seconds, image } = JSON.parse(process.argv[2] ?? '')

const python = `import os\nprint('started', flush=True)\nos.system('sleep ${seconds}')`
const sh = `echo started\nsleep ${seconds}`

const create: Readonly<Record<string, () => Promise<CodeExecutor>>> = {
  local: async () => new LocalCommandLineCodeExecutor(),
  bubblewrap: async () => new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' }),
  async docker() {
    const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
    return new DockerCommandLineCodeExecutor({ image })
  },
  async jupyter() {
    const { JupyterCodeExecutor } = await import('@fenced/executor-jupyter')
    return new JupyterCodeExecutor()
  },
}

const pool = new SandboxPool({
  create: ({ workDir }) => new LocalCommandLineCodeExecutor({ workDir }),
  size: 0,
})
const executor = await create[subject]?.()
const open = setInterval(() => {}, 1_000_000)

function listen(): void {
  if (method === 'none') return
  for (let number = 0; number < count; number++)
    process[method as 'on'](signal, async () => {
      await (executor ?? pool).stop()
      // What a handler still waits for comes in later turns.
      await new Promise(setImmediate)
      clearInterval(open)
      process.stdout.write('finished\n')
    })
}

if (order === 'before') listen()
const used = executor ?? (await pool.get('one')).resource
const blocks = [subject === 'jupyter' ? { language: 'python', code: python } : { language: 'sh', code: sh }]
const execution = used.execute(blocks)
execution.catch(() => {})
for await (const event of execution) {
  if (event.type !== 'stdout') continue
  if (order === 'after') listen()
  await new Promise(setImmediate)
  process.stdout.write(`ready ${process.listenerCount(signal)}\n`)
  break
}
