/**
 * Adds a `Link` header with the files of a route to dist/_headers, so that browsers load them together with the entry
 * instead of after it. Covers the two screens that new visitors see first, and the pages of the dashboard. Adds the
 * script of src/early.ts to the page.
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
  '/claim/*': ['claim.{-$accessToken}'],
  ...Object.fromEntries(dashboard.map((page) => [`/dashboard/${page}`, ['dashboard', `dashboard/${page}`]])),
}

const chunkOf = (outputs: (Rolldown.OutputChunk | Rolldown.OutputAsset)[], module: string) =>
  outputs.find(
    (output): output is Rolldown.OutputChunk =>
      output.type === 'chunk' && output.moduleIds.some((id) => id.endsWith(`/src/${module}`)),
  )!

export function preloads(): Plugin {
  return {
    name: 'bursar:preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const { fileName } = chunkOf(Object.values(bundle!), 'early.ts')
        // Scripts that are not async wait for the style sheet.
        const attrs = { type: 'module', async: true, src: `/${fileName}` }
        // At the end, where what it replaces and hides is there.
        return [{ tag: 'script', attrs, injectTo: 'body' }]
      },
    },
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
      const early = withImports(chunkOf(chunks, 'early.ts'))
      const figures = withImports(chunkOf(chunks, 'firstFigures.ts'))

      const sizeOf = (file: string) => byName.get(file)!.code.length

      const path = join(dir!, '_headers')
      let headers = readFileSync(path, 'utf8')
      const componentOf = (route: string) =>
        chunks.find(
          ({ facadeModuleId }) =>
            facadeModuleId?.includes(`/routes/${route}.tsx?`) && facadeModuleId.includes('component'),
        ) ?? this.error(`no chunk for the route ${route}`)
      for (const [screen, routes] of Object.entries(screens)) {
        const needed = new Set([entry, ...routes.map(componentOf)].flatMap((chunk) => [...withImports(chunk)]))
        // The largest first: a browser with six connections loads the small ones beside it.
        const rest = [...needed].sort((a, b) => sizeOf(b) - sizeOf(a))
        const files = new Set([...early, ...(screen === '/dashboard/overview' ? figures : []), ...rest])
        const line = `  Link: ${[...files].map((file) => `</${file}>; rel=modulepreload`).join(', ')}`
        if (line.length > longestLine) this.error(`too many files for a line of _headers: ${screen}`)
        const [before, after] = headers.split(`\n${screen}\n`)
        headers = after === undefined ? `${headers}\n${screen}\n${line}\n` : `${before}\n${screen}\n${line}\n${after}`
      }
      writeFileSync(path, headers)
    },
  }
}
