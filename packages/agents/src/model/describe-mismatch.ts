import { messageOf } from './message-of.ts'

/** What a schema has against a value: where, and why. `error` is what a zod schema throws, or any other. */
export function describeMismatch(error: unknown): string {
  const issues = typeof error === 'object' && error !== null && 'issues' in error ? error.issues : error
  if (!Array.isArray(issues) || issues.length === 0) return messageOf(error)
  return issues.map(describeIssue).join('; ')
}

function describeIssue(issue: unknown): string {
  const { path = [], message = '' } = issue as { path?: readonly unknown[]; message?: string }
  const place = path.map((step) => (isStep(step) ? String(step.key) : String(step))).join('.')
  return place === '' ? message : `${place}: ${message}`
}

function isStep(step: unknown): step is { key: PropertyKey } {
  return typeof step === 'object' && step !== null && 'key' in step
}
