/** Frames of a stack trace that are in a module of the repository, and those in which messages only pass. */
const inModule = /\.ts[?:]/
const passing =
  /\/(?:reworded-message|fenced-error|redactor|block-recorder|driver-executor|python-packages|run-block)\.ts/
/** Fenced's own modules. Errors and notices that a test or its fixture makes keep their words. */
const own = /\/(?:packages|apps)\/[^/]+\/src\/(?!testing\/)|\/examples\//
const ofTests = /\.(?:test|fixture)\.ts/

/** The message of an error or a notice for a run of tests that must not depend on its words. */
export function reworded({ code, message }: { readonly code: string; readonly message: string }): string {
  const [, ...frames] = new Error().stack?.split('\n') ?? []
  const origin = frames.find((frame) => inModule.test(frame) && !passing.test(frame)) ?? ''
  return origin === '' || (own.test(origin) && !ofTests.test(origin)) ? `[${code}] reworded` : message
}
