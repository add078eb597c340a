import { FencedError, type FencedErrorCode } from '@fenced/core'
import { reasonIn } from '@fenced/errors'
import type { ImageName } from '../image-name.ts'

/** What engines and registries say, the code for it, and what to do about it. The first row that fits counts. */
const reasons: readonly (readonly [
  said: RegExp,
  code: FencedErrorCode,
  next: (name: ImageName) => string,
  command?: (name: ImageName) => string,
])[] = [
  [
    /no matching manifest|specified platform|no match for platform|cannot be used on this platform/i,
    'WRONG_PLATFORM',
    () => 'Choose another `platform`, or an image built for this platform.',
  ],
  [
    /no space left|quota exceeded/i,
    'DISK_FULL',
    () => 'Free space on the engine’s disk. `docker system df` shows what uses it.',
    () => 'docker system df',
  ],
  [
    /invalid reference|must be lowercase|platform specifier/i,
    'INVALID_OPTIONS',
    () => 'Check the `image` and `platform` options.',
  ],
  [
    /toomanyrequests|too many requests|rate limit/i,
    'PULL_FAILED',
    ({ registry }) => `Try again later, or log in with \`docker login ${registry}\`, which raises the limit.`,
    logIn,
  ],
  [
    /dial tcp|no such host|refused|timeout|deadline|proxyconnect|x509|tls|\bEOF\b|reset by peer|HTTP response to HTTPS/i,
    'PULL_FAILED',
    ({ registry }) =>
      `The engine’s machine must be able to reach ${registry}. Without a network, load the image into the engine (\`docker load\`): \`pull: 'missing'\`, the default, uses a loaded image.`,
    () => 'docker load',
  ],
  [
    /not found|unknown|does not exist|denied|unauthorized|authentication|credentials|forbidden/i,
    'IMAGE_NOT_FOUND',
    ({ registry }) =>
      `Check the spelling of its name and tag. If it is private, log in with \`docker login ${registry}\`. If it exists only on this machine, build or load it first.`,
    logIn,
  ],
]

function logIn({ registry }: ImageName): string {
  return `docker login ${registry}`
}

export interface FailedPull {
  readonly name: ImageName
  /** Why no login was sent that there may be. */
  readonly problem?: string
  /** The values in `problem`, by name. */
  readonly data?: Readonly<Record<string, string>>
}

/** A pull that did not work, in the words of who said so. */
export function pullError({ name, problem, data }: FailedPull, said: string, cause?: unknown): FencedError {
  const reason = reasons.find(([pattern]) => pattern.test(said))
  const [, code, next, command] = reason ?? [/./, 'PULL_FAILED', () => 'Try again.']
  const parts = [
    `The image ${name.reference} could not be pulled from ${name.registry}: ${reasonIn(said)}.`,
    next(name),
    ...(problem === undefined ? [] : [problem]),
  ]
  return new FencedError({
    code,
    message: parts.join(' '),
    data: {
      ...data,
      ...{ image: name.reference, registry: name.registry, reason: said.trim() },
      ...(command === undefined ? {} : { command: command(name) }),
    },
    ...(cause === undefined ? {} : { cause }),
  })
}
