import type Docker from 'dockerode'

/** Its types do not know that it takes options. */
interface WithInfo {
  info(options: { abortSignal: AbortSignal }): Promise<{ SecurityOptions?: string[] }>
}

/** Of the engines that were asked before. */
const known = new WeakMap<Docker, string>()

/**
 * The user that this process is, as the engine's containers see them. On an engine that runs without root, it is
 * root: that is whom the engine maps to the user who started it.
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
  // Windows has no such numbers, and its engine shows every file as everybody's.
  return userId === undefined ? '1000:1000' : `${userId}:${groupId}`
}
