import type Docker from 'dockerode'

/** Its types do not know that it takes options. */
interface WithInfo {
  info(options: { abortSignal: AbortSignal }): Promise<{ SecurityOptions?: string[] }>
}

/** Of the engines that were asked before. */
const known = new WeakMap<Docker, string>()

/** The user of programs where this process is root: a number without rights, which Linux calls `nobody`. */
export const unprivilegedUser = '65534:65534'

/**
 * The user that this process is, as the engine's containers see them, but never the machine's root. An engine that runs without
 * root, or that maps users, has another root, whom it maps to a user without rights.
 */
export async function defaultUser(docker: Docker, signal: AbortSignal): Promise<string> {
  const user = known.get(docker) ?? (await askForUser(docker, signal))
  known.set(docker, user)
  return user
}

async function askForUser(docker: Docker, signal: AbortSignal): Promise<string> {
  const { SecurityOptions = [] } = await (docker as unknown as WithInfo).info({ abortSignal: signal })
  if (SecurityOptions.some((option) => option.startsWith('name=rootless'))) return '0:0'
  const [userId, groupId] = [process.getuid?.(), process.getgid?.()]
  if (userId === 0)
    return SecurityOptions.some((option) => option.startsWith('name=userns')) ? '0:0' : unprivilegedUser
  // Windows has no such numbers, and its engine shows every file as everybody's.
  return userId === undefined ? '1000:1000' : `${userId}:${groupId}`
}
