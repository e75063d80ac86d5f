import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Where the word is not the API's: the escrow is the contract, and widgets are stored under their type. */
const allowed: Record<string, RegExp> = {
  'recoverySheet.ts': /escrow/gi,
  'widgets.ts': /'pending-escrows'/g,
  'WidgetBody.tsx': /'pending-escrows'/g,
}

test('components, lists and routes use our names: the words of the API stay in web/src/queries/apiWords.ts', () => {
  const files = globSync('web/src/{components,lists,routes,push,wallet}/**/*.{ts,tsx}', { cwd: root })
  expect(files.length).toBeGreaterThan(150)
  const found = files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(allowed[basename(file)] ?? /$^/g, '')
    return [...code.matchAll(/.*(escrow|smart-wallets|cognito).*/gi)].map(([line]) => `${file}: ${line.trim()}`)
  })
  expect(found).toEqual([])
})
