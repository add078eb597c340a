import type { BackendUnderTest } from '@fenced/contract'
import { newDirectory, startBackend } from './sdk-backend.ts'

/** A backend for the contract, also in a separate Node process. */
export async function create(): Promise<BackendUnderTest> {
  const directory = newDirectory()
  return { backend: await startBackend(directory), directory }
}
