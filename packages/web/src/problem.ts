/** Why a request is refused: a status of HTTP, and a sentence for a person. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 421 | 422

  constructor(status: Problem['status'], message: string) {
    super(message)
    this.status = status
  }
}
