import { appendFileSync } from 'node:fs'

/** Frames of a stack trace that are in a module of the repository, and those in which messages only pass. */
const inModule = /\.ts[?:]/
const passing =
  /\/(?:reworded-message|fenced-error|redactor|block-recorder|driver-executor|python-packages|run-block)\.ts/
/** Fenced's own modules. Errors and notices that a test or its fixture makes keep their words. */
const own = /\/(?:packages\/[^/]+|apps\/[^/]+|shared)\/src\/|\/examples\//
const ofTests = /\.(?:test|fixture)\.ts/
/** Models and people with a script, whose errors tests show as part of a conversation. */
const ofScripts = /\/src\/testing\//

interface Words {
  readonly code: string
  readonly message: string
}

/**
 * The message of an error or a notice for a run of tests that must not depend on its words. With `FENCED_TEST_MESSAGES`, the
 * message is unchanged, and is added to that file as a line of JSON.
 */
export function reworded({ code, message }: Words): string {
  const [, ...frames] = new Error().stack?.split('\n') ?? []
  const origin = frames.find((frame) => inModule.test(frame) && !passing.test(frame)) ?? ''
  if (origin !== '' && (!own.test(origin) || ofTests.test(origin))) return message
  if (process.env.FENCED_TEST_MESSAGES === undefined) {
    return ofScripts.test(origin) ? message : `[${code}] reworded`
  }
  collect({ code, message })
  return message
}

/**
 * The unchanged notice or event, for words that are behavior. With `FENCED_TEST_MESSAGES`, the message of the notice is added
 * to the file.
 */
export function collected<Given extends object>(given: Given): Given {
  const words = 'notice' in given ? given.notice : given
  if (isWords(words)) collect(words)
  return given
}

function isWords(value: unknown): value is Words {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value
}

function collect({ code, message }: Words): void {
  const { FENCED_TEST_MESSAGES: file } = process.env
  if (file === undefined) return
  try {
    appendFileSync(file, `${JSON.stringify({ code, message })}\n`)
  } catch {
    // Without free descriptors, or as a user who cannot write the file, the message is not an example.
  }
}
