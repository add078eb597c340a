import { isPythonName, pythonLiteral, pythonString, typeName } from './python-names.ts'
import type { JsonSchema } from './tool-schema.ts'

/** Types of Python for schemas of JSON: an expression for each, and definitions of what needs a name. */
export class PythonTypes {
  readonly #definitions = new Map<string, string>()
  /** Names of the targets of `$ref`, by its schema and its pointer. */
  readonly #references = new Map<JsonSchema, Map<string, string>>()

  /** In an order in which each may name the others: annotations are strings in a stub. */
  get definitions(): readonly string[] {
    return [...this.#definitions.values()].filter(Boolean)
  }

  /** @param path - the words of a name, for what needs one. */
  typeOf(schema: unknown, path: readonly string[], root: JsonSchema): string {
    if (!isSchema(schema)) return 'Any'
    const { $ref, anyOf, oneOf, allOf, type } = schema
    if (typeof $ref === 'string') return this.#reference($ref, path, root)
    if (Array.isArray(schema.enum)) return literals(schema.enum)
    if ('const' in schema) return literals([schema.const])
    const choices = Array.isArray(anyOf) ? anyOf : oneOf
    if (Array.isArray(choices)) return this.#union(choices, path, root)
    if (Array.isArray(allOf) && allOf.length === 1) return this.typeOf(allOf[0], path, root)
    if (Array.isArray(type))
      return this.#union(
        type.map((each) => ({ ...schema, type: each })),
        path,
        root,
      )
    switch (type) {
      case 'string':
        return 'str'
      case 'integer':
        return 'int'
      case 'number':
        return 'float'
      case 'boolean':
        return 'bool'
      case 'null':
        return 'None'
      case 'array':
        return `list[${this.typeOf(itemsOf(schema), [...path, 'item'], root)}]`
      case 'object':
        return this.#object(schema, path, root)
      default:
        return isSchema(schema.properties) ? this.#object(schema, path, root) : 'Any'
    }
  }

  #union(choices: readonly unknown[], path: readonly string[], root: JsonSchema): string {
    const types = choices.map((choice, index) =>
      this.typeOf(choice, index === 0 ? path : [...path, `${index + 1}`], root),
    )
    return types.includes('Any') ? 'Any' : [...new Set(types)].join(' | ')
  }

  #object(schema: JsonSchema, path: readonly string[], root: JsonSchema): string {
    const { properties, additionalProperties } = schema
    if (!isSchema(properties) || Object.keys(properties).length === 0) {
      const value = isSchema(additionalProperties)
        ? this.typeOf(additionalProperties, [...path, 'value'], root)
        : 'Any'
      return `dict[str, ${value}]`
    }
    const name = this.#newName(path)
    this.#define(name, schema, { path, root })
    return name
  }

  #reference(pointer: string, path: readonly string[], root: JsonSchema): string {
    const target = pointed(root, pointer)
    if (!isSchema(target)) return 'Any'
    if (!isSchema(target.properties)) {
      // A name that points to itself has no other end.
      return path.length > 12 ? 'Any' : this.typeOf(target, [...path, 'value'], root)
    }
    const names = this.#references.get(root) ?? new Map<string, string>()
    this.#references.set(root, names)
    const known = names.get(pointer)
    if (known !== undefined) return known
    const own = [path[0] ?? '', pointer.split('/').at(-1) ?? '']
    const name = this.#newName(own)
    names.set(pointer, name)
    this.#define(name, target, { path: own, root })
    return name
  }

  #define(
    name: string,
    { properties = {}, required }: JsonSchema,
    { path, root }: { path: readonly string[]; root: JsonSchema },
  ): void {
    const needed = new Set(Array.isArray(required) ? required : [])
    const fields = Object.entries(properties as JsonSchema).map(([key, each]) => {
      const type = this.typeOf(each, [...path, key], root)
      return { key, type: needed.has(key) ? type : `NotRequired[${type}]` }
    })
    const isClass = fields.every(({ key }) => isPythonName(key))
    const lines = fields.map(({ key, type }) => `    ${key}: ${type}`)
    const items = fields.map(({ key, type }) => `${pythonString(key)}: ${pythonString(type)}`)
    this.#definitions.set(
      name,
      isClass
        ? `class ${name}(TypedDict):\n${lines.join('\n')}`
        : `${name} = TypedDict(${pythonString(name)}, {${items.join(', ')}})`,
    )
  }

  #newName(path: readonly string[]): string {
    const plain = typeName(...path)
    let name = plain
    for (let number = 2; this.#definitions.has(name); number++) name = `${plain}${number}`
    // Taken from now on.
    this.#definitions.set(name, '')
    return name
  }
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function literals(values: readonly unknown[]): string {
  const plain = values.every((value) => ['string', 'boolean'].includes(typeof value) || value === null)
  if (!plain && !values.every(Number.isInteger)) return 'Any'
  return values.length === 0 ? 'Any' : `Literal[${values.map(pythonLiteral).join(', ')}]`
}

function itemsOf({ items, prefixItems }: JsonSchema): unknown {
  return isSchema(items)
    ? items
    : Array.isArray(prefixItems) && prefixItems.length === 1
      ? prefixItems[0]
      : {}
}

/** Resolves a pointer in a fragment: https://www.rfc-editor.org/rfc/rfc6901. */
export function pointed(root: JsonSchema, pointer: string): unknown {
  if (pointer === '#') return root
  if (!pointer.startsWith('#/')) return undefined
  const keys = pointer.slice(2).split('/')
  return keys.reduce<unknown>((at, key) => {
    const plain = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
    return isSchema(at) ? at[plain] : undefined
  }, root)
}
