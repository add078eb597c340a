import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { type Row, Skipped, spreadOf } from './measure.ts'
import { programOutput } from './processes.ts'

/** What the system takes of a block in any case: a Python with these modules is forked, and the fork ends and is waited for. */
export async function bareForkRows(
  options: LocalExecutorOptions,
  { modules, rounds }: { readonly modules: readonly string[]; readonly rounds: number },
): Promise<Row[]> {
  await using executor = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  const code = `import json, os, time
${modules.map((name) => `import ${name}`).join('\n')}
def fork():
    begun = time.perf_counter()
    if os.fork() == 0:
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
  const measured = `a fork of a Python${imported}, and its end, without Fenced`
  return [{ measured, unit: 'ms', rounds, ours: spreadOf(JSON.parse(output)) }]
}
