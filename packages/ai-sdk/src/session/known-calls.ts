import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type { SandboxSession } from '../ai-sdk.ts'

type Methods = Omit<SandboxSession, 'description'>
type Call<Method extends keyof Methods> = Parameters<Methods[Method]>[0]

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

/** A session whose methods reject names that they do not know with `INVALID_OPTIONS`, before anything is done. */
export function refusingUnknownNames(session: SandboxSession): SandboxSession {
  const methods = Object.entries(namesOfCalls).map(([name, names]) => {
    const method = session[name as keyof Methods] as (call: object) => PromiseLike<unknown>
    return [name, async (call: object) => method(knownOptions<object>(call, names, `${name}()`))] as const
  })
  return { ...session, ...(Object.fromEntries(methods) as unknown as Methods) }
}
