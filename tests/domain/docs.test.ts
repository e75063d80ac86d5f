/** Checks that everything README.md, docs/ and source comments refer to exists. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const ignored = new Set([
  'node_modules',
  '.git',
  '.bursar',
  '.wrangler',
  'contracts/out',
  'contracts/cache',
  'web/dist',
  'sdk/dist',
])
const files = filesIn('')

/** Paths from the root of all files except installed files, build output and state. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (ignored.has(path) || ignored.has(entry.name)) return []
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

const folders = [...new Set(files.flatMap(parentsOf))]
const paths = new Set([...files, ...folders])
const pages = files.filter(
  (path) => /^(README|SECURITY|CHANGELOG)\.md$/.test(path) || /^(docs|contracts|sdk|skills|worker)\/.*\.md$/.test(path),
)
const sources = files.filter((path) =>
  /^(worker|web|sdk|launch|local|scripts|tests|contracts|migrations)\/.*\.(tsx?|sol|sql|mjs|toml|css)$/.test(path),
)

/** 'a/b/c.ts' → ['a', 'a/b'] */
function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}

/** 'a/{b,c}.ts' → ['a/b.ts', 'a/c.ts'] */
function expandBraces(text: string): string[] {
  const [, before, options, after] = /^(.*?)\{([^}]*,[^}]*)\}(.*)$/.exec(text) ?? []
  if (options === undefined) return [text]
  return options.split(',').flatMap((option) => expandBraces(`${before}${option}${after}`))
}

const topFolder = /^(contracts|docs|launch|local|migrations|scripts|sdk|tests|web|worker)\//
const extension = /\.(css|html|json|jsonc|md|mjs|sol|sql|toml|tsx?|yml)$/

/** File paths in code spans, without URL paths (leading slash) and patterns (ellipsis or asterisk). */
function pathsIn(page: string): string[] {
  const text = page.replace(/^```.*?^```/gms, '')
  const spans = [...text.matchAll(/`([^`\s]+)`/g)].map((match) => match[1]!)
  return spans
    .filter((span) => !/^[/@.:]|[*…<>()=]|:\/\//.test(span))
    .flatMap(expandBraces)
    .filter((span) => topFolder.test(span) || extension.test(span))
}

/** Files or folders that a path matches in full or, otherwise, as a suffix. A reader should find exactly one. */
function matchesOf(path: string): string[] {
  const wanted = path.replace(/\/$/, '')
  return paths.has(wanted) ? [wanted] : [...paths].filter((known) => known.endsWith(`/${wanted}`))
}

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
const slugsIn = (page: string) => [...page.matchAll(/^#+ (.*)$/gm)].map((match) => slugOf(match[1]!))

/** 'ThreatsTest.test_a' → whether a Solidity file has the contract and the function. */
const contractTests = sources.filter((path) => path.startsWith('contracts/test/')).map(read)
function isContractTest(name: string): boolean {
  const [contract, test] = name.split('.')
  const has = (word: string) => contractTests.some((source) => source.includes(word))
  return has(`contract ${contract} `) && (test === undefined || has(`function ${test}(`))
}

describe.each(pages)('%s', (page) => {
  test('names contract tests that exist', () => {
    const named = [...read(page).matchAll(/`([A-Z]\w*Test(?:\.\w+)?)`/g)].map((match) => match[1]!)
    expect(named.filter((name) => !isContractTest(name))).toEqual([])
  })

  test('names files by paths that match exactly one file', () => {
    const wrong = pathsIn(read(page)).filter((path) => matchesOf(path).length !== 1)
    expect(wrong.map((path) => `${path}: ${matchesOf(path).join(', ') || 'no such file'}`)).toEqual([])
  })

  test('links to files and headings that exist', () => {
    const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)| src="([^"]+)"/g)].map((match) => (match[1] ?? match[2])!)
    const broken = targets.filter((target) => {
      if (/^https?:\/\//.test(target)) return false
      const [path, heading] = target.split('#')
      const file = path ? normalize(join(dirname(page), path)) : page
      if (!paths.has(file.replace(/\/$/, ''))) return true
      return heading !== undefined && !slugsIn(read(file)).includes(heading)
    })
    expect(broken).toEqual([])
  })
})

test('the page about MCP runs the same Inspector version as the tests', () => {
  const { devDependencies } = JSON.parse(read('tests/clients/package.json')) as {
    devDependencies: Record<string, string>
  }
  const tested = devDependencies['@modelcontextprotocol/inspector']
  expect(read('docs/agents/mcp.md')).toContain(`npx @modelcontextprotocol/inspector@${tested} `)
})

/** A number of a page that another has replaced is cited by that page's number. */
test('cited decision records are pages', () => {
  const known = new Set(files.flatMap((path) => /^docs\/decisions\/(\d{3})-/.exec(path)?.[1] ?? []))
  const broken = [...pages, ...sources].flatMap((path) => {
    const cited = [...read(path).matchAll(/\b[Rr]ecords? (\d{3}(?:(?:, | and )\d{3})*)\b/g)]
    return cited
      .flatMap((match) => match[1]!.match(/\d{3}/g)!.filter((number) => !known.has(number)))
      .map((number) => `${path}: ${number}`)
  })
  expect(broken).toEqual([])
})

test('files named in source comments exist', () => {
  const broken = sources.flatMap((source) => {
    const comments = read(source)
      .split('\n')
      .filter((line) => /^\s*(\/\/|\/\*|\*|#|--)/.test(line) || / \/\/ /.test(line))
    const named = comments.flatMap((line) => [
      ...line.matchAll(
        /(?<![\w./@~-])(?:contracts|docs|launch|local|migrations|scripts|sdk|tests|web|worker)\/[\w./$-]*\.\w+/g,
      ),
    ])
    return named
      .map(([path]) => path)
      .filter((path) => !paths.has(path))
      .map((path) => `${source}: ${path}`)
  })
  expect(broken).toEqual([])
})
