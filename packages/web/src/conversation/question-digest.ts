import { createHash } from 'node:crypto'
import type { ApprovalRequest } from '@fenced/core'

/** SHA-256 of a question as the page receives it, in hex. An answer names it, so that it cannot reach another question. */
export function questionDigest(request: ApprovalRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex')
}
