import type { AstNode } from './compiler.ts'

/** One change to one source file. */
export type Mutant = {
  /** As solc names it: `src/Relay.sol`. */
  path: string
  /** Counted from 1. */
  line: number
  operator: string
  /** Bytes [start, end) of the source become `after`. */
  start: number
  end: number
  before: string
  after: string
}

type Edit = Pick<Mutant, 'operator' | 'start' | 'end' | 'after'>
type Span = { start: number; end: number }
type Context = { bytes: Buffer; text: (span: Span) => string }

const binaryOperators: Record<string, string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
}
const assignmentOperators: Record<string, string[]> = { '+=': ['-=', '='], '-=': ['+=', '='], '|=': ['&=', '='] }
const commutative = new Set(['add', 'mul', 'and', 'or', 'xor', 'eq'])
const yulFunctions: Record<string, string> = { add: 'sub', sub: 'add', and: 'or', or: 'and', shl: 'shr', shr: 'shl' }

/** Every mutant of a source, in the order of the source. Some of them do not compile. */
export function mutantsOf(path: string, source: string, ast: AstNode): Mutant[] {
  const bytes = Buffer.from(source)
  const text = ({ start, end }: Span) => bytes.subarray(start, end).toString()
  const mutants = new Map<string, Mutant>()
  const visit = (node: AstNode) => {
    for (const edit of rules[node.nodeType]?.(node, { bytes, text }) ?? []) {
      const before = text(edit)
      const line = text({ start: 0, end: edit.start }).split('\n').length
      if (before !== edit.after) mutants.set(`${edit.start}:${edit.end}:${edit.after}`, { path, line, before, ...edit })
    }
    childrenOf(node).forEach(visit)
  }
  visit(ast)
  return [...mutants.values()].sort((a, b) => a.start - b.start || a.end - b.end)
}

export function applyMutant(source: string, { start, end, after }: Mutant): string {
  const bytes = Buffer.from(source)
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(after), bytes.subarray(end)]).toString()
}

const rules: Record<string, (node: AstNode, context: Context) => Edit[]> = {
  BinaryOperation: (node, context) => {
    const between = { start: spanOf(node.leftExpression).end, end: spanOf(node.rightExpression).start }
    return replaceOperator(node, between, binaryOperators, context)
  },
  Assignment: (node, context) => {
    const between = { start: spanOf(node.leftHandSide).end, end: spanOf(node.rightHandSide).start }
    return replaceOperator(node, between, assignmentOperators, context)
  },
  UnaryOperation: (node, { text }) => {
    const { start, end } = spanOf(node)
    if (node.operator === '!') return [{ operator: 'negation', start, end: start + 1, after: '' }]
    const opposite = { '++': '--', '--': '++' }[node.operator as string]
    if (!opposite) return []
    return [
      { operator: 'increment', start, end, after: text({ start, end }).replace(node.operator as string, opposite) },
    ]
  },
  IfStatement: (node) => fixCondition(node.condition, ['true', 'false']),
  Conditional: (node) => fixCondition(node.condition, ['true', 'false']),
  ForStatement: (node) => fixCondition(node.condition, ['false']),

  ExpressionStatement: deleteStatement,
  EmitStatement: deleteStatement,
  Return: deleteStatement,
  YulExpressionStatement: deleteStatement,
  YulAssignment: deleteStatement,

  Literal: (node, { text }) => {
    const span = spanOf(node)
    const value = text(span)
    const edit = (after: string): Edit => ({ operator: 'literal', ...span, after })
    if (node.kind === 'bool') return [edit(value === 'true' ? 'false' : 'true')]
    if (node.kind === 'number') return [edit(`(${value} + 1)`), ...(value === '0' ? [] : [edit(`(${value} - 1)`)])]
    return node.kind === 'string' ? [edit(`${value.slice(0, -1)}x"`)] : []
  },
  YulLiteral: (node, { text }) => {
    const span = spanOf(node)
    if (node.kind !== 'number') return []
    const value = BigInt(text(span))
    const edit = (after: bigint): Edit => ({ operator: 'literal', ...span, after: `0x${after.toString(16)}` })
    return [edit(value + 1n), ...(value === 0n ? [] : [edit(value - 1n)])]
  },

  FunctionCall: (node, { text }) => {
    const callArguments = node.arguments as AstNode[]
    const [first] = callArguments
    if (node.kind === 'typeConversion' && first && typeOf(node) !== typeOf(first))
      return [{ operator: 'conversion', ...spanOf(node), after: `(${text(spanOf(first))})` }]
    if ((node.names as string[]).length > 0) return []
    return callArguments.slice(1).flatMap((right, i): Edit[] => {
      const left = callArguments[i]!
      return typeOf(left) === typeOf(right) ? [swap(left, right, text)] : []
    })
  },
  YulFunctionCall: (node, { text }) => {
    const name = node.functionName as AstNode
    const other = yulFunctions[name.name as string]
    const rename: Edit[] = other ? [{ operator: 'instruction', ...spanOf(name), after: other }] : []
    const [left, right, ...more] = node.arguments as AstNode[]
    if (!left || !right || more.length > 0 || commutative.has(name.name as string)) return rename
    return [...rename, swap(left, right, text)]
  },

  ModifierInvocation: (node) =>
    node.kind === 'modifierInvocation' ? [{ operator: 'modifier', ...spanOf(node), after: '' }] : [],
}

function replaceOperator(node: AstNode, between: Span, table: Record<string, string[]>, { text }: Context): Edit[] {
  const operator = node.operator as string
  const start = between.start + text(between).indexOf(operator)
  const end = start + operator.length
  return (table[operator] ?? []).map((after) => ({ operator: 'operator', start, end, after }))
}

function fixCondition(condition: unknown, values: string[]): Edit[] {
  return condition ? values.map((after) => ({ operator: 'condition', ...spanOf(condition), after })) : []
}

/** An empty block is a statement everywhere; the semicolon after a statement belongs to its parent in some node types. */
function deleteStatement(node: AstNode, { bytes }: Context): Edit[] {
  const { start, end } = spanOf(node)
  return [{ operator: 'statement', start, end: bytes[end] === 0x3b ? end + 1 : end, after: '{}' }]
}

function swap(left: AstNode, right: AstNode, text: Context['text']): Edit {
  const [a, b] = [spanOf(left), spanOf(right)]
  const after = `${text(b)}${text({ start: a.end, end: b.start })}${text(a)}`
  return { operator: 'arguments', start: a.start, end: b.end, after }
}

const typeOf = (node: AstNode) => (node.typeDescriptions as { typeString?: string } | undefined)?.typeString

function spanOf(node: unknown): Span {
  const [start, length] = (node as AstNode).src.split(':').map(Number)
  return { start: start!, end: start! + length! }
}

function childrenOf(node: AstNode): AstNode[] {
  const isNode = (value: unknown): value is AstNode =>
    typeof value === 'object' && value !== null && 'nodeType' in value
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode))
}
