/** A file name below the working directory, or the reason why it is none. */
export type CheckedFileName = { readonly name: string } | { readonly refused: string }

/** Names that Windows gives to devices in every directory, with any extension. */
const windowsDevices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/**
 * Checks a name that a model wrote. An absolute path is accepted where it leads into the working directory,
 * as AutoGen accepts it. The rules are the same on every system, so that an answer runs everywhere or nowhere.
 *
 * @param written - the name as written.
 * @param workDir - absolute path of the working directory as the code sees it.
 */
export function checkFileName(written: string, workDir: string): CheckedFileName {
  const name = written.startsWith(`${workDir}/`) ? written.slice(workDir.length + 1) : written
  const parts = name.split('/').filter((part) => part !== '.' && part !== '')
  const refused = refusalOf(name, parts)
  return refused === undefined ? { name: parts.join('/') } : { refused }
}

function refusalOf(name: string, parts: readonly string[]): string | undefined {
  if (name === '') return 'it is empty'
  // Half a surrogate pair would be another character on the disk than in the result.
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'it has a control character in it'
  if (name.includes('\\')) return 'it has a backslash in it; write "/" between directories'
  const [first = ''] = parts
  if (name.startsWith('/') || /^[a-z]:/i.test(first)) {
    return 'it is an absolute path outside of the working directory'
  }
  if (/[<>:"|?*]/.test(name)) return 'it has a character in it that Windows does not allow (< > : " | ? *)'
  if (first.startsWith('~')) return 'it begins with "~", which is not expanded'
  if (parts.includes('..')) return 'it has ".." in it'
  if (/(^|\/)\.?$/.test(name)) return 'it names a directory'
  if (parts.some((part) => windowsDevices.test(part))) return 'it is the name of a device on Windows'
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return 'a part of it is longer than 255 bytes'
  return undefined
}
