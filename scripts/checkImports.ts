/**
 * `node scripts/checkImports.ts`: fails on an import that dependency-cruiser.config.ts forbids, on an import cycle, and if more
 * pairs of the Treasury's folders know each other than `maxShareOfPairs` allows.
 */
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { maxShareOfPairs, options, rules } from '../dependency-cruiser.config.ts'

/** Excludes tests: they may import anything, and they contain `using`, which dependency-cruiser's parser does not support. */
export const sourceFolders = ['worker', 'web/src', 'contracts/deployment.ts', 'sdk/src', 'local', 'launch', 'scripts']

/** Returns an entry for each violation in the tree at `root`: the rule's name, the files involved, the rule's comment. */
export async function importViolations(root: string, paths: string[]): Promise<string[]> {
  const { output } = await cruise(paths, { ...options, baseDir: root, validate: true, ruleSet: { forbidden: rules } })
  if (typeof output === 'string') throw new Error('expected the result as an object')
  return output.summary.violations.map(({ rule, from, to, cycle }) => {
    const files = cycle ? [from, ...cycle.map(({ name }) => name)] : [from, to]
    return `${rule.name}: ${files.join(' → ')}\n  ${rules.find(({ name }) => name === rule.name)?.comment}`
  })
}

/** The entry if more of all pairs of folders in `worker/treasury` of the tree at `root` know each other than may, or none. */
export async function pairViolations(root: string): Promise<string[]> {
  const { output } = await cruise(['worker/treasury'], { ...options, baseDir: root })
  if (typeof output === 'string') throw new Error('expected the result as an object')
  const folderOf = (path: string) => /^worker\/treasury\/(.+)\//.exec(path)?.[1]
  const folders = new Set<string>()
  const pairs = new Set<string>()
  for (const { source, dependencies } of output.modules) {
    const from = folderOf(source)
    if (!from) continue
    folders.add(from)
    for (const to of dependencies.map(({ resolved }) => folderOf(resolved)))
      if (to && from !== to) pairs.add([from, to].sort().join(' and '))
  }
  const all = (folders.size * (folders.size - 1)) / 2
  if (pairs.size <= maxShareOfPairs * all) return []
  return [
    `treasury-pairs: ${pairs.size} of ${all} pairs of the Treasury's folders know each other\n  At most ${maxShareOfPairs * 100} % may: pass in what a folder needs of another, or move the file to where it is used.`,
  ]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const violations = [...(await importViolations(root, sourceFolders)), ...(await pairViolations(root))]
  for (const violation of violations) console.error(violation)
  if (violations.length > 0) process.exitCode = 1
}
