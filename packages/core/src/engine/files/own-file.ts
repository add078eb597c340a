/** How a program names its own file, and uses of the name that only need its directory. */
const ownNames: Readonly<Record<string, { readonly name: RegExp; readonly directory: RegExp }>> = {
  python: {
    name: /__file__|\bargv\b/,
    directory:
      /\bdirname\(\s*(?:[\w.]*\b(?:abspath|realpath)\(\s*)?__file__|\bPath\(\s*__file__\s*\)(?:\.(?:resolve|absolute)\(\))?\.parent\b/g,
  },
  sh: {
    name: /\$(?:0|\{0)|\bBASH_(?:SOURCE|ARGV0)\b/,
    directory:
      /\b(?:dirname|basename)\s+(?:--\s+)?"?\$(?:0\b|\{0\}|\{BASH_SOURCE(?:\[0\])?\}|BASH_SOURCE\b)"?|"?\$\{BASH_SOURCE(?:\[0\]|\[0\]:-\$0|:-\$0)?\}"?\s*(?:==?|!=)\s*"?\$(?:0\b|\{0\})"?/g,
  },
}

/**
 * Whether a program may read its own file: its text has the file's name, and not only to find the directory or to compare names.
 * Such a program has a file while it runs.
 */
export function mayReadOwnFile(code: string, languageId: string): boolean {
  const own = ownNames[languageId === 'bash' ? 'sh' : languageId]
  return own === undefined || own.name.test(code.replace(own.directory, ''))
}
