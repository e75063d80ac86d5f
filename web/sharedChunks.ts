/**
 * Groups modules that several dashboard pages need into one file each. By default the build emits one file per set of
 * modules shared by the same pages and dialogs: forty requests per page, most of them for a few hundred bytes.
 */
import type { Plugin } from 'vite'

const entry = /src\/app\.tsx$/
const ofDashboard = /routes\/dashboard/
const frameRoute = /routes\/dashboard\.tsx\?.*component/
/** What each policy rule says and reads: only for pages that explain rules. */
const rules = /worker\/domain\/(rules\/|(policy|refusal|budgetLeft)\.ts)/
const pages = /routes\/dashboard\/\w+\.tsx\?.*component/
/** What must not wait for a file of the dashboard: sign-in, claim and the first figures. */
const first = /routes\/(login|claim\.[^/]*)\.tsx\?.*component|src\/firstFigures\.ts$/
/** What every page loads after its first screen. */
const later = /src\/later\.ts$/
/** Kept out of the files of public pages. */
const wallet = /web\/src\/wallet\//
/** A module that at least this many pages need goes into the shared file. */
const sharedFrom = 3

export function sharedChunks() {
  const frame = new Set<string>()
  const shared = new Set<string>()
  const onDemand = new Set<string>()
  const plugin: Plugin = {
    name: 'bursar:shared-chunks',
    apply: 'build',
    buildEnd() {
      const ids = [...this.getModuleIds()]
      const withImports = (id: string, lazy: boolean, seen = new Set<string>()): Set<string> => {
        if (seen.has(id)) return seen
        seen.add(id)
        const info = this.getModuleInfo(id)
        const later = lazy ? (info?.dynamicallyImportedIds ?? []).filter((next) => !ofDashboard.test(next)) : []
        for (const next of [...(info?.importedIds ?? []), ...later]) withImports(next, lazy, seen)
        return seen
      }
      const neededBy = (routes: RegExp, lazy = false) =>
        ids.filter((id) => routes.test(id)).map((id) => [...withImports(id, lazy)].filter((other) => other !== id))
      const neededFirst = new Set([...neededBy(entry), ...neededBy(first)].flat())
      const neededLater = new Set(neededBy(later).flat())
      // Also what public pages load on demand, for which they do not load the dashboard's files.
      const isPublic = new Set(neededBy(entry, true).flat())
      const framed = new Set(neededBy(frameRoute).flat())
      const uses = new Map<string, number>()
      for (const needed of neededBy(pages)) for (const id of needed) uses.set(id, (uses.get(id) ?? 0) + 1)
      for (const id of new Set([...framed, ...uses.keys()])) {
        const isFramed = framed.has(id)
        if (neededFirst.has(id) || !(isFramed || (uses.get(id)! >= sharedFrom && !rules.test(id)))) continue
        if (!isPublic.has(id)) (isFramed ? frame : shared).add(id)
        else if (!wallet.test(id) && !neededLater.has(id)) onDemand.add(id)
      }
    },
  }
  return {
    plugin,
    groups: [
      { name: 'rules', includeDependenciesRecursively: false, test: rules },
      { name: 'frame', includeDependenciesRecursively: false, test: (id: string) => frame.has(id) },
      { name: 'on-demand', includeDependenciesRecursively: false, test: (id: string) => onDemand.has(id) },
      { name: 'shared', includeDependenciesRecursively: false, test: (id: string) => shared.has(id) },
    ],
  }
}
