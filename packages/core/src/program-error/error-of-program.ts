import { basename } from 'node:path'
import type { ErrorFrame, ProgramError, RaisedError } from './program-error.ts'
import { readNodeError } from './read-node-error.ts'
import { readPythonError } from './read-python-error.ts'

/** Limits in UTF-16 code units, and the number of frames. */
const longestMessage = 8_192
const longestText = 65_536
const mostFrames = 200

/** The program that failed. */
export interface FailedProgram {
  /** ID of its language. */
  readonly language: string
  readonly exitCode: number
  /** The end of what it wrote to stderr. */
  readonly stderr: string
  /** Absolute path of its file, as it sees it. */
  readonly path: string
  /** Its own file name, if it has one that stays. */
  readonly file: string | undefined
  readonly blockIndex: number
  /** Absolute path of the working directory, as the program sees it. */
  readonly directory: string | undefined
}

/** What an exit code says of an error that nothing caught. */
const codesOfErrors: Readonly<Record<string, readonly number[]>> = {
  python: [1, 130],
  javascript: [1],
  typescript: [1],
}

/** The error that ended a program: as its driver reports it, or read from the end of its stderr; `undefined` where there is none. */
export function errorOfProgram(
  program: FailedProgram,
  reported: RaisedError | undefined,
): ProgramError | undefined {
  const read = reported === undefined || reported.text === '' ? readError(program) : undefined
  const error = read ?? reported
  if (error === undefined) return undefined
  const { name, message, text, traceback } = error
  return {
    name,
    message: message.slice(0, longestMessage),
    traceback: withoutRepetition(traceback)
      .slice(-mostFrames)
      .map((frame) => namedFrame(frame, program)),
    text: text.slice(-longestText),
    source: reported === undefined ? 'stderr' : 'kernel',
  }
}

function readError({ language, exitCode, stderr }: FailedProgram): RaisedError | undefined {
  if (codesOfErrors[language]?.includes(exitCode) !== true) return undefined
  return language === 'python' ? readPythonError(stderr) : readNodeError(stderr)
}

/** Python leaves out what repeats after three times, and IPython leaves out nothing. */
function withoutRepetition(frames: readonly ErrorFrame[]): readonly ErrorFrame[] {
  const kept: ErrorFrame[] = []
  for (const frame of frames) {
    const last = kept.at(-1)
    const isSame = last?.file === frame.file && last.line === frame.line && last.function === frame.function
    if (!isSame) kept.push(frame)
    else kept[kept.length - 1] = { ...last, repeated: (last.repeated ?? 0) + 1 + (frame.repeated ?? 0) }
  }
  return kept
}

/** A frame of the block by the block, and one of another file of the working directory by its path there. */
function namedFrame(frame: ErrorFrame, { path, file, blockIndex, directory }: FailedProgram): ErrorFrame {
  if (isOfBlock(frame, path)) return { ...frame, file: file ?? `block ${blockIndex + 1}`, blockIndex }
  const start = `${directory}/`
  if (directory === undefined || !frame.file.startsWith(start)) return frame
  return { ...frame, file: frame.file.slice(start.length) }
}

/** The name that ipykernel gives a cell. */
const cellFile = /[\\/]ipykernel_\d+[\\/]\d+\.py$/

/** A temporary name is found by itself: an interpreter may have resolved links in its directory. */
function isOfBlock({ file }: ErrorFrame, path: string): boolean {
  const name = basename(path)
  if (path === '') return file === '' || cellFile.test(file)
  return file === path || (name.startsWith('.fenced-') && basename(file) === name)
}
