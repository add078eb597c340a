import type { CodeExecutor } from '@fenced/core'
import { programOutput } from '../program-output.ts'
import type { Program } from './program.ts'

/** A Python on this machine. */
export interface Interpreter {
  readonly python: string
  readonly prefix: string
  readonly version: string
}

/** The one that an executor runs blocks with. */
export async function interpreterOf(executor: CodeExecutor): Promise<Interpreter> {
  const code = `import json, platform, sys
print(json.dumps(dict(python=sys.executable, prefix=sys.prefix, version=platform.python_version())))`
  return JSON.parse(await programOutput(executor, { language: 'python', code }))
}

/** Prints what it can only print with this one. */
export function programThatNames({ prefix, version }: Interpreter): Program {
  return {
    code: 'import platform, sys\nprint(sys.prefix, platform.python_version())\n',
    prints: `${prefix} ${version}`,
  }
}
