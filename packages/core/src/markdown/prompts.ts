/** The prompts of interactive sessions: what the first line begins with, and what any of them may. */
const prompts: Readonly<Record<string, { readonly first: RegExp; readonly any: RegExp }>> = {
  python: { first: /^>>> /, any: /^(?:>>>|\.\.\.)(?: |$)/ },
  sh: { first: /^\$ /, any: /^\$(?: |$)/ },
  bash: { first: /^\$ /, any: /^\$(?: |$)/ },
}

/**
 * The lines of a labelled program without the prompts of an interactive session, if all lines have one that are not
 * blank: no program begins its lines like that. With a line of output among them the lines stay as they are, because
 * output looks like code.
 */
export function withoutPrompts(lines: readonly string[], language: string): readonly string[] {
  const { first, any } = prompts[language] ?? {}
  if (first === undefined || any === undefined) return lines
  const firstLine = lines.find((line) => line.trim() !== '')
  if (firstLine === undefined || !first.test(firstLine)) return lines
  if (!lines.every((line) => line.trim() === '' || any.test(line))) return lines
  return lines.map((line) => line.replace(any, ''))
}
