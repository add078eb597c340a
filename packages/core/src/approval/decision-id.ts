import { wrongId } from './ledger-errors.ts'

/** An id becomes a file name, and must be random: in lower case, because some file systems do not tell the two cases apart. */
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a name is the id of a decision. */
export function isId(id: string): boolean {
  return idPattern.test(id)
}

/** @throws FencedError `INVALID_OPTIONS` for another text. */
export function checkId(id: string): string {
  if (!isId(id)) throw wrongId(id)
  return id
}
