import { appendFileSync } from 'node:fs'

/** Frames of a stack trace that are in a module of the repository, and those in which messages only pass. */
const inModule = /\.ts[?:]/
const passing =
  /\/(?:reworded-message|fenced-error|redactor|block-recorder|driver-executor|python-packages|run-block)\.ts/
/** Fenced's own modules. Errors and notices that a test or its fixture makes keep their words. */
const own = /\/(?:packages|apps)\/[^/]+\/src\/(?!testing\/)|\/examples\//
const ofTests = /\.(?:test|fixture)\.ts/

/**
 * The message of an error or a notice for a run of tests that must not depend on its words. With `FENCED_TEST_MESSAGES`, the
 * message is unchanged, and is added to that file as a line of JSON.
 */
export function reworded({ code, message }: { readonly code: string; readonly message: string }): string {
  const [, ...frames] = new Error().stack?.split('\n') ?? []
  const origin = frames.find((frame) => inModule.test(frame) && !passing.test(frame)) ?? ''
  if (origin !== '' && (!own.test(origin) || ofTests.test(origin))) return message
  const { FENCED_TEST_MESSAGES: file } = process.env
  if (file === undefined) return `[${code}] reworded`
  try {
    appendFileSync(file, `${JSON.stringify({ code, message })}\n`)
  } catch {
    // Without free descriptors, or as a user who cannot write the file, the message is not an example.
  }
  return message
}
