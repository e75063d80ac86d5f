/**
 * Tells browsers with the page which files its route will ask for, so that they come along with the entry instead of
 * after it: a `Link` line in dist/_headers for the two screens that strangers meet first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** Paths of _headers, and the route files whose components they show. */
const screens = { '/login': 'login', '/claim/*': 'claim.$accessToken' }

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
      const known = withImports(entry) // named in index.html

      const path = join(dir!, '_headers')
      let headers = readFileSync(path, 'utf8')
      for (const [screen, route] of Object.entries(screens)) {
        const component = chunks.find(
          ({ facadeModuleId }) =>
            facadeModuleId?.includes(`/routes/${route}.tsx?`) && facadeModuleId.includes('component'),
        )
        if (!component) this.error(`no chunk for the route ${route}`)
        const files = [...withImports(component)].filter((file) => !known.has(file))
        const line = `  Link: ${files.map((file) => `</${file}>; rel=modulepreload`).join(', ')}`
        const [before, after] = headers.split(`\n${screen}\n`)
        headers = after === undefined ? `${headers}\n${screen}\n${line}\n` : `${before}\n${screen}\n${line}\n${after}`
      }
      writeFileSync(path, headers)
    },
  }
}
