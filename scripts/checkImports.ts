/** `node scripts/checkImports.ts`: fails on an import that dependency-cruiser.config.ts forbids, and on an import cycle. */
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { options, rules } from '../dependency-cruiser.config.ts'

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

if (import.meta.main) {
  const violations = await importViolations(join(import.meta.dirname, '..'), sourceFolders)
  for (const violation of violations) console.error(violation)
  if (violations.length > 0) process.exitCode = 1
}
