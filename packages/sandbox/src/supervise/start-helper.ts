import { createHash } from 'node:crypto'
import type { ExecTarget } from '../exec/exec-target.ts'
import { openExec } from '../exec/exec-target.ts'
import { runCommand } from '../exec/run-command.ts'
import { helperInterpreter, ListedNetwork, type NetworkHelper } from '../network/listed-network.ts'
import { findPrograms } from './probe.ts'
import type { LaunchedSandbox } from './supervise-options.ts'

/** What a sandbox's network by list consists of. */
export interface SupervisedNetwork {
  readonly listed: ListedNetwork
  readonly hasRoutes: boolean
}

/** How long a test may take, in milliseconds. */
const testLimitMs = 30_000

/** The file of the certificates that programs of a sandbox trust, where its network has secrets. */
export function bundlePath({ id }: Pick<LaunchedSandbox, 'id'>): string {
  return `/tmp/fenced-${createHash('sha256').update(id).digest('hex').slice(0, 16)}.pem`
}

/** Adds a certificate to the certificates of the sandbox while the command runs. */
const bundleScript = `umask 022
rm -f "$0"
certificate=$1
shift
{
  for bundle in ${ListedNetwork.systemBundles.join(' ')}; do
    [ -s "$bundle" ] && cat "$bundle" && break
  done
  printf '\\n%s\\n' "$certificate"
} > "$0" || exit
"$@"
code=$?
rm -f "$0"
exit "$code"`

function withBundle(
  command: readonly string[],
  { path, certificate }: { readonly path: string; readonly certificate: string },
): [string, ...string[]] {
  return ['/bin/sh', '-c', bundleScript, path, certificate, ...command]
}

/**
 * Starts the helper of a network by list in a sandbox, and sees that nothing else is reached there.
 *
 * @throws FencedError `NETWORK_HELPER_FAILED`, `NETWORK_NOT_CLOSED`, and what the backend rejects with.
 */
export async function startHelper(
  launched: Pick<LaunchedSandbox, 'id' | 'helperUser'>,
  target: ExecTarget,
  { listed, hasRoutes, signal }: SupervisedNetwork & { readonly signal: AbortSignal },
): Promise<NetworkHelper> {
  const { helperUser } = launched
  const programs = await findPrograms(target, { programs: ['python3', 'python', 'node'], signal })
  const interpreter = helperInterpreter(programs)
  const its = { ...target, user: helperUser ?? target.user, directory: '/' }
  const certificate = await listed.certificate()
  const helper = await listed.startHelper(interpreter, async (command) => {
    const whole =
      certificate === undefined ? command : withBundle(command, { path: bundlePath(launched), certificate })
    return (await openExec(its, whole, { signal })).process
  })
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(testLimitMs)])
    const command = ListedNetwork.testCommand(interpreter)
    ListedNetwork.judgeTest(
      await runCommand({ ...target, directory: '/' }, { command, signal: limit }),
      hasRoutes,
    )
    return helper
  } catch (error) {
    helper.end()
    throw error
  }
}
