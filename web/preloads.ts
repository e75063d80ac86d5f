/**
 * Adds a `Link` header with the files of a route to dist/_headers, so that browsers load them together with the entry
 * instead of after it. Covers the two screens that new visitors see first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** Maps each path in _headers to the route file of its screen. */
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
      const inPage = withImports(entry) // already loaded by index.html

      const path = join(dir!, '_headers')
      let headers = readFileSync(path, 'utf8')
      for (const [screen, route] of Object.entries(screens)) {
        const component = chunks.find(
          ({ facadeModuleId }) =>
            facadeModuleId?.includes(`/routes/${route}.tsx?`) && facadeModuleId.includes('component'),
        )
        if (!component) this.error(`no chunk for the route ${route}`)
        const files = [...withImports(component)].filter((file) => !inPage.has(file))
        const line = `  Link: ${files.map((file) => `</${file}>; rel=modulepreload`).join(', ')}`
        const [before, after] = headers.split(`\n${screen}\n`)
        headers = after === undefined ? `${headers}\n${screen}\n${line}\n` : `${before}\n${screen}\n${line}\n${after}`
      }
      writeFileSync(path, headers)
    },
  }
}
