import { parseAst } from 'vitest/node'

/** A change of a source file that a test should notice. */
export interface Mutant {
  readonly file: string
  /** Kind and changed text: the same after changes elsewhere in the file. */
  readonly name: string
  readonly line: number
  readonly mutated: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Change {
  readonly kind: string
  readonly node: Node
  readonly text: string
}

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
}

/** All mutants of a source text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const counts = new Map<string, number>()
  return changesIn(parseAst(source, { lang: 'ts' }) as unknown as Node, source).map(
    ({ kind, node, text }) => {
      const excerpt = source.slice(node.start, node.end).replace(/\s+/g, ' ').slice(0, 90)
      const name = `${kind}: ${excerpt}`
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return {
        file,
        name: count === 1 ? name : `${name} (${count})`,
        line: source.slice(0, node.start).split('\n').length,
        mutated: source.slice(0, node.start) + text + source.slice(node.end),
      }
    },
  )
}

function changesIn(node: Node, source: string): Change[] {
  // Types, and the texts of errors, decide nothing.
  if (node.type.startsWith('TS') && !/^TS(?:As|NonNull|Satisfies)/.test(node.type)) return []
  if (node.type === 'ThrowStatement' || node.type === 'ImportDeclaration') return []
  const children = Object.values(node).flat().filter(isNode)
  return [...changesAt(node, source), ...children.flatMap((child) => changesIn(child, source))]
}

function changesAt(node: Node, source: string): Change[] {
  const textOf = (part: unknown) => (isNode(part) ? source.slice(part.start, part.end) : '')
  switch (node.type) {
    case 'IfStatement':
      return node.alternate === null
        ? [{ kind: 'no guard', node, text: ';' }]
        : [{ kind: 'negated', node: node.test as Node, text: `!(${textOf(node.test)})` }]
    case 'ConditionalExpression':
      return [{ kind: 'negated', node: node.test as Node, text: `!(${textOf(node.test)})` }]
    case 'LogicalExpression':
      return [
        { kind: 'left half', node, text: `(${textOf(node.left)})` },
        ...(node.operator === '??' ? [] : [{ kind: 'right half', node, text: `(${textOf(node.right)})` }]),
      ]
    case 'BinaryExpression': {
      const operator = operators[String(node.operator)]
      if (operator === undefined) return []
      return [{ kind: operator, node, text: `(${textOf(node.left)} ${operator} ${textOf(node.right)})` }]
    }
    case 'ExpressionStatement':
      return /^(?:super\(|')/.test(textOf(node)) ? [] : [{ kind: 'removed', node, text: ';' }]
    case 'ReturnStatement':
      return isNode(node.argument) && textOf(node.argument) !== 'undefined'
        ? [{ kind: 'undefined', node, text: 'return undefined' }]
        : []
    case 'Literal':
      return 'regex' in node ? [{ kind: 'never matches', node, text: '/(?!)/g' }] : []
    case 'ArrayExpression':
      return (node.elements as unknown[]).length === 0 ? [] : [{ kind: 'empty', node, text: '[]' }]
    default:
      return []
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
