import { FencedError } from '@fenced/core'
import type { NetworkChoice } from '../network-option.ts'

/** Answers of {@link bubblewrapProblem}, by network. A process tests each network once. */
const bubblewrapProblems = new Map<string, Promise<string | undefined>>()
/** Answers of {@link containerProblem}, by image. A process asks about each image once. */
const containerProblems = new Map<string, Promise<string | undefined>>()

/** Starts a sandbox of bubblewrap with this network. @returns why it does not work, as a sentence. */
export function bubblewrapProblem(
  network: NetworkChoice['option'] | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  return once(bubblewrapProblems, JSON.stringify(network ?? ''), async () => {
    const { LocalSandbox } = await import('@fenced/sandbox-local')
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', network })
    await sandbox.start({ signal })
    return undefined
  })
}

/** Asks the container engine whether it has the image, and pulls nothing. @returns why a container cannot be used, as a sentence. */
export function containerProblem(
  image: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  return once(containerProblems, image ?? '', async () => {
    const { defaultImage, Engine } = await import('@fenced/sandbox-docker')
    const name = image ?? defaultImage
    await using engine = await Engine.connect(undefined, { signal })
    return (await engine.hasImage(name, { signal }))
      ? undefined
      : `The container engine has no image ${name}. Run \`docker pull ${name}\` to get it.`
  })
}

function once(
  known: Map<string, Promise<string | undefined>>,
  key: string,
  probe: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const answer = known.get(key) ?? problemOf(probe)
  known.set(key, answer)
  return answer
}

/** @returns why the isolation of a start does not work, as a sentence. @throws all other errors of the start. */
export function isolationProblem(start: () => Promise<void>): Promise<string | undefined> {
  return problemOf(
    () => start().then(() => undefined),
    ({ code }) => code === 'ISOLATION_UNAVAILABLE',
  )
}

async function problemOf(
  probe: () => Promise<string | undefined>,
  isProblem: (error: FencedError) => boolean = () => true,
): Promise<string | undefined> {
  try {
    return await probe()
  } catch (error) {
    if (!FencedError.isInstance(error) || !isProblem(error)) throw error
    // The rest of the message advises on an executor that the user has named.
    return firstSentence(error.message)
  }
}

function firstSentence(message: string): string {
  const [sentence = message] = /^.+?(?=\n|(?<=\.)\s+[A-Z]|$)/s.exec(message.trim()) ?? []
  return sentence.trim()
}
