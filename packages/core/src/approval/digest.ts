import { createHash } from 'node:crypto'
import type { CodeBlock } from '@fenced/markdown'
import type { ApprovalTarget } from './approval-request.ts'
import { canonicalJson } from './canonical-json.ts'
import { programsOf } from './code-hash.ts'

/** A request of any kind, with or without its digest. All fields count but those of {@link uncounted}. */
export interface DigestedRequest {
  readonly kind: string
  readonly blocks?: readonly CodeBlock[] | undefined
  readonly file?: DigestedFile | undefined
  readonly target?: ApprovalTarget | undefined
}

/** A file of a request. The text does not count, because its hash does. */
interface DigestedFile {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

/** Changes with the counted fields and with the canonical form: digests of different versions never match. */
const version = 'fenced-decision-1'

/** Fields with the agent, the reason and the words of a question. All other fields are part of the action. */
const uncounted: ReadonlySet<string> = new Set([
  'id',
  'after',
  'agent',
  'question',
  'context',
  'retryAttempt',
  'askedAt',
  'description',
  'choices',
  'needsApproval',
  'toolCallId',
  'blockIndex',
  'line',
  'codeHash',
  'digest',
])

/**
 * Returns the digest of the action that a request asks about, in hex: SHA-256 over the UTF-8 of the
 * {@link canonicalJson} of `[version, action]`. The action has the kind, the language, code and file name of each program, the path,
 * size and hash of a file, the options of the call, and the target without its description.
 *
 * @throws TypeError for a field that has no JSON, such as a `bigint`.
 */
export function approvalDigest(request: DigestedRequest): string {
  const { blocks, file, target, ...others } = request
  const action = {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => !uncounted.has(name))),
    ...(blocks === undefined ? {} : { programs: digestedPrograms(blocks) }),
    ...(file === undefined ? {} : { file: digestedFile(file) }),
    ...(target === undefined ? {} : { target: digestedTarget(target) }),
  }
  return createHash('sha256')
    .update(canonicalJson([version, action]))
    .digest('hex')
}

/** Returns a request with its digest. */
export function withDigest<Request extends DigestedRequest>(
  request: Request,
): Request & { readonly digest: string } {
  return { ...request, digest: approvalDigest(request) }
}

/** A program whose fence is not closed does not run. A closed fence therefore makes it a different program. */
function digestedPrograms(blocks: readonly CodeBlock[]): unknown {
  return programsOf(blocks).map((program, index) =>
    blocks[index]?.closed === false ? { ...program, closed: false } : program,
  )
}

function digestedFile({ path, sizeBytes, sha256 }: DigestedFile): DigestedFile {
  return { path, sizeBytes, sha256 }
}

function digestedTarget({ description: _words, ...target }: ApprovalTarget): unknown {
  return target
}
