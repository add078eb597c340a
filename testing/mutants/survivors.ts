import type { Mutant } from './places.ts'

/** A change that no test notices, and why that is accepted. */
interface Survivor {
  readonly file: string
  /** {@link Mutant.name} */
  readonly change: string
  readonly reason: string
}

/** Whether a mutant is in the list. */
export function isListed({ file, name }: Mutant): boolean {
  return survivors.some((survivor) => survivor.file === file && survivor.change === name)
}

export const survivors: readonly Survivor[] = [
  {
    file: 'packages/errors/src/text.ts',
    change: 'left half: character?.index ?? position',
    reason: 'The position is within the text, where a segmenter finds a character.',
  },
  {
    file: 'packages/errors/src/text.ts',
    change: 'left half: character.codePointAt(0) ?? 0',
    reason: 'A match is not empty, so it has a first code point.',
  },
  {
    file: 'packages/errors/src/text.ts',
    change: 'left half: character.codePointAt(0) ?? 0 (2)',
    reason: 'A match is not empty, so it has a first code point.',
  },
  {
    file: 'packages/errors/src/text.ts',
    change: '<=: code < 0x20',
    reason: '0x20 is a space, which is not escaped.',
  },
  {
    file: 'packages/markdown/src/extraction/code-block-scanner.ts',
    change: 'undefined: return true (3)',
    reason:
      'The block has ended by then, so the line that is added to it is not read. Only at the limit for reading text again is the block found twice.',
  },
  {
    file: 'packages/markdown/src/extraction/commonmark.ts',
    change: 'removed: noBreakBefore = line.contentOffset + mismatch',
    reason: 'Only speed: without this line, the same text is searched for a thematic break more than once.',
  },
  {
    file: 'packages/markdown/src/extraction/fence.ts',
    change: '<=: start < end',
    reason: 'After the end there is no text, and the slice is empty in both cases.',
  },
  {
    file: 'packages/markdown/src/extraction/lines-above.ts',
    change:
      "undefined: return before.trim() === '' ? 'its fence is indented by four columns or more' : 'text prec",
    reason: 'Only the words of a hint.',
  },
  {
    file: 'packages/markdown/src/extraction/lines-above.ts',
    change: "negated: before.trim() === ''",
    reason: 'Only the words of a hint.',
  },
  {
    file: 'packages/markdown/src/extraction/multiline-literals.ts',
    change: '<=: offset < line.length (2)',
    reason: 'No token is empty, so none is found at the end of a line.',
  },
  {
    file: 'packages/core/src/run-approved.ts',
    change: 'negated: workDir === undefined',
    reason: 'Only the words of an error.',
  },
  {
    file: 'packages/core/src/run-approved.ts',
    change: 'empty: [description, ...directory, ...limits]',
    reason: 'Only the words of an error.',
  },
  {
    file: 'packages/core/src/engine/output/head-tail.ts',
    change: '>=: forHead > 0',
    reason: 'Filling the head with zero bytes changes nothing.',
  },
  {
    file: 'packages/core/src/engine/output/head-tail.ts',
    change: '<: count <= end',
    reason: 'Where both are equal, the second part of the ring is empty, and the bytes are the same.',
  },
  {
    file: 'packages/core/src/engine/block/run-block.ts',
    change: 'left half: tools?.count ?? 0',
    reason: '`undefined > 0` is false, as `0 > 0` is.',
  },
  {
    file: 'packages/sandbox/src/network/network-proxy.ts',
    change: 'no guard: if (secure === undefined) return',
    reason: 'The caller has found secrets of the host, so there is a connection.',
  },
  {
    file: 'packages/sandbox/src/network/wire.ts',
    change: 'left half: data[at] ?? 0',
    reason: 'The loop runs only where a whole header follows.',
  },
  {
    file: 'packages/sandbox-local/src/isolation/bubblewrap.ts',
    change: 'removed: signal.throwIfAborted()',
    reason: 'The start of the sandbox checks the same signal before it ends.',
  },
  {
    file: 'packages/sandbox-local/src/isolation/cgroup-hierarchy.ts',
    change: 'left half: root === undefined || directory === undefined',
    reason: 'A line without a directory has no type of a control group either.',
  },
  {
    file: 'packages/sandbox-local/src/isolation/isolated-process.ts',
    change: "right half: end.kind === 'exited' && memoryKills > 0",
    reason: 'The count is read only from the end of a process that exited.',
  },
  {
    file: 'packages/sandbox-local/src/isolation/path-in.ts',
    change: "left half: way !== '..' && !way.startsWith('../') && !isAbsolute(way)",
    reason: 'Only on Windows is a relative path absolute, and the tests of isolation run on Linux.',
  },
]
