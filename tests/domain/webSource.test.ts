/** Rules for the source of the dashboard that no linter has. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = globSync('web/src/**/*.{ts,tsx}', { cwd: root, exclude: (path) => path.endsWith('.gen.ts') })

const parsed = files.map((file) => {
  const code = readFileSync(join(root, file), 'utf8')
  return { file, code, program: parseSync(file, code).program }
})

type Parent = ESTree.JSXElement | ESTree.JSXFragment
type Outcome = 'text' | 'element' | 'nothing' | 'unknown'

/** What `node`, a child in JSX, may be. */
function outcomesOf(node: ESTree.Node): Outcome[] {
  switch (node.type) {
    case 'JSXText':
    case 'TemplateLiteral':
      return ['text']
    case 'JSXElement':
      return ['element']
    case 'JSXFragment':
      return childrenOf(node).flatMap(outcomesOf)
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
      return outcomesOf(node.expression)
    case 'JSXEmptyExpression':
      return ['nothing']
    case 'Literal':
      return typeof node.value === 'string' && node.value !== '' ? ['text'] : ['nothing']
    case 'LogicalExpression':
      return [...(node.operator === '&&' ? ['nothing' as const] : outcomesOf(node.left)), ...outcomesOf(node.right)]
    case 'ConditionalExpression':
      return [...outcomesOf(node.consequent), ...outcomesOf(node.alternate)]
    case 'CallExpression':
      return /\.map$/.test(source(node.callee)) ? ['element', 'nothing'] : ['unknown']
    default:
      return ['unknown']
  }
}

let code = ''
const source = ({ start, end }: { start: number; end: number }) => code.slice(start, end)

/** These hold text. */
const ofText =
  /^(a|button|dd|dt|h\d|label|legend|li|option|p|span|strong|summary|td|th|time|Button|Link|TextLink|ErrorBox)$/

/** Like `outcomesOf`. What the syntax does not tell is what the other branches are, or what `parent` holds. */
function knownOutcomes(child: ESTree.Node, parent: Parent): Set<Outcome> {
  const outcomes = new Set(outcomesOf(child))
  if (!outcomes.delete('unknown') || outcomes.has('text') || outcomes.has('element')) return outcomes
  const tag = parent.type === 'JSXElement' ? source(parent.openingElement.name) : ''
  return outcomes.add(ofText.test(tag) || /\bchildren\b/.test(source(child)) ? 'text' : 'element')
}

/** Without the line breaks between them. */
const childrenOf = (parent: Parent) =>
  parent.children.filter(
    (child) => child.type !== 'JSXText' || child.value.trim() !== '' || !child.value.includes('\n'),
  )

const comesAndGoes = (outcomes: Set<Outcome>) => outcomes.size > 1

/** Why the children of `parent` cannot be changed safely; null if they can. */
function textProblem(parent: Parent): string | null {
  const children = childrenOf(parent).map((child) => knownOutcomes(child, parent))
  if (children.length < 2) return null
  if (children.some((outcomes) => comesAndGoes(outcomes) && outcomes.has('text'))) return 'text comes and goes'
  const isBeforeText = children.some((outcomes, i) => {
    if (!comesAndGoes(outcomes)) return false
    const following = children.slice(i + 1)
    const next = following.findIndex((other) => !other.has('nothing'))
    return following.slice(0, next + 1 || undefined).some((other) => other.has('text'))
  })
  return isBeforeText ? 'something comes and goes before text' : null
}

/**
 * Translators replace text nodes by elements of their own. React can then neither remove such a text nor insert anything
 * before it (web/src/lib/replacedText.ts puts it back, as far as it can tell what replaced it).
 */
test('no text comes and goes beside something else, and nothing comes and goes before a text @browsers-1', () => {
  const problems: string[] = []
  for (const file of parsed.filter(({ file }) => file.endsWith('.tsx'))) {
    code = file.code
    const check = (parent: Parent) => {
      const problem = textProblem(parent)
      const line = code.slice(0, parent.start).split('\n').length
      if (problem) problems.push(`${file.file}:${line}: ${problem}: put it into an element`)
    }
    new Visitor({ JSXElement: check, JSXFragment: check }).visit(file.program)
  }
  expect(problems).toEqual([])
})

/** Text for programs and wallets: addresses, keys, the words of a recovery phrase. A translator would change it. */
test('what is set in the monospace font is not translated @browsers-13', () => {
  const problems: string[] = []
  for (const { file, code, program } of parsed)
    new Visitor({
      JSXOpeningElement({ name, attributes, start, end }) {
        const tag = name.type === 'JSXIdentifier' ? name.name : ''
        const isFixed = /^(code|kbd|pre)$/.test(tag) || /className=[^>]*\bfont-mono\b/.test(code.slice(start, end))
        const isText = /^[a-z]/.test(tag) && !/^(input|textarea)$/.test(tag)
        const attribute = (name: string) => attributes.some((it) => it.type === 'JSXAttribute' && it.name.name === name)
        if (isFixed && isText && !attribute('translate'))
          problems.push(`${file}:${code.slice(0, start).split('\n').length}: <${tag}> needs translate="no"`)
      },
    }).visit(program)
  expect(problems).toEqual([])
})

/** Where each is used, with what takes its place if the browser lacks it, blocks it or is full. */
const optional: Record<string, string> = {
  localStorage: 'web/src/lib/storage.ts',
  sessionStorage: 'web/src/lib/storage.ts',
  indexedDB: 'web/src/wallet/walletStorage.ts',
  BroadcastChannel: 'web/src/lib/signOut.ts',
  locks: 'web/src/lib/renewal.ts',
}

test('each browser feature that may be missing is used in one file @browsers-2', () => {
  const uses = parsed.flatMap(({ file, program }) => {
    const names = new Set<string>()
    new Visitor({
      'Identifier:exit': ({ name }) => void names.add(name),
      // storageOf('localStorage')
      'Literal:exit': ({ value }) => void (typeof value === 'string' && names.add(value)),
    }).visit(program)
    return Object.keys(optional).flatMap((name) => (names.has(name) ? [`${name}: ${file}`] : []))
  })
  expect(uses.sort()).toEqual(
    Object.entries(optional)
      .map((use) => use.join(': '))
      .sort(),
  )
})
