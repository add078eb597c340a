/** Sequences that a session runs otherwise than ipykernel, with the difference. */
export const knownDifferences: ReadonlyMap<string, string> = new Map<string, string>([
  [
    'def recurse(): recurse()\nrecurse()',
    'A session counts repeated frames as Python does. ipykernel lists a part of them, with the line of the first call twice.',
  ],
  [
    'input without a person',
    'A session has no line, as at the end of a file: EOFError. ipykernel raises StdinNotImplementedError.',
  ],
])
