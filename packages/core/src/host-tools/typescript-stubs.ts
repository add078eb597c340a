import { isSchema, pointed } from './python-types.ts'
import type { JsonSchema, ReadyTool } from './tool-schema.ts'

/** Returns a declaration of `tools` for type checkers, people and models. Its functions take an object and return a promise. */
export function typescriptStubs(tools: readonly ReadyTool[]): string {
  const types = new TypescriptTypes()
  const functions = tools.map(({ name, description, input, output }) => {
    const given = types.typeOf(input.jsonSchema, input.jsonSchema)
    const returns = types.typeOf(output.jsonSchema, output.jsonSchema)
    const hasInput = Object.keys(Object(input.jsonSchema.properties)).length > 0
    const isOptional = !hasInput || !Array.isArray(input.jsonSchema.required)
    const parameter = `input${isOptional ? '?' : ''}: ${given}`
    return `${comment(description)}  ${propertyName(javascriptName(name))}(${parameter}): Promise<${returns}>`
  })
  return [...types.definitions, `declare const tools: {\n${functions.join('\n')}\n}`].join('\n\n')
}

/** The names that every object has, that JavaScript itself looks up, and that `tools` has for its errors. */
const taken = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'then',
  'toJSON',
  'ToolError',
  'ToolDenied',
])

/** The name of a tool in JavaScript: `query_db` and `query-db` are `queryDb`, and `then` is `then_`. */
export function javascriptName(name: string): string {
  const camelCase = name.replaceAll(/[^\p{L}\p{N}]+([\p{L}\p{N}])/gu, (_, letter: string) =>
    letter.toUpperCase(),
  )
  return taken.has(name) ? `${name}_` : taken.has(camelCase) ? `${camelCase}_` : camelCase
}

/** Types of JavaScript values that schemas of JSON describe. */
class TypescriptTypes {
  readonly #definitions = new Map<string, string>()
  /** Names of the targets of `$ref`, by its schema and its pointer. */
  readonly #references = new Map<JsonSchema, Map<string, string>>()

  get definitions(): readonly string[] {
    return [...this.#definitions].map(([name, type]) => `type ${name} = ${type}`)
  }

  typeOf(schema: unknown, root: JsonSchema): string {
    if (!isSchema(schema)) return 'unknown'
    const { $ref, anyOf, oneOf, allOf, type } = schema
    if (typeof $ref === 'string') return this.#reference($ref, root)
    if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)))
    if ('const' in schema) return JSON.stringify(schema.const)
    const choices = Array.isArray(anyOf) ? anyOf : oneOf
    if (Array.isArray(choices)) return union(choices.map((choice) => this.typeOf(choice, root)))
    if (Array.isArray(allOf)) return allOf.map((each) => this.typeOf(each, root)).join(' & ') || 'unknown'
    if (Array.isArray(type)) return union(type.map((each) => this.typeOf({ ...schema, type: each }, root)))
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return `Array<${this.typeOf(schema.items, root)}>`
      case 'object':
        return this.#object(schema, root)
      default:
        return isSchema(schema.properties) ? this.#object(schema, root) : 'unknown'
    }
  }

  #object({ properties, required, additionalProperties }: JsonSchema, root: JsonSchema): string {
    if (!isSchema(properties) || Object.keys(properties).length === 0)
      return `Record<string, ${isSchema(additionalProperties) ? this.typeOf(additionalProperties, root) : 'unknown'}>`
    const needed = new Set(Array.isArray(required) ? required : [])
    const fields = Object.entries(properties).map(([key, each]) => {
      const isNeeded = needed.has(key)
      return `${propertyName(key)}${isNeeded ? '' : '?'}: ${this.typeOf(each, root)}`
    })
    return `{ ${fields.join('; ')} }`
  }

  #reference(pointer: string, root: JsonSchema): string {
    const target = pointed(root, pointer)
    if (target === undefined) return 'unknown'
    const names = this.#references.get(root) ?? new Map<string, string>()
    this.#references.set(root, names)
    const known = names.get(pointer)
    if (known !== undefined) return known
    const plain = /(\w+)$/.exec(pointer)?.[1] ?? 'Root'
    let name = plain.slice(0, 1).toUpperCase() + plain.slice(1)
    if (!/^[A-Z]/.test(name)) name = `T${name}`
    for (let number = 2, first = name; this.#definitions.has(name); number++) name = `${first}${number}`
    names.set(pointer, name)
    // Taken from now on: it may name itself.
    this.#definitions.set(name, 'unknown')
    this.#definitions.set(name, this.typeOf(target, root))
    return name
  }
}

function union(types: readonly string[]): string {
  return types.length === 0 ? 'unknown' : [...new Set(types)].join(' | ')
}

function propertyName(key: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? key : JSON.stringify(key)
}

function comment(description: string | undefined): string {
  const text = description?.trim().replaceAll('*/', '* /') ?? ''
  return text === '' ? '' : `  /** ${text.replaceAll('\n', '\n   * ')} */\n`
}
