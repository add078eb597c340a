import { execFile } from 'node:child_process'
import { join } from 'node:path'

interface Pythons {
  readonly python: string | undefined
  readonly autogen: string | undefined
  readonly ag2: string | undefined
}

/** For each Python that is not named, one that has what is measured, made if it is not there yet. */
export async function withPreparedPythons<Options extends Pythons>(options: Options): Promise<Options> {
  return {
    ...options,
    autogen: options.autogen ?? (await pathFrom('autogen-python.sh')),
    ag2: options.ag2 ?? (await pathFrom('ag2-python.sh')),
    python: options.python ?? (await pathFrom('data-python.sh')),
  }
}

async function pathFrom(script: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = execFile(join(import.meta.dirname, script), (cause, stdout) => {
    if (cause === null) resolve(stdout.trim())
    else reject(new Error(`bench/${script} made no Python. What it said is above.`, { cause }))
  })
  child.stderr?.pipe(process.stderr)
  return promise
}
