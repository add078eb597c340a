/** A request as it came from dockerode. */
export interface SeenRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
}

/** What goes wrong with a request. */
export type Fault = Break | Delay | Pieces | FalseAnswer | WithoutUpgrade

/** From a point on its connection is no good. */
export interface Break {
  /**
   * `request`: nothing reaches the engine; `sent`: the engine has the request, and its answer is not waited for;
   * `answer`: the engine has answered, and nothing of it is passed on; a number: after the answer's head and so many
   * bytes of its body.
   */
  readonly breakAt: 'request' | 'sent' | 'answer' | number
  /** Ended as by its other side, reset (over TCP only), or nothing is heard of it any more. */
  readonly by: 'end' | 'reset' | 'silence'
  /** Whether the engine's side of it stays open, as when a machine in between went away. Default: it is closed too. */
  readonly engineKeepsIt?: boolean
}

/** It reaches the engine late, even when its sender has gone meanwhile. */
interface Delay {
  readonly delayMs: number
}

/** Its answer comes in small pieces, an upgraded connection included. */
interface Pieces {
  /** The size of the next one. */
  readonly pieceSize: () => number
}

/** Something else is answered, and the connection is closed. */
export interface FalseAnswer {
  readonly answer: { readonly status: number; readonly type: string; readonly body: string }
  /** Whether the engine does what was asked all the same. */
  readonly isDone: boolean
}

/** As a proxy does it that knows no upgrades: the engine answers 200 and the same bytes. */
interface WithoutUpgrade {
  readonly withoutUpgrade: true
}

/** Says what goes wrong with a request; `undefined` for nothing. */
export type Rule = (request: SeenRequest) => Fault | undefined

/** Which requests, and which of them: the nth from now on, or each. */
export interface Target {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly path: RegExp
  readonly nth?: number
}

/** Requests by what they are for. */
export const requests = {
  ping: { path: /^\/_ping/ },
  info: { path: /^\/info/ },
  listContainers: { path: /^\/containers\/json/ },
  inspectImage: { method: 'GET', path: /^\/images\/.*\/json/ },
  create: { method: 'POST', path: /^\/containers\/create/ },
  start: { method: 'POST', path: /^\/containers\/[^/]+\/start/ },
  attach: { method: 'POST', path: /^\/containers\/[^/]+\/attach/ },
  statArchive: { method: 'HEAD', path: /\/archive\?/ },
  getArchive: { method: 'GET', path: /\/archive\?/ },
  putArchive: { method: 'PUT', path: /\/archive\?/ },
  createExec: { method: 'POST', path: /^\/containers\/[^/]+\/exec/ },
  startExec: { method: 'POST', path: /^\/exec\/[^/]+\/start/ },
  inspectExec: { method: 'GET', path: /^\/exec\/[^/]+\/json/ },
  remove: { method: 'DELETE', path: /^\/containers\// },
} as const satisfies Record<string, Target>

export function ruleFor({ method, path, nth }: Target, fault: Fault): Rule {
  let count = 0
  return (request) => {
    if ((method ?? request.method) !== request.method || !path.test(request.path)) return undefined
    count++
    return nth === undefined || nth === count ? fault : undefined
  }
}
