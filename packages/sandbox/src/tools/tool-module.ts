import type { BlockTools } from '@fenced/core/driver'
import { pythonTools } from '../embedded.ts'

/** The source of the module `tools` of a program of Python. */
export function toolModule({ pythonFunctions, maxMessageBytes }: BlockTools): string {
  const names = [...pythonFunctions.matchAll(/^def (\w+)\(/gm)].map(([, name]) => `"${name}"`)
  return `${pythonTools}
def _connect(calls, answers):
    global _connection
    _connection = _Connection(calls, answers, ${maxMessageBytes - 4_096})


__all__ = [${names.join(', ')}]

${pythonFunctions}`
}
