import { z } from 'zod'
import { allowedValues } from './allowed-values.ts'
import { unknownOption } from './unknown-option.ts'

/** What zod says where it knows nothing. */
const noWords = 'Invalid input'

/** The message of an issue for which the schema has none of its own. `undefined`: zod's words will do. */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') {
    const { shape } = (issue.inst as z.core.$ZodObject)._zod.def
    return issue.keys.map((key) => unknownOption(key, Object.keys(shape))).join('\n  ')
  }
  if (issue.code === 'invalid_union' || issue.code === 'invalid_type' || issue.code === 'invalid_value') {
    const must = `must be ${allowedValues(issue.inst as z.core.$ZodType)}`
    return issue.input === undefined ? `is missing: it ${must}` : must
  }
  return undefined
}

/**
 * Every fault of a value and where it is, as lines of text. Where only one member of a union takes such a value, its
 * own faults are named instead of the union's.
 */
export function explainMismatch(error: z.core.$ZodError): string {
  return z.prettifyError({ issues: error.issues.flatMap(inDetail) } as z.core.$ZodError)
}

function inDetail(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((faults) => !faults.some(isAnotherKind))
  const [only] = meant
  if (only === undefined || meant.length > 1) return [issue]
  return only.flatMap((fault) => inDetail({ ...fault, path: [...issue.path, ...fault.path] }))
}

/** Whether a value is not even of the kind that a member of a union takes. */
function isAnotherKind({ code, path, message }: z.core.$ZodIssue): boolean {
  if (path.length > 0) return false
  return code === 'invalid_type' || code === 'invalid_value' || message === noWords
}
