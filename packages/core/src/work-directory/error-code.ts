/** The code of a system error (`ENOENT`); empty for any other. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** For `catch`: takes an error of this code for "nothing there" and throws every other. */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (errorCode(error) !== code) throw error
  }
}
