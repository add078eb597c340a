import { checkSpawn } from '@fenced/core/internal'
import type { SandboxProcess, SpawnOptions } from '@fenced/core/sandbox'
import { declareWritable, requireDescriptorsForChild, startProcess } from '@fenced/host'
import type { Incarnation, LocalRoot } from './incarnation.ts'
import { inheritedSettings } from './inherited-settings.ts'
import type { LocalInterpreters } from './interpreters.ts'
import { firstFreeDescriptor } from './isolation/bubblewrap.ts'
import { identityOf, isolatedProcess, startWithin } from './isolation/isolated-process.ts'
import { outOfMemorySignal } from './isolation/limited-shell.ts'
import { moveIntoCommand } from './isolation/loader-variables.ts'
import { StartReport } from './isolation/start-report.ts'
import { waitForReaders } from './isolation/wait-for-readers.ts'

/** Options for {@link LocalSandbox.spawn}. */
export interface LocalSpawnOptions extends SpawnOptions {
  /**
   * Additional directories on this machine that the process sees under their own paths and can write to. Do not trust anything
   * that the process puts there, especially links. Without isolation, the process can write there anyway.
   *
   * @default []
   */
  readonly writable?: readonly string[] | undefined
}

/** A process in a {@link LocalSandbox}. */
export interface LocalProcess extends SandboxProcess {
  /**
   * Watches the descendants that the process starts from now on, except those that clear their environment. Linux only; on other
   * systems, no descendants are found.
   */
  watchDescendants(): { kill(): void }
}

/** The sandbox of a process. */
export interface ProcessPlace {
  readonly directory: string
  readonly interpreters: LocalInterpreters
  readonly incarnation: Incarnation
  /** The default of the option. */
  readonly killGraceMs: number
  /** The program that the command starts in the end. */
  readonly program: string
  /** Lets the process end with the sandbox. Rejects if the sandbox has ended. */
  adopt(started: LocalRoot): Promise<void>
}

/** Starts a process, in bubblewrap if the sandbox has one. */
export async function startLocalProcess(
  command: readonly [string, ...string[]],
  spawnOptions: LocalSpawnOptions,
  place: ProcessPlace,
): Promise<LocalProcess> {
  const { directory, interpreters, incarnation } = place
  const {
    cwd = directory,
    env,
    killGraceMs = place.killGraceMs,
    role,
    writable,
    reapsOrphans,
    ...options
  } = checkSpawn(command, spawnOptions, { writable: true })
  const { environment, directories: ofLanguages, bubblewrap, network } = incarnation
  options.signal?.throwIfAborted()
  if (bubblewrap !== undefined) {
    requireDescriptorsForChild()
    for (const each of writable ?? []) declareWritable(each)
  }
  using report = bubblewrap && (await StartReport.make(command[0], () => bubblewrap.forget()))
  const ofPrograms = [command[0], place.program].flatMap((program) => interpreters.directoriesOf(program))
  const directories = [...ofPrograms, ...ofLanguages, ...(network?.directories ?? [])]
  const identity = identityOf(directory)
  const settings = inheritedSettings()
  const given = { ...environment, ...network?.variables, ...env }
  const inside = moveIntoCommand(role === 'block' ? waitForReaders(command) : command, given)
  using wrapped = bubblewrap?.wrap(network?.wrap(inside.command, firstFreeDescriptor) ?? inside.command, {
    ...{ directories, cwd, writable, isProcess1: reapsOrphans, reports: true },
  })
  const limited = wrapped?.limited
  const started = await startWithin(limited, () =>
    startProcess(wrapped?.command ?? command, {
      ...options,
      killGraceMs,
      // What is wrapped goes to its directory inside.
      cwd: wrapped === undefined ? cwd : directory,
      env: wrapped === undefined ? given : inside.env,
      descriptors: wrapped && report ? wrapped.descriptors(report.descriptor) : [],
      ...(report && options.output ? { output: report.listen(options.output) } : {}),
      channel: network !== undefined,
      isolated: wrapped !== undefined,
      ...(limited === undefined ? {} : { outOfMemorySignal }),
    }),
  )
  report?.watch(started)
  wrapped?.holdUntil(started.ended)
  const isConnected = network?.serve(started)
  await place.adopt(started)
  if (bubblewrap === undefined) {
    return Object.assign(started, { isOutdated: async () => inheritedSettings() !== settings })
  }
  const { privatePaths } = bubblewrap
  return isolatedProcess(started, { directory, identity, settings, limited, privatePaths, isConnected })
}
