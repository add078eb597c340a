import {
  helperInterpreter,
  judgeNetworkTest,
  type NetworkHelper,
  networkTestCommand,
} from '../network/listed-network.ts'
import type { ExecTarget } from './backend.ts'
import { openExec } from './open-exec.ts'
import { findPrograms } from './probe.ts'
import type { SupervisedNetwork } from './ready-sandbox.ts'
import { runCommand } from './run-command.ts'
import type { LaunchedSandbox } from './supervise-options.ts'

/** How long a test may take, in milliseconds. */
const testLimitMs = 30_000

/**
 * Starts the helper of a network by list in a sandbox, and sees that nothing else is reached there.
 *
 * @throws FencedError `NETWORK_HELPER_FAILED`, `NETWORK_NOT_CLOSED`, and what the backend rejects with.
 */
export async function startHelper(
  { helperUser }: Pick<LaunchedSandbox, 'helperUser'>,
  target: ExecTarget,
  { listed, hasRoutes, signal }: SupervisedNetwork & { readonly signal: AbortSignal },
): Promise<NetworkHelper> {
  const programs = await findPrograms(target, { programs: ['python3', 'python', 'node'], signal })
  const interpreter = helperInterpreter(programs)
  const its = { ...target, user: helperUser ?? target.user, directory: '/' }
  const helper = await listed.startHelper(
    interpreter,
    async (command) => (await openExec(its, command, { signal })).process,
  )
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(testLimitMs)])
    const command = networkTestCommand(interpreter)
    judgeNetworkTest(await runCommand({ ...target, directory: '/' }, { command, signal: limit }), hasRoutes)
    return helper
  } catch (error) {
    helper.end()
    throw error
  }
}
