/**
 * Sizes of the pages on the first visit: gzip of all JavaScript that a route needs before it paints. Reads the manifest
 * of the last `vite build`, prints a table, and fails above the limits, or if the sign-in or claim screen contains code of
 * wallets or of the server.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

type Chunk = { file: string; src?: string; imports?: string[]; dynamicImports?: string[] }

const dist = join(import.meta.dirname, '../web/dist')
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

const forbidden = ['wagmi', 'secp256k1', 'viem', 'zod', 'WalletConnect', 'walletlink']
const slim = ['login', 'claim']
/** kB of gzip. */
const limits: Record<string, number> = { login: 115.2, claim: 119 }
const dashboardLimit = 165

/** `key` and everything it imports statically. */
function closure(key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const next of manifest[key]?.imports ?? []) closure(next, seen)
  return seen
}

/** The lazy part of a route file, as the router's plugin names it. */
function componentOf(route: string): string {
  const key = Object.keys(manifest).find(
    (name) => name.includes(`src/routes/${route}.tsx?`) && name.includes('component'),
  )
  if (!key) throw new Error(`no chunk for the route ${route}: build first, or correct this list`)
  return key
}

const read = (key: string) => readFileSync(join(dist, manifest[key]!.file))
const gzipOf = new Map<string, number>()
function gzipBytes(key: string): number {
  if (!gzipOf.has(key)) gzipOf.set(key, gzipSync(read(key), { level: 9 }).length)
  return gzipOf.get(key)!
}

/** What every page needs: the code that renders it, and src/main.ts, which is in one of its chunks. */
const app = 'src/app.tsx'

const shell = componentOf('dashboard')
const pages: Record<string, string[]> = {
  login: [componentOf('login')],
  claim: [componentOf('claim.{-$accessToken}')],
}
for (const page of ['overview', 'wallets', 'agents', 'contacts', 'transactions', 'payouts'])
  pages[`dashboard/${page}`] = [shell, componentOf(`dashboard/${page}`)]

let failed = false
console.log('page                       JS gzip    limit  chunks')
for (const [page, components] of Object.entries(pages)) {
  const chunks = new Set([app, ...components].flatMap((key) => [...closure(key)]))
  const bytes = [...chunks]
    .filter((key) => manifest[key]!.file.endsWith('.js'))
    .reduce((sum, key) => sum + gzipBytes(key), 0)
  const limit = limits[page] ?? dashboardLimit
  const tooLarge = bytes > limit * 1000
  const strays = slim.includes(page)
    ? forbidden.filter((word) => [...chunks].some((key) => read(key).includes(word) || key.includes(`/${word}/`)))
    : []
  failed ||= tooLarge || strays.length > 0
  const notes = [tooLarge && 'TOO LARGE', strays.length > 0 && `CONTAINS ${strays.join(', ')}`]
    .filter(Boolean)
    .join(' ')
  console.log(
    `${page.padEnd(24)} ${(bytes / 1000).toFixed(1).padStart(6)} kB ${String(limit).padStart(5)} kB ${String(chunks.size).padStart(7)}  ${notes}`,
  )
}
if (failed) process.exit(1)
