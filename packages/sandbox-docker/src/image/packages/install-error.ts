import { FencedError } from '@fenced/core'

/** An installation that did not end well. */
export interface FailedInstallation {
  /** What was to be installed, and into which image. */
  readonly what: string
  readonly baseName: string
  /** `undefined` when its end is not known. */
  readonly exitCode: number | undefined
  /** What pip said. */
  readonly words: string
}

/** What the shell says when there is no Python. */
const notFound = 127

export function installError({ what, baseName, exitCode, words }: FailedInstallation): FencedError {
  if (exitCode === notFound && words === '') {
    return new FencedError({
      code: 'IMAGE_WITHOUT_PYTHON',
      message: `The image ${baseName} has neither python3 nor python, so ${what} could not be installed. Choose an \`image\` with Python and pip, such as python:3-slim.`,
    })
  }
  const end = exitCode === undefined ? 'its container or the connection went away' : `exit code ${exitCode}`
  return new FencedError({
    code: /no space left on device/i.test(words) ? 'DISK_FULL' : 'INSTALL_FAILED',
    message:
      `Installing ${what} into the image ${baseName} failed (${end}). ${advice(words)}\n${words}`.trim(),
  })
}

function advice(words: string): string {
  if (/no module named pip/i.test(words)) {
    return 'The image has Python without pip: choose another `image`, or install pip in a Dockerfile (`build`).'
  }
  if (/no space left on device/i.test(words)) return 'Make room on the engine’s disk.'
  if (
    /name resolution|name or service not known|failed to establish|unreachable|proxy|timed out/i.test(words)
  ) {
    return 'The package index could not be reached: see the options `installNetwork` and `installEnv` (PIP_INDEX_URL, HTTPS_PROXY).'
  }
  return 'In pip’s own words:'
}
