/**
 * `npm run -s lines`: counts our lines of code, without blank lines, comments and generated files. With a commit (`npm run -s lines --
 * HEAD~50`), also those of that commit, and the difference.
 */
import { execFileSync } from 'node:child_process'

const product = ['worker', 'web/src', 'launch', 'local', 'scripts', 'sdk/src']
const tests = ['tests']
const generated = ['*.gen.ts', 'worker/chain/abi.ts']
/** Blank, or a comment from its first character on. The formatter puts no operator `*` at the beginning of a line. */
const noCode = '^[[:space:]]*($|//|/\\*|\\*|\\{/\\*)'

/** Counts in the files of the work tree that Git knows or, with `commit`, in those of that commit. */
function countLines(folders: readonly string[], commit: string | undefined): number {
  const files = folders.flatMap((folder) => [`:(glob)${folder}/**/*.ts`, `:(glob)${folder}/**/*.tsx`])
  const paths = [...files, ...generated.map((path) => `:(exclude,glob)**/${path}`)]
  const search = ['grep', '--count', '--invert-match', '-E', noCode, ...(commit ? [commit] : []), '--', ...paths]
  const counts = execFileSync('git', search, { encoding: 'utf8', maxBuffer: 2 ** 24 }).trim()
  return counts.split('\n').reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(':') + 1)), 0)
}

const before = process.argv[2]
const lists = { ...Object.fromEntries(product.map((folder) => [folder, [folder]])), 'the product': product, tests }
for (const [name, folders] of Object.entries(lists)) {
  const now = countLines(folders, undefined)
  const then = countLines(folders, before)
  const difference = before ? `, ${then} then, ${now < then ? '−' : '+'}${Math.abs(now - then)}` : ''
  console.log(`${name.padEnd(11)} ${now}${difference}`)
}
