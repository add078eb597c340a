import { FencedError, type FencedErrorCode } from '@fenced/core'
import { errorsIn, reasonIn } from '@fenced/errors'

/** What an API server answers with when it refuses (its kind `Status`). */
interface Status {
  readonly message?: unknown
  readonly reason?: unknown
}

/** A refusal, or an answer that cannot be parsed. */
export class ApiAnswerError extends Error {
  readonly status: number
  readonly reason: string

  constructor(status: number, { message, reason }: Status) {
    super(typeof message === 'string' && message !== '' ? message : `it answered with ${status}`)
    this.status = status
    this.reason = typeof reason === 'string' ? reason : ''
  }
}

export function isAnswer(error: unknown, status: number): boolean {
  return error instanceof ApiAnswerError && error.status === status
}

/** Turns what a request fails with into an error for people. */
export function apiError(error: unknown, doing: string, server: string): FencedError {
  if (FencedError.isInstance(error)) return error
  if (!(error instanceof ApiAnswerError))
    return unreachable({ server, ...whyNoConnection(error), doing, cause: error })
  const { code, next, ...values } = diagnose(error)
  const did = error.status < 300 ? 'returned an invalid response while' : 'returned an error while'
  return new FencedError({
    code,
    message: `The Kubernetes cluster at ${server} ${did} ${doing}: ${reasonIn(error.message)}. ${next}`,
    data: { cluster: server, status: String(error.status), reason: error.message, ...values },
    cause: error,
  })
}

interface Unreachable {
  readonly server: string
  /** Read on after the address: `it did not answer in time`. */
  readonly words: string
  /**
   * The values in `words`, by name.
   *
   * @default `words` as the `reason`
   */
  readonly values?: Readonly<Record<string, string>>
  /** Read on after "while". */
  readonly doing?: string | undefined
  readonly cause: unknown
}

export function unreachable({
  server,
  words,
  values = { reason: words },
  doing,
  cause,
}: Unreachable): FencedError {
  const during = doing === undefined ? '' : ` while ${doing}`
  return new FencedError({
    code: 'CLUSTER_UNREACHABLE',
    message: `The Kubernetes cluster at ${server} cannot be reached${during}: ${words}. Run \`kubectl get --raw /readyz\` to check whether it responds, then start again.`,
    data: { cluster: server, ...values, command: 'kubectl get --raw /readyz' },
    cause,
  })
}

interface Diagnosis {
  readonly code: FencedErrorCode
  readonly next: string
  /** The command, the option or the file in `next`. */
  readonly command?: string
  readonly option?: string
}

function diagnose({ status, message }: ApiAnswerError): Diagnosis {
  if (status < 300)
    return {
      code: 'CLUSTER_FAILED',
      command: 'kubectl get --raw /readyz',
      option: 'cluster',
      next: 'Check that `cluster` names an API server: another program may be responding at its address. With an API server, `kubectl get --raw /readyz` prints `ok`.',
    }
  if (status === 401)
    return {
      code: 'CLUSTER_FORBIDDEN',
      command: 'kubectl auth whoami',
      next: 'The credentials were read again and were still rejected. `kubectl auth whoami` shows the user.',
    }
  if (/exceeded quota|must specify limits|limitrange|maximum .* usage per/i.test(message))
    return {
      code: 'POD_REFUSED',
      command: 'kubectl describe quota',
      option: 'pod.resources',
      next: 'Free up quota in the namespace (`kubectl describe quota`), or request less with `pod.resources`.',
    }
  if (status === 403 && / cannot \w+ resource /.test(message))
    return {
      code: 'CLUSTER_FORBIDDEN',
      next: 'Grant this user the role from docs/kubernetes.md in this namespace.',
    }
  if (/admission|violates PodSecurity|denied the request/i.test(message))
    return {
      code: 'POD_REFUSED',
      option: 'pod',
      next: 'A cluster policy does not allow this pod. Change the `pod` options, or contact the cluster administrator.',
    }
  if (status === 404 && /^namespaces? /i.test(message))
    return {
      code: 'POD_REFUSED',
      command: 'kubectl create namespace',
      option: 'namespace',
      next: 'Create the namespace with `kubectl create namespace`, or choose another `namespace`.',
    }
  if (status === 400 || status === 403 || status === 409 || status === 422)
    return { code: 'POD_REFUSED', option: 'pod', next: 'Check the `pod` options.' }
  return { code: 'CLUSTER_FAILED', command: 'kubectl get events', next: '`kubectl get events` shows more.' }
}

function whyNoConnection(error: unknown): Pick<Unreachable, 'words' | 'values'> {
  const first = errorsIn(error)[0] ?? error
  const { code, message = String(first) } = Object(first) as NodeJS.ErrnoException
  if (code === 'ENOTFOUND')
    return { words: `no machine has this name (${message})`, values: { reason: code } }
  if (code === 'ECONNREFUSED')
    return { words: `nothing is listening there (${message})`, values: { reason: code } }
  if (code !== undefined && /CERT|SELF_SIGNED|ISSUER/.test(code))
    return {
      words: `its certificate does not match the kubeconfig (${message})`,
      values: { reason: code },
    }
  return { words: message }
}
