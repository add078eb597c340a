/** An image's name, taken apart as the docker command does it. */
export interface ImageName {
  /** The registry's host, with its port if it names one. */
  readonly registry: string
  /** All but tag and digest. */
  readonly repository: string
  /** The digest, or else the tag, `latest` by default. */
  readonly version: string
  /** Repository and version, to be shown. */
  readonly reference: string
}

export const dockerHub = 'docker.io'

// The grammar is that of distribution's "reference" package. A first part that looks like a host is one.
const host = String.raw`(?:localhost(?=[:/])|(?=[^/]*[.:A-Z])[a-zA-Z\d][a-zA-Z\d.-]*|\[[a-fA-F\d:]+\])(?::\d+)?`
const part = String.raw`[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*`
const pattern = new RegExp(
  String.raw`^(?<repository>(?:(?<registry>${host})/)?${part}(?:/${part})*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>[a-z\d]+:[a-f\d]{32,}))?$`,
)

/** `undefined` when it cannot be the name of an image. An image's id can be read as one, too. */
export function parseImageName(name: string): ImageName | undefined {
  const { repository, registry, tag, digest } = pattern.exec(name)?.groups ?? {}
  if (repository === undefined) return undefined
  return {
    registry: registry ?? dockerHub,
    repository,
    version: digest ?? tag ?? 'latest',
    reference: digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`,
  }
}

/** Whether it is the whole id of an image, which no registry can be asked for. */
export function isImageId(name: string): boolean {
  return /^sha256:[a-f\d]{64}$/.test(name)
}
