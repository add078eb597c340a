import type { Notice } from '../../vocabulary/code-result.ts'
import type { LimitsInForce } from '../../vocabulary/limits.ts'
import { withAdvice } from './operator-advice.ts'

const symptoms = /no space left on device|disk quota exceeded|\b(ENOSPC|EDQUOT)\b/i

/** A notice for a program that failed, seemingly because it reached the limit of its disk; else `undefined`. */
export function diskLimitNotice(output: string, limits: LimitsInForce | undefined): Notice | undefined {
  const bytes = limits?.diskBytes
  if (bytes === undefined || !symptoms.test(output)) return undefined
  return withAdvice(
    {
      code: 'disk-limit',
      message: `The program could not write more, because its files may take ${bytes} bytes. Remove files that are not needed, or write less.`,
      data: { limit: `${bytes}` },
    },
    'If the code may write more, raise `diskBytes`.',
  )
}
