/** The code of a system error (`ENOENT`); empty for any other. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** What `work` returns; `undefined` for "nothing there" when it throws an error of this code. */
export function ignoring<Value>(code: string, work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) !== code) throw error
    return undefined
  }
}
