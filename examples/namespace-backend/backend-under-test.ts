import type { BackendUnderTest } from '@fenced/contract'
import { directory, NamespaceBackend } from './namespace-backend.ts'

/** A backend for the contract, also in a separate Node process. */
export async function create(): Promise<BackendUnderTest> {
  return { backend: await NamespaceBackend.start({ signal: AbortSignal.timeout(60_000) }), directory }
}
