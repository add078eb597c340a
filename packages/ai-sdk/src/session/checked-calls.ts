import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type { SandboxSession } from '../ai-sdk.ts'

type Methods = Omit<SandboxSession, 'description'>
type Call<Method extends keyof Methods> = Parameters<Methods[Method]>[0]

interface AnyCall {
  readonly abortSignal?: AbortSignal | undefined
}

const path = { path: true, abortSignal: true } as const
const content = { ...path, content: true } as const
const command = { command: true, workingDirectory: true, env: true, abortSignal: true } as const

/** The names that each method takes. A name that the AI SDK adds needs a row, or the program does not compile. */
const namesOfCalls: { readonly [Method in keyof Methods]: OptionNames<Call<Method>> } = {
  run: command,
  spawn: { ...command, stdin: true },
  readFile: path,
  readBinaryFile: path,
  readTextFile: { ...path, encoding: true, startLine: true, endLine: true },
  writeFile: content,
  writeBinaryFile: content,
  writeTextFile: { ...content, encoding: true },
  stat: path,
  listDirectory: path,
  deleteFile: path,
}

/** A session whose methods reject names that they do not know with `INVALID_OPTIONS`, and then wait until the sandbox is ready. */
export function checkedCalls(
  session: SandboxSession,
  makeReady: (signal: AbortSignal | undefined) => Promise<void>,
): SandboxSession {
  const methods = Object.entries(namesOfCalls).map(([name, names]) => {
    const method = session[name as keyof Methods] as (call: AnyCall) => PromiseLike<unknown>
    const checked = async (given: AnyCall) => {
      const call = knownOptions<AnyCall>(given, names, `${name}()`)
      call.abortSignal?.throwIfAborted()
      await makeReady(call.abortSignal)
      return await method(call)
    }
    return [name, checked] as const
  })
  return { ...session, ...(Object.fromEntries(methods) as unknown as Methods) }
}
