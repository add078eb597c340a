import type { BackendUnderTest } from '@fenced/contract'
import { SshBackend } from './ssh-backend.ts'

/** A backend for the contract; the server of the test is in the environment, also for a separate Node process. */
export async function create(): Promise<BackendUnderTest> {
  const backend = await SshBackend.start(JSON.parse(process.env.SSH_BACKEND_TEST ?? ''))
  return { backend, directory: backend.directory }
}
