/**
 * The recovery page: a single file without external resources, so that it opens from disk in any browser, now and later.
 * Part of every build of the web pages; `node scripts/recovery.ts FILE` writes it anywhere.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

const source = join(import.meta.dirname, '../web/src/recovery')
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Returns the whole page. Its own security policy allows only this script to run, wherever the page is opened. */
export async function recoveryPage(): Promise<string> {
  const script = (await bundle()).replaceAll('</script', '<\\/script')
  const style = readFileSync(join(source, 'page.css'), 'utf8')
  const policy = [
    `default-src 'none'`,
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    // Any RPC node.
    'connect-src https: http:',
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  const page = readFileSync(join(source, 'page.html'), 'utf8')
  return page
    .replace('POLICY', () => policy)
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`)
}

/** Adds the page to the build as /recovery.html. */
export function recoveryPlugin(): Plugin {
  return {
    name: 'recovery-page',
    apply: 'build',
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'recovery.html', source: await recoveryPage() })
    },
  }
}

async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      lib: { entry: join(source, 'page.tsx'), formats: ['iife'], name: 'recovery' },
    },
  })
  const [first] = Array.isArray(result) ? result : [result]
  if (!first || !('output' in first)) throw new Error('the recovery page was not bundled')
  return first.output[0].code.trim()
}

if (import.meta.main) writeFileSync(process.argv[2] ?? 'recovery.html', await recoveryPage())
