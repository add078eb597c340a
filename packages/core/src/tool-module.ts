import { readFileSync } from 'node:fs'
import type { BlockTools } from './host-tools/tool-connection.ts'

let common: string | undefined

/** The source of the module `tools` of a program of Python. It is not in a folder of its own, so that the path is the same from `src` and `dist`. */
export function toolModule({ pythonFunctions, maxMessageBytes }: BlockTools): string {
  common ??= readFileSync(new URL('../python/tools.py', import.meta.url), 'utf8')
  const names = [...pythonFunctions.matchAll(/^def (\w+)\(/gm)].map(([, name]) => `"${name}"`)
  return `${common}
def _connect(calls, answers):
    global _connection
    _connection = _Connection(calls, answers, ${maxMessageBytes - 4_096})


__all__ = [${names.join(', ')}]

${pythonFunctions}`
}
