/** https://docs.python.org/3/reference/lexical_analysis.html#keywords, and what the module `tools` has itself. */
const taken = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
  lambda nonlocal not or pass raise return try while with yield
  ToolError ToolDenied ToolNotFound ToolArgumentError gather search`.split(/\s+/),
)

/** Returns the nearest valid name for a function or a parameter. */
export function pythonName(name: string): string {
  const plain = name.replaceAll(/\W/g, '_')
  const begun = /^[A-Za-z]/.test(plain) ? plain : `t${plain}`
  return taken.has(begun) ? `${begun}_` : begun
}

/** Whether a key is a valid name for a parameter or a field. */
export function isPythonName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('__') && !keywords.has(name)
}

const keywords = new Set([...taken].slice(0, [...taken].indexOf('ToolError')))

/** A name for a type: `query_db` and `filter` are `QueryDbFilter`. */
export function typeName(...parts: readonly string[]): string {
  const words = parts.flatMap((part) => part.split(/[^A-Za-z0-9]+/)).filter(Boolean)
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return /^[A-Z]/.test(name) ? name : `T${name}`
}

/** A string as a literal of Python, which reads every escape of JSON but those of lone surrogates as JavaScript does. */
export function pythonString(text: string): string {
  return JSON.stringify(text)
}

/** A value of JSON as an expression of Python. */
export function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return pythonString(value)
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value).map(([key, each]) => `${pythonString(key)}: ${pythonLiteral(each)}`)
  return `{${entries.join(', ')}}`
}
