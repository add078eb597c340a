import { resolve } from 'node:path'
import {
  API,
  type Checker,
  type Symbol as CheckerSymbol,
  type Signature,
  SignatureKind,
  SymbolFlags,
} from 'typescript/unstable/sync'

/**
 * Every function, constructor and method that a module exports and that takes an object with optional properties as its options, such as
 * `send(SendOptions)`. A method that several classes share is listed once.
 *
 * @param configFile - the project that the module belongs to.
 */
export function optionTakers(configFile: string, module: string): ReadonlySet<string> {
  const api = new API()
  try {
    const project = api
      .updateSnapshot({ openProjects: [resolve(configFile)] })
      .getProject(resolve(configFile))
    if (project === undefined) throw new Error(`There is no ${configFile}.`)
    const { checker, program } = project
    const source = program.getSourceFile(resolve(module))
    const imported = (source?.statements ?? []).flatMap((statement) =>
      'moduleSpecifier' in statement ? [checker.getSymbolAtLocation(statement.moduleSpecifier as never)] : [],
    )
    const exported = imported.flatMap((each) => (each === undefined ? [] : checker.getExportsOfModule(each)))
    return new Set(exported.flatMap((each) => takersOf(checker, each)))
  } finally {
    api.close()
  }
}

function takersOf(checker: Checker, exported: CheckerSymbol): string[] {
  const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const { name } = exported
  if (symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable))
    return called(checker, name, { symbol, kind: SignatureKind.Call })
  const members = (of: readonly CheckerSymbol[]) =>
    of
      .filter((member) => !member.name.startsWith('__#') && !(member.flags & SymbolFlags.Prototype))
      .flatMap((member) => called(checker, member.name, { symbol: member, kind: SignatureKind.Call }))
  const instance = checker.getDeclaredTypeOfSymbol(symbol)
  if (instance === undefined) return []
  if (symbol.flags & SymbolFlags.Class) {
    const type = checker.getTypeOfSymbol(symbol)
    return [
      ...called(checker, `new ${name}`, { symbol, kind: SignatureKind.Construct }),
      ...members(checker.getPropertiesOfType(instance)),
      ...(type === undefined ? [] : members(checker.getPropertiesOfType(type))),
    ]
  }
  return symbol.flags & SymbolFlags.Interface ? members(checker.getPropertiesOfType(instance)) : []
}

interface Callable {
  readonly symbol: CheckerSymbol
  readonly kind: SignatureKind
}

function called(checker: Checker, name: string, { symbol, kind }: Callable): string[] {
  const type = checker.getTypeOfSymbol(symbol)
  if (type === undefined) return []
  const given = checker.getNonNullableType(type) ?? type
  const signatures = checker.getSignaturesOfType(given, kind)
  return signatures.flatMap((signature) => optionTypes(checker, signature)).map((of) => `${name}(${of})`)
}

/** The types of the parameters that are options: all of their properties are ours, and one can be left out. */
function optionTypes(checker: Checker, signature: Signature): string[] {
  return signature.getParameters().flatMap((parameter) => {
    const type = checker.getTypeOfSymbol(parameter)
    const given = type && checker.getNonNullableType(type)
    if (given === undefined) return []
    const properties = checker.getPropertiesOfType(given)
    const text = checker.typeToString(given)
    // The checker calls a destructured parameter `__0`.
    const isNamed = /^(options|__\d)$/.test(parameter.name) || /(Options|Search)$/.test(text)
    const areOurs = properties.every(({ declarations }) =>
      declarations.some(({ path }) => /\/packages\/|\/@fenced\//.test(path)),
    )
    const oneIsOptional = properties.some(({ flags }) => flags & SymbolFlags.Optional)
    return isNamed && areOurs && oneIsOptional ? [text.startsWith('{') ? '{…}' : text] : []
  })
}
