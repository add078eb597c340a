import { posix } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { ReadableStream } from 'node:stream/web'
import type { Sandbox, SandboxFiles } from '@fenced/core/sandbox'
import { ProcessFiles } from '@fenced/sandbox'
import type { Process, Session } from './ai-sdk.ts'

type Command = Parameters<Session['spawn']>[0]

/** A sandbox that has started, as the AI SDK sees it: files and processes. */
export function sandboxSession(sandbox: Sandbox): Session {
  const spawn = (command: Command) => spawnShell(sandbox, command)
  const read: Session['readFile'] = async ({ path, abortSignal }) => {
    const content = await filesFor(sandbox, path).read(path, { signal: abortSignal })
    return content === undefined ? null : webStream(content)
  }
  const readBinaryFile: Session['readBinaryFile'] = async (options) => {
    const content = await read(options)
    return content === null ? null : buffer(content)
  }
  const write = ({ path, content, abortSignal }: Parameters<Session['writeFile']>[0]) =>
    filesFor(sandbox, path).write(path, content as AsyncIterable<Uint8Array>, { signal: abortSignal })
  return {
    description: `Files and commands are in ${sandbox.directory}. Network: ${sandbox.capabilities.network}.`,
    spawn,
    run: async (command) => {
      const process = await spawn(command)
      const [stdout, stderr, { exitCode }] = await Promise.all([
        text(process.stdout),
        text(process.stderr),
        process.wait(),
      ])
      return { exitCode, stdout, stderr }
    },
    readFile: read,
    readBinaryFile,
    readTextFile: async ({ encoding, startLine = 1, endLine, ...options }) => {
      const bytes = await readBinaryFile(options)
      if (bytes === null) return null
      const content = new TextDecoder(encoding).decode(bytes)
      return content
        .split(/(?<=\n)/)
        .slice(startLine - 1, endLine)
        .join('')
    },
    writeFile: write,
    writeBinaryFile: ({ content, ...options }) => write({ ...options, content: webStream([content]) }),
    writeTextFile: ({ content, encoding = 'utf8', ...options }) =>
      write({ ...options, content: webStream([Buffer.from(content, encoding as BufferEncoding)]) }),
  }
}

/** Where a sandbox's own files are its directory only, others are reached as its processes reach them. */
function filesFor(sandbox: Sandbox, path: string): SandboxFiles {
  const { directory, capabilities, files } = sandbox
  const fromDirectory = posix.relative(directory, posix.resolve(directory, path))
  const isOutside = fromDirectory === '..' || fromDirectory.startsWith('../')
  if (capabilities.files === 'whole' || !isOutside) return files
  return new ProcessFiles({ spawn: sandbox.spawn.bind(sandbox), directory })
}

async function spawnShell(
  sandbox: Sandbox,
  { command, workingDirectory, env, abortSignal }: Command,
): Promise<Process> {
  const process = await sandbox.spawn(['bash', '-c', command], {
    cwd: workingDirectory,
    env,
    signal: abortSignal,
  })
  return {
    stdout: webStream(process.stdout),
    stderr: webStream(process.stderr),
    wait: async () => {
      const end = await process.ended
      abortSignal?.throwIfAborted()
      if (end.kind !== 'exited') throw new Error(`${command}: ${end.message}`)
      return { exitCode: end.exitCode }
    },
    kill: async () => {
      await process.kill()
    },
  }
}

/** Takes nothing before it is read: a stream of a process that nobody reads does not hold the process up. */
function webStream(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  return ReadableStream.from(chunks) as globalThis.ReadableStream<Uint8Array>
}
