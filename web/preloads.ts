/**
 * Adds a `Link` header with the style sheet and the files of a route to dist/_headers, so that browsers load them together
 * with the entry (src/main.ts) instead of after it. Covers the two screens that new visitors see first, and the pages of the
 * dashboard. The page itself names what all of them need.
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

const chunksOf = (bundle: Rolldown.OutputBundle) => Object.values(bundle).filter((output) => output.type === 'chunk')

const chunkOf = (chunks: Rolldown.OutputChunk[], module: string) =>
  chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/${module}`)))!

/** Adds the file of `chunk` and of all that it imports to `files`. */
function withImports(chunks: Rolldown.OutputChunk[], chunk: Rolldown.OutputChunk, files = new Set<string>()) {
  if (files.has(chunk.fileName)) return files
  files.add(chunk.fileName)
  for (const name of chunk.imports) withImports(chunks, chunks.find(({ fileName }) => fileName === name)!, files)
  return files
}

export function preloads(): Plugin {
  return {
    name: 'bursar:preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const chunks = chunksOf(bundle!)
        const tags = [...withImports(chunks, chunkOf(chunks, 'app.tsx'))].map(
          (file) =>
            ({
              tag: 'link',
              attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
              injectTo: 'head',
            }) as const,
        )
        // Vite moves the script into the head. At the end, all that it replaces and hides is before it.
        return { html: html.replace(/\n *(<script.*?<\/script>)(.*)<\/body>/s, '$2  $1\n  </body>'), tags }
      },
    },
    writeBundle({ dir }, bundle) {
      const chunks = chunksOf(bundle)
      const main = withImports(chunks, chunkOf(chunks, 'main.ts'))
      const figures = withImports(chunks, chunkOf(chunks, 'firstFigures.ts'))
      const app = chunkOf(chunks, 'app.tsx')
      const styles = Object.keys(bundle).find((file) => /main-.*\.css$/.test(file))!

      const sizeOf = (file: string) => chunks.find(({ fileName }) => fileName === file)!.code.length

      const path = join(dir!, '_headers')
      let headers = readFileSync(path, 'utf8')
      const componentOf = (route: string) =>
        chunks.find(
          ({ facadeModuleId }) =>
            facadeModuleId?.includes(`/routes/${route}.tsx?`) && facadeModuleId.includes('component'),
        ) ?? this.error(`no chunk for the route ${route}`)
      for (const [screen, routes] of Object.entries(screens)) {
        const needed = new Set([app, ...routes.map(componentOf)].flatMap((chunk) => [...withImports(chunks, chunk)]))
        // The largest first: a browser with six connections loads the small ones beside it.
        const rest = [...needed].sort((a, b) => sizeOf(b) - sizeOf(a))
        const files = new Set([...main, ...(screen === '/dashboard/overview' ? figures : []), ...rest])
        const line = `  Link: </${styles}>; rel=preload; as=style; crossorigin, ${[...files].map((file) => `</${file}>; rel=modulepreload`).join(', ')}`
        if (line.length > longestLine) this.error(`too many files for a line of _headers: ${screen}`)
        const [before, after] = headers.split(`\n${screen}\n`)
        headers = after === undefined ? `${headers}\n${screen}\n${line}\n` : `${before}\n${screen}\n${line}\n${after}`
      }
      writeFileSync(path, headers)
    },
  }
}
