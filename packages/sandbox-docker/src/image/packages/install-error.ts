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

/** Of a program that got SIGKILL, as from the kernel when memory runs out. */
const killed = 137

export function installError({ what, baseName, exitCode, words }: FailedInstallation): FencedError {
  if (exitCode === notFound && words === '') {
    return new FencedError({
      code: 'IMAGE_WITHOUT_PYTHON',
      message: `The image ${baseName} has neither python3 nor python, so ${what} could not be installed. Choose an \`image\` with Python and pip, such as python:3-slim.`,
      data: { image: baseName, packages: what, option: 'image' },
    })
  }
  const end = exitCode === undefined ? 'its container or the connection went away' : `exit code ${exitCode}`
  const { next, option } = advice(words, exitCode)
  return new FencedError({
    code: /no space left on device/i.test(words) ? 'DISK_FULL' : 'INSTALL_FAILED',
    message: `Installing ${what} into the image ${baseName} failed (${end}). ${next}\n${words}`.trim(),
    data: {
      ...{ packages: what, image: baseName, output: words },
      ...(exitCode === undefined ? {} : { exitCode: String(exitCode) }),
      ...(option === undefined ? {} : { option }),
    },
  })
}

/** An installation that took too long. */
export function installTimeout({
  what,
  baseName,
  timeoutMs,
}: Pick<FailedInstallation, 'what' | 'baseName'> & { readonly timeoutMs: number }): FencedError {
  return new FencedError({
    code: 'INSTALL_FAILED',
    message: `Installing ${what} into the image ${baseName} did not end within ${timeoutMs} ms. Raise \`installTimeoutMs\`, or install it in a Dockerfile (\`build\`).`,
    data: { packages: what, image: baseName, limitMs: String(timeoutMs), option: 'installTimeoutMs' },
  })
}

/** What the system says where a limit was reached. */
const limitWords =
  /\bkilled\b|signal 9\b|SIGKILL|MemoryError|cannot allocate memory|can't start new thread|resource temporarily unavailable|cannot fork/i

function advice(words: string, exitCode: number | undefined): { next: string; option?: string } {
  if (exitCode === killed || limitWords.test(words)) {
    return {
      next: 'The installer has the container’s limits: raise `memoryBytes` or `pids`.',
      option: 'memoryBytes, pids',
    }
  }
  if (/no module named pip/i.test(words)) {
    return {
      next: 'The image has Python without pip: choose another `image`, or install pip in a Dockerfile (`build`).',
      option: 'image, build',
    }
  }
  if (/no space left on device/i.test(words)) return { next: 'Free space on the engine’s disk.' }
  if (
    /name resolution|name or service not known|failed to establish|unreachable|proxy|timed out/i.test(words)
  ) {
    return {
      next: 'The package index could not be reached: see the options `installNetwork` and `installEnv` (PIP_INDEX_URL, HTTPS_PROXY).',
      option: 'installNetwork, installEnv',
    }
  }
  return { next: 'pip reported:' }
}
