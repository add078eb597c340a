import type { Notice } from '@fenced/core'
import type { HostWorkDirectory, StartContext } from '@fenced/core/driver'
import { unprivilegedUser } from '../engine/default-user.ts'
import type { Engine } from '../engine.ts'
import type { ContainerPlan } from './container-plan.ts'

const [nobody = 0, nogroup = 0] = unprivilegedUser.split(':').map(Number)

/**
 * The user of a container's programs where the options name none: this process's user. Where that is root, it is the owner of the
 * working directory, or a user without rights.
 */
export async function programUser(
  engine: Engine,
  workDirectory: HostWorkDirectory,
  context: StartContext,
): Promise<string> {
  const user = await engine.defaultUser(context)
  if (process.getuid?.() !== 0 || user !== unprivilegedUser || !engine.isLocal) return user
  const { userId = 0, groupId = 0 } = workDirectory.owner ?? {}
  return userId === 0 ? user : `${userId}:${groupId === 0 ? nogroup : groupId}`
}

/** Gives the working directory to the programs' user before it is mounted, where root has nothing in it. */
export async function giveWorkDirectory(plan: ContainerPlan): Promise<void> {
  if (isChosenForRoot(plan)) await plan.workDirectory.giveTo({ userId: nobody, groupId: nogroup })
}

/** Reports that a mounted directory of root's cannot be written to by the user that was chosen instead of root. */
export function reportUnwritable(plan: ContainerPlan, { notice }: StartContext): void {
  if (isChosenForRoot(plan)) notice(unwritable(plan))
}

/** Whether the options name no user, and root would have been the user. */
function isChosenForRoot({ user, settings }: ContainerPlan): boolean {
  return settings.user === undefined && user === unprivilegedUser && process.getuid?.() === 0
}

function unwritable({ user, workDirectory: { hostPath }, modes }: ContainerPlan): Notice {
  const effect = modes.includes('copy')
    ? 'so its files are copied before and after each block instead of mounted'
    : 'and cannot write there'
  return {
    code: 'work-dir-not-writable',
    message: `The working directory ${hostPath} belongs to root and contains files. Programs in the container run as the user ${user}, ${effect}. Change the owner of the directory (\`chown -R ${user} ${hostPath}\`), or set \`user: 'root'\`.`,
    data: { path: hostPath, user, option: 'user' },
  }
}
