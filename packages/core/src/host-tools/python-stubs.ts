import { isPythonName, pythonLiteral, pythonName, pythonString } from './python-names.ts'
import { isSchema, PythonTypes } from './python-types.ts'
import type { JsonSchema, ReadyTool } from './tool-schema.ts'

/** A parameter of a function, for one property of the input. */
interface Parameter {
  readonly name: string
  readonly key: string
  readonly type: string
  /** An expression; `undefined` where it is required, and `null` where it is left out when it is not given. */
  readonly defaultValue: string | null | undefined
}

/** A function of the module `tools`. */
interface PythonFunction {
  readonly name: string
  readonly tool: ReadyTool
  /** `undefined`: it takes any named arguments. */
  readonly parameters: readonly Parameter[] | undefined
  readonly returns: string
}

/** Returns a module of functions without bodies, and their types, for type checkers, people and models. */
export function pythonStubs(tools: readonly ReadyTool[]): string {
  const types = new PythonTypes()
  const functions = tools.map((tool) => pythonFunction(tool, types))
  const stubs = functions.map(
    (each) => `def ${signature(each, '...')}:\n${docstring(each.tool.description)}    ...`,
  )
  return [...types.definitions, ...stubs].join('\n\n')
}

/** The functions of the module `tools`, which are decorated with `_tool`, call `_call(name, arguments)`, and take `_unset` for what is not given. */
export function pythonFunctions(tools: readonly ReadyTool[]): string {
  return tools
    .map((tool) => {
      const types = new PythonTypes()
      const each = pythonFunction(tool, types)
      const { parameters } = each
      const { definitions } = types
      const pairs = parameters?.map(({ key, name }) => `${pythonString(key)}: ${name}`)
      const values = pairs === undefined ? 'arguments' : `{${pairs.join(', ')}}`
      const about = definitions.length === 0 ? '' : `\n\nTypes:\n\n${definitions.join('\n\n')}`
      const text = `${tool.description ?? ''}${about}`
      const body = `return _call(${pythonString(tool.name)}, ${values})`
      return `@_tool\ndef ${signature(each, '_unset')}:\n    ${pythonString(text)}\n    ${body}\n`
    })
    .join('\n')
}

/** @param types - gets the definitions of what its signature names. */
function pythonFunction(tool: ReadyTool, types: PythonTypes): PythonFunction {
  const { name, input, output } = tool
  const parameters = parametersOf(input.jsonSchema, types, name)
  const returns = types.typeOf(output.jsonSchema, [name, 'result'], output.jsonSchema)
  return { name: tool.pythonName, tool, parameters, returns }
}

/** The required ones first, as Python has it. */
function parametersOf(schema: JsonSchema, types: PythonTypes, tool: string): Parameter[] | undefined {
  const { properties, required } = schema
  if (!isSchema(properties)) return schema.additionalProperties === false ? [] : undefined
  const needed = new Set(Array.isArray(required) ? required : [])
  const all = Object.entries(properties).map(([key, each]): Parameter => {
    const type = types.typeOf(each, [tool, key], schema)
    const name = isPythonName(key) ? key : pythonName(key)
    const given = isSchema(each) && 'default' in each ? pythonLiteral(each.default) : null
    return { name, key, type, defaultValue: needed.has(key) ? undefined : given }
  })
  const names = new Set(all.map(({ name }) => name))
  // Two keys may have one name.
  if (names.size < all.length) return undefined
  const isRequired = ({ defaultValue }: Parameter) => defaultValue === undefined
  return [...all.filter(isRequired), ...all.filter((each) => !isRequired(each))]
}

/** @param unset - the default of an optional argument. */
function signature({ name, parameters, returns }: PythonFunction, unset: string): string {
  const list = parameters?.map(({ name, type, defaultValue }) =>
    defaultValue === undefined ? `${name}: ${type}` : `${name}: ${type} = ${defaultValue ?? unset}`,
  )
  return `${name}(${(list ?? ['**arguments: Any']).join(', ')}) -> ${returns}`
}

function docstring(description: string | undefined): string {
  if (description === undefined || description === '') return ''
  const text = description.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').trim()
  return `    """${text.replaceAll('\n', '\n    ')}${text.endsWith('"') ? ' ' : ''}"""\n`
}
