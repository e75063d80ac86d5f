/**
 * Removes one line of an SDK and runs sdk/vectors.json: each case names a line of each SDK without which it fails, while the SDK still
 * works. `find` looks for such lines for the cases that name none, or name one that is gone, and writes them to the file.
 *
 *   npm run test:long vector-lines
 *   npm exec -- node tests/long/vectorLines.ts [find] [typescript | python]
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installedPython, type Python } from '../support/python.ts'
import { type Language, readVectors, type Vector, writeVectors } from '../support/vectors.ts'

const root = join(import.meta.dirname, '../..')
const copies = join(root, '.bursar/vector-lines')

let python: Python | null | undefined

/**
 * Prints a file without a line. Where Python needs a statement, there is `pass` instead. Prints nothing if that does not compile, or
 * means the same.
 */
const withoutInPython = `
import ast, sys
text, line = sys.stdin.read(), sys.argv[1]
lines = text.split("\\n")
i = [each.strip() for each in lines].index(line)
indent = lines[i][: len(lines[i]) - len(lines[i].lstrip())]
for changed in ("\\n".join(lines[:i] + lines[i + 1 :]), "\\n".join([*lines[:i], indent + "pass", *lines[i + 1 :]])):
    try:
        if ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text)):
            print(changed)
        break
    except SyntaxError:
        pass
`

/** Where the code is, which files of it the cases run, the text without a line (empty if there is no such program), and how to run cases with a copy. */
const sdks = {
  typescript: {
    source: 'sdk/src',
    files: [
      ...[
        'transport.ts',
        'errors.ts',
        'recipient.ts',
        'webhooks.ts',
        'waiting.ts',
        'reply.ts',
        'credentials.ts',
        'url.ts',
      ],
      ...['paidFetch.ts', 'purchases.ts', 'bursar.ts', 'cli/loginTokens.ts', 'cli/loginFile.ts', 'cli/oauth.ts'],
    ],
    without(text: string, line: string): string {
      const changed = text
        .split('\n')
        .filter((each) => each.trim() !== line)
        .join('\n')
      const shape = (code: string) => stripTypeScriptTypes(code).replaceAll(/\s+/g, ' ')
      try {
        return shape(changed) === shape(text) ? '' : changed
      } catch {
        return ''
      }
    },
    run: (copy: string) => [process.execPath, join(root, 'tests/support/runVectors.ts'), copy],
  },
  python: {
    source: 'sdk/python/src',
    files: [
      ...['transport', 'errors', '_input', 'webhooks', '_waiting', '_http', '_secret', 'credentials', '_api'],
      ...['paid_fetch', 'purchases', 'client', 'login'],
    ].map((name) => `bursar_sdk/${name}.py`),
    without: (text: string, line: string): string =>
      execFileSync(pythonPath(), ['-c', withoutInPython, line], { input: text, encoding: 'utf8' }),
    run: () => [pythonPath(), join(root, 'sdk/python/tests/vector_runner.py')],
  },
} satisfies Record<Language, unknown>

function pythonPath(): string {
  python ??= installedPython()
  if (!python) throw new Error('there is no Python 3.11 or newer')
  return python.path
}

/** Cases of which at least one passes if the SDK still works. */
const controls = [
  'a payment is accepted',
  'the context has the budget and the rules',
  'a genuine webhook gives its event',
]

/** Which of the cases fail without the line; null if the SDK does not work at all. */
async function failingWithout(
  language: Language,
  file: string,
  line: string,
  names: string[],
): Promise<string[] | null> {
  const { source, run } = sdks[language]
  const copy = join(copies, language)
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(copies, { recursive: true })
  cpSync(join(root, source), copy, { recursive: true })
  const changed = sdks[language].without(readFileSync(join(copy, file), 'utf8'), line)
  if (changed === '') return null
  writeFileSync(join(copy, file), changed)
  const [program, ...args] = run(copy) as [string, ...string[]]
  const cases = JSON.stringify([...new Set([...controls, ...names])])
  try {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: copy }
    const { stdout } = await promisify(execFile)(program, [...args, cases], { env, timeout: 60_000 })
    const failed = JSON.parse(stdout.trim().split('\n').at(-1)!) as string[]
    return controls.every((name) => failed.includes(name)) ? null : failed
  } catch {
    return null
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Lines that occur once in their file, and are no comments, imports or starts of blocks. */
function linesOf(language: Language, file: string): string[] {
  const lines = readFileSync(join(root, sdks[language].source, file), 'utf8')
    .split('\n')
    .map((line) => line.trim())
  const isNone = /^(\/\/|\/?\*|#|import |from |export |class |def |async |"""|[^a-zA-Z]*$)|[{(:[]$/
  return lines.filter((line) => !isNone.test(line) && lines.indexOf(line) === lines.lastIndexOf(line))
}

const partsOf = (named = ''): [string, string] => {
  const at = named.indexOf(': ')
  return [named.slice(0, at), named.slice(at + 2)]
}

/** Whether the line that a case names is still there, once. */
function exists(language: Language, named: string | undefined): boolean {
  const [file, line] = partsOf(named)
  if (!file) return false
  const text = readFileSync(join(root, sdks[language].source, file), 'utf8')
  return text.split('\n').filter((each) => each.trim() === line).length === 1
}

/** Names a line for each case without one; first only lines that few cases need, because those say more. */
async function find(language: Language): Promise<void> {
  const open = () =>
    readVectors()
      .cases.filter(({ lines }) => !exists(language, lines?.[language]))
      .map(({ name }) => name)
  const tried = new Map<string, string[] | null>()
  for (const most of [12, Number.POSITIVE_INFINITY])
    for (const file of sdks[language].files) {
      for (const line of linesOf(language, file)) {
        const names = open()
        if (names.length === 0) return
        const named = `${file}: ${line}`
        if (!tried.has(named)) tried.set(named, await failingWithout(language, file, line, names))
        const failed = tried.get(named)?.filter((name) => names.includes(name)) ?? []
        if (failed.length > 0 && failed.length <= most) nameLine(language, named, failed)
      }
      console.log(`${language} ${file}: ${open().length} cases are left`)
    }
}

function nameLine(language: Language, line: string, names: string[]): void {
  const vectors = readVectors()
  const named = (each: Vector): Vector =>
    names.includes(each.name)
      ? { ...each, lines: { ...each.lines, [language]: line } as NonNullable<Vector['lines']> }
      : each
  writeVectors({ ...vectors, cases: vectors.cases.map(named) })
}

/** Returns how many cases pass without the line that they name. */
async function check(language: Language): Promise<number> {
  const { cases } = readVectors()
  const byLine = Map.groupBy(cases, ({ lines }) => lines?.[language] ?? '')
  let wrong = 0
  for (const [named, each] of byLine) {
    const names = each.map(({ name }) => name)
    const failed = exists(language, named) ? await failingWithout(language, ...partsOf(named), names) : null
    for (const name of names.filter((name) => !failed?.includes(name))) {
      wrong++
      console.log(`✕ ${language}: "${name}" does not fail without ${named || 'any line: it names none'}`)
    }
  }
  console.log(`${language}: ${cases.length - wrong} of ${cases.length} cases fail without their line`)
  return wrong
}

const words = process.argv.slice(2)
const all = Object.keys(sdks) as Language[]
const languages = all.filter((each) => words.includes(each))
let wrong = 0
for (const language of languages.length > 0 ? languages : all) {
  if (words.includes('find')) await find(language)
  else wrong += await check(language)
}
process.exitCode = wrong === 0 ? 0 : 1
