import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import {
  type CallOptions,
  type StartContainerOptions,
  startContainerOptionNames,
} from './container/call-options.ts'
import { Container } from './container/container.ts'
import { type ContainerRequest, hashOfRequest } from './container/container-request.ts'
import { labelNames } from './container/labels.ts'
import { removeLeftovers } from './container/leftovers.ts'
import { PendingRemovals } from './container/pending-removals.ts'
import { isConflict, isGone } from './container/remove-container.ts'
import { startContainer } from './container/start-container.ts'
import { connectEngine, type EngineAccess } from './engine/connect-engine.ts'
import { type EngineConnection, engineConnectionSchema } from './engine/connection.ts'
import { defaultUser } from './engine/default-user.ts'
import type { Endpoint } from './engine/endpoint.ts'
import { withEngineErrors, wordsOf } from './engine/engine-error.ts'
import type { ConnectOptions } from './engine/host-environment.ts'
import type { EngineInfo } from './engine/ping.ts'
import { pingThrough } from './engine/while-answering.ts'
import {
  type ImageKind,
  inspectImage,
  isForPlatform,
  type OwnImageName,
  providedImage,
} from './image/image.ts'
import type { ImageSettings, ProvidedImage } from './image/image-options.ts'
import { keepAsImage } from './image/keep-as-image.ts'
import { provideImage } from './image/provide-image.ts'

const connectOptionNames: OptionNames<ConnectOptions> = {
  signal: true,
  timeoutMs: true,
  answerTimeoutMs: true,
  environment: true,
  home: true,
  platform: true,
  userId: true,
}

/** A container that was found by its name. */
export interface FoundContainer {
  readonly container: Container
  readonly name: string
  readonly isRunning: boolean
  readonly isPaused: boolean
  /** Whether the container is connected to an engine network, given by name or ID. */
  isConnectedTo(network: string): boolean
  /** ID of the container's image. */
  readonly imageId: string
  /** ID of the original image, if the container's image contains the files of a preparation. */
  readonly preparedFrom: string | undefined
  /** Whether the container was created from the same request, with `outlivesProcess`. */
  isMadeFrom(request: ContainerRequest): boolean
}

/** An image created from a container. */
export interface KeptImage {
  readonly name: OwnImageName
  readonly kind: ImageKind
  /** ID of the image from which the container was created. */
  readonly baseId: string
}

interface EngineParts {
  /** The connection. */
  readonly access: EngineAccess
  /** Whether `close` ends the connection. */
  readonly isOwn: boolean
}

/**
 * A Docker engine that has answered. You can create it once and share it; those who receive an engine do not close it.
 *
 * Its methods reject with the signal's reason or, besides the errors they document, with FencedError `ENGINE_LOST`,
 * `ENGINE_UNREACHABLE`, `DISK_FULL` or `ENGINE_FAILED`, which state what was being done and where.
 */
export class Engine implements AsyncDisposable {
  readonly #access: EngineAccess
  /** What failed starts may have left behind. */
  readonly #pendingRemovals = new PendingRemovals()
  readonly #isOwn: boolean

  /**
   * Finds the engine as the docker command does, and checks that it answers. If an engine is specified (by the option,
   * `DOCKER_HOST` or the Docker context), no other engine is used.
   *
   * @param connection - How to connect, or a connected engine, which is used directly and stays open after `close`.
   * @throws FencedError `INVALID_OPTIONS` if `connection` is malformed; `ENGINE_UNREACHABLE` with every address that was tried,
   *   the reason it cannot be used, and what to do next.
   */
  static async connect(
    connection?: EngineConnection | Engine,
    options: ConnectOptions = {},
  ): Promise<Engine> {
    const search = knownOptions(options, connectOptionNames, 'Engine.connect()')
    if (connection instanceof Engine) {
      search.signal?.throwIfAborted()
      return new Engine({ access: connection.#access, isOwn: false })
    }
    return new Engine({ access: await connectEngine(connection, search), isOwn: true })
  }

  private constructor({ access, isOwn }: EngineParts) {
    this.#access = access
    this.#isOwn = isOwn
  }

  /** Address of the engine and the origin of that address. */
  get endpoint(): Endpoint {
    return this.#access.endpoint
  }

  /** Whether the engine may be on this machine; see {@link Endpoint.isLocal}. */
  get isLocal(): boolean {
    return this.#access.endpoint.isLocal
  }

  /** Information that the engine reports about itself. */
  get info(): EngineInfo {
    return this.#access.info
  }

  /** Checks that the engine still answers. */
  async ping({ signal }: CallOptions): Promise<void> {
    await withEngineErrors(this.#access, { doing: 'asking whether it answers', signal }, () =>
      pingThrough(this.#access.docker, signal),
    )
  }

  /**
   * Whether the engine has an image, given by name or ID. Does not contact a registry.
   *
   * @param options - `platform` is the platform that the image must support, such as `linux/arm64`. Default: any.
   */
  async hasImage(name: string, options: CallOptions & Pick<ImageSettings, 'platform'>): Promise<boolean> {
    const { signal, platform } = knownOptions(options, { signal: true, platform: true }, 'hasImage()')
    return withEngineErrors(this.#access, { doing: 'looking for an image', signal }, async () => {
      const image = await inspectImage(this.#access.docker, name, signal)
      return image !== undefined && (platform === undefined || isForPlatform(image, platform))
    })
  }

  /**
   * Returns this process's user as the engine's containers see it: `uid:gid`. If this process is root, returns `65534:65534` (nobody),
   * unless root in the engine's containers is another user of the machine.
   */
  async defaultUser({ signal }: CallOptions): Promise<string> {
    return withEngineErrors(this.#access, { doing: 'asking for its particulars', signal }, () =>
      defaultUser(this.#access.docker, signal),
    )
  }

  /**
   * Ensures that the engine has the image that the options describe, by pulling or building it and adding packages. Completed
   * steps are not repeated.
   *
   * @throws FencedError with a code that identifies the problem: `IMAGE_NOT_FOUND`, `PULL_FAILED`, `WRONG_PLATFORM`,
   *   `BUILD_FAILED`, `BUILD_CONTEXT_NOT_FOUND`, `INSTALL_FAILED`, `IMAGE_WITHOUT_PYTHON`, `REQUIREMENTS_NOT_FOUND`, `DISK_FULL`,
   *   `INVALID_OPTIONS`.
   */
  async provideImage(settings: ImageSettings, context: StartContext): Promise<ProvidedImage> {
    return withEngineErrors(this.#access, { doing: 'providing an image', signal: context.signal }, () =>
      provideImage(this.#access, settings, context),
    )
  }

  /** Returns the image with this name, or `undefined` if the engine does not have it. */
  async findImage({ reference }: OwnImageName, { signal }: CallOptions): Promise<ProvidedImage | undefined> {
    return withEngineErrors(this.#access, { doing: 'looking for an image', signal }, async () => {
      const found = await inspectImage(this.#access.docker, reference, signal)
      return found === undefined ? undefined : providedImage(found, reference)
    })
  }

  /**
   * Saves files written in a container as an image with this name. In all other respects, it is the same as the container's
   * image. If an image with this name already exists, it is used instead.
   */
  async keepAsImage(container: Container, { name, kind, baseId }: KeptImage): Promise<ProvidedImage> {
    const { docker } = this.#access
    return withEngineErrors(this.#access, { doing: 'keeping a container as an image' }, async () => {
      const base = await docker.getImage(baseId).inspect()
      return providedImage(await keepAsImage(docker, { container, name, kind, base }), name.reference)
    })
  }

  /**
   * Removes an image. A missing image counts as removed. Parent images are kept.
   *
   * @throws FencedError `IMAGE_IN_USE` if something depends on the image.
   */
  async removeImage(id: string): Promise<void> {
    await withEngineErrors(this.#access, { doing: 'removing an image' }, async () => {
      try {
        // The engine would remove what is below it and has no name.
        await this.#access.docker.getImage(id).remove({ noprune: true })
      } catch (error) {
        if (isConflict(error)) throw inUse(id, error)
        if (!isGone(error)) throw error
      }
    })
  }

  /**
   * Creates and starts a container. If this fails, nothing is left behind, or {@link removePending} removes it. The request is
   * sent unchanged, except that labels for this process are added. Use a `DockerSandbox` to confine the code.
   *
   * @throws FencedError, also for problems that changing the options can fix: `CONTAINER_REFUSED`, `CONTAINER_NAME_TAKEN`,
   *   `WRONG_PLATFORM`, `IMAGE_WITHOUT_SHELL`.
   */
  async startContainer(request: ContainerRequest, options: StartContainerOptions): Promise<Container> {
    const known = knownOptions(options, startContainerOptionNames, 'startContainer()')
    return startContainer(this.#access, request, { ...known, pendingRemovals: this.#pendingRemovals })
  }

  /** Returns the container with this name or ID, or `undefined` if it does not exist. */
  async findContainer(name: string, { signal }: CallOptions): Promise<FoundContainer | undefined> {
    return withEngineErrors(this.#access, { doing: 'looking for a container', signal }, async () => {
      try {
        const { Id, Name, State, Config, Image, NetworkSettings } = await this.#access.docker
          .getContainer(name)
          .inspect({ abortSignal: signal })
        return {
          container: new Container({ engine: this.#access, id: Id, origin: undefined }),
          // As the engine writes it, with a slash before it.
          name: Name.slice(1),
          isRunning: State.Running || State.Paused,
          isPaused: State.Paused,
          isConnectedTo: (network) =>
            Object.entries(NetworkSettings.Networks ?? {}).some(
              ([name, { NetworkID }]) => name === network || NetworkID.startsWith(network),
            ),
          imageId: Image,
          preparedFrom: Config.Labels[labelNames.preparedFrom],
          isMadeFrom: (request) => Config.Labels[labelNames.configuration] === hashOfRequest(request),
        }
      } catch (error) {
        if (isGone(error)) return undefined
        throw error
      }
    })
  }

  /**
   * Removes the containers, and then the temporary directories, of processes that ended without removing them (SIGKILL, a crash).
   * Considers only processes that have ended: this user's processes on this machine, or processes in an ended container on the
   * same engine. A container that the engine cannot remove, or cannot remove soon, does not delay the caller; the next start
   * tries again.
   *
   * @param context - Receives the notices `leftovers-removed` and `leftovers-remain`.
   */
  async removeLeftovers(context: StartContext): Promise<void> {
    await withEngineErrors(
      this.#access,
      { doing: 'looking for leftover containers', signal: context.signal },
      () => removeLeftovers(this.#access.docker, context),
    )
  }

  /** Removes what failed starts left behind. If it fails, it can be called again. */
  async removePending(): Promise<void> {
    await withEngineErrors(this.#access, { doing: 'removing the container' }, () =>
      this.#pendingRemovals.removeAll(),
    )
  }

  /**
   * Closes pending requests and reusable connections, unless the engine was passed in. Processes that were started in a container
   * are left to their owners.
   */
  close(): void {
    if (this.#isOwn) this.#access.close()
  }

  /** Removes what failed starts left behind, as far as possible, and closes the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.removePending().catch(() => {})
    this.close()
  }
}

/** Schema for an engine option: how to connect to an engine, or a connected engine. */
export const engineOptionSchema = z.union(
  [z.custom<Engine>((value) => value instanceof Engine), engineConnectionSchema],
  {
    error: 'must be the address of an engine, or { host, tls }, or { context }, or an Engine',
  },
)

function inUse(id: string, cause: unknown): FencedError {
  return new FencedError({
    code: 'IMAGE_IN_USE',
    message: `The image ${id} was not removed: ${wordsOf(cause)}. Stop the containers that use it first.`,
    data: { image: id, reason: wordsOf(cause) },
    cause,
  })
}
