import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { type Row, Skipped, spreadOf } from './measure.ts'
import { programOutput } from './processes.ts'

/** A Python to fork. */
interface Forked {
  /** Modules that it has imported. */
  readonly modules: readonly string[]
  /** What each fork does, and the row's words for it. @default it ends */
  readonly program?: { readonly does: string; readonly code: string }
  readonly rounds: number
}

/** What a block takes in any case: a Python is forked, and the fork does its work and ends, and is waited for. */
export async function bareForkRows(
  options: LocalExecutorOptions,
  { modules, program = { does: '', code: '' }, rounds }: Forked,
): Promise<Row[]> {
  await using executor = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  const code = `import json, os, time
${modules.map((name) => `import ${name}`).join('\n')}
program = compile(${JSON.stringify(program.code)}, 'program', 'exec')
def fork():
    begun = time.perf_counter()
    if os.fork() == 0:
        exec(program, {})
        os._exit(0)
    os.wait()
    return (time.perf_counter() - begun) * 1000
print(json.dumps([fork() for _ in range(${rounds})]))`
  const output = await programOutput(executor, { language: 'python', code }).catch((cause) => {
    throw new Skipped(`The Python needs ${modules.join(', ')}. Set --python to a Python that has them.`, {
      cause,
    })
  })
  const imported = modules.length === 0 ? '' : ` with ${modules.join(', ')}`
  const measured = `a fork of a Python${imported}${program.does}, and its end, without Fenced`
  // The forks print, too.
  const [times = ''] = output.split('\n').slice(-1)
  return [{ measured, unit: 'ms', rounds, ours: spreadOf(JSON.parse(times)) }]
}
