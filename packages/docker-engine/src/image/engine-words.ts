/**
 * What an engine answered to a request that it refused, without dockerode's words around it; `undefined` when the
 * error is another one, as of the connection.
 */
export function engineWords(error: unknown): string | undefined {
  const { statusCode, message = '' } = error as { statusCode?: number; message?: string }
  if (statusCode === undefined) return undefined
  return message.replace(/^\(HTTP code \d+\) .*? - /, '').trim()
}
