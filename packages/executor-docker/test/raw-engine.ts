import Docker from 'dockerode'

/** The engine that `DOCKER_HOST` names, to look behind an executor's back. */
export async function rawEngine(): Promise<Docker> {
  return new Docker()
}

/** Removes a container by its name. */
export async function removeContainer(name: string): Promise<void> {
  await (await rawEngine()).getContainer(name).remove({ force: true, v: true })
}

/** The containers whose names begin like this, whatever their state. */
export async function containersNamed(prefix: string): Promise<Docker.ContainerInfo[]> {
  const all = await (await rawEngine()).listContainers({ all: true })
  return all.filter(({ Names }) => Names.some((name) => name.startsWith(`/${prefix}`)))
}
