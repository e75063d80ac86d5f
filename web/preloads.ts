/**
 * Adds a `Link` header with the files of a route to dist/_headers, so that browsers load them together with the entry
 * instead of after it. Covers the two screens that new visitors see first, and the pages of the dashboard.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The most that Cloudflare reads of a line. */
const longestLine = 2_000
const dashboard = [
  'overview',
  'wallets',
  'agents',
  'contacts',
  'usage',
  'approvals',
  'transactions',
  'payouts',
  'settings',
]

/** Maps each path in _headers to the route files of its screen. */
const screens = {
  '/login': ['login'],
  '/claim/*': ['claim.$accessToken'],
  ...Object.fromEntries(dashboard.map((page) => [`/dashboard/${page}`, ['dashboard', `dashboard/${page}`]])),
}

export function preloads(): Plugin {
  return {
    name: 'bursar:preloads',
    apply: 'build',
    writeBundle({ dir }, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
      const withImports = (chunk: Rolldown.OutputChunk, seen = new Set<string>()): Set<string> => {
        if (seen.has(chunk.fileName)) return seen
        seen.add(chunk.fileName)
        for (const name of chunk.imports) withImports(byName.get(name)!, seen)
        return seen
      }
      const entry = chunks.find((chunk) => chunk.isEntry)!
      const inPage = withImports(entry) // already loaded by index.html

      const path = join(dir!, '_headers')
      let headers = readFileSync(path, 'utf8')
      const componentOf = (route: string) =>
        chunks.find(
          ({ facadeModuleId }) =>
            facadeModuleId?.includes(`/routes/${route}.tsx?`) && facadeModuleId.includes('component'),
        ) ?? this.error(`no chunk for the route ${route}`)
      for (const [screen, routes] of Object.entries(screens)) {
        const needed = new Set(routes.flatMap((route) => [...withImports(componentOf(route))]))
        const files = [...needed].filter((file) => !inPage.has(file))
        const line = `  Link: ${files.map((file) => `</${file}>; rel=modulepreload`).join(', ')}`
        if (line.length > longestLine) this.error(`too many files for a line of _headers: ${screen}`)
        const [before, after] = headers.split(`\n${screen}\n`)
        headers = after === undefined ? `${headers}\n${screen}\n${line}\n` : `${before}\n${screen}\n${line}\n${after}`
      }
      writeFileSync(path, headers)
    },
  }
}
