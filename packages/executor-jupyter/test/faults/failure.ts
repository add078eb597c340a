import { FencedError } from '@fenced/core'

/** The error with which something must fail; anything but a `FencedError` is no way to fail. */
export async function failure(promise: PromiseLike<unknown>): Promise<FencedError> {
  try {
    await promise
  } catch (error) {
    if (FencedError.isInstance(error)) return error
    throw error
  }
  throw new Error('It did not fail.')
}
