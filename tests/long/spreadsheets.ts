/**
 * `npm run test:long spreadsheets`: LibreOffice opens the exports of an account whose every text is a formula, and lines with such
 * texts in every cell, with each usual separator. No cell may become a formula or a link. Needs `soffice`
 * (on Debian: `apt-get install --no-install-recommends libreoffice-calc`).
 *
 * Test id: @csv-3
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { csvLine } from '#domain/csv.ts'
import type { Contact } from '#schemas/contact.ts'
import type { CreatedAgent } from '#schemas/policy.ts'
import { payOnce } from '../support/agentCalls.ts'
import { cellCharacter, formulas, withControls } from '../support/formulas.ts'
import { addressFor, createSender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'bursar-spreadsheets-'))

/** LibreOffice takes the codes of the characters. */
const separators = { comma: '44', semicolon: '59', tab: '9', bar: '124', 'all of them': '44/59/9/124' }

/** Opens a CSV as UTF-8 with double quotes, and returns what LibreOffice made of it, as XML. */
async function opened(name: string, csv: string, separator: string): Promise<string> {
  const file = join(folder, `${name}.csv`)
  await writeFile(file, csv)
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`
  const filter = `--infilter=CSV:${separator},34,76,1`
  await run('soffice', [profile, '--headless', filter, '--convert-to', 'fods', '--outdir', folder, file])
  return readFile(join(folder, `${name}.fods`), 'utf8')
}
const live = (xml: string) => xml.match(/table:formula="[^"]*"|<text:a [^>]*>/g) ?? []

const random = fc.sample(
  fc.array(fc.string({ unit: cellCharacter, maxLength: 12 }), { minLength: 8, maxLength: 8 }),
  3_000,
)

const exports = new Map([
  ['lines', [formulas, withControls, ...random].map(csvLine).join('')],
  // An oracle that finds nothing would pass: this one has to be found with every separator.
  ['control', ['a,=1+1', 'a;=1+1', 'a\t=1+1', 'a|=1+1'].map((line) => `${line}\r\n`).join('')],
])

const stack = await createTestStack()
try {
  const { bursar } = stack
  const sender = await createSender(stack, { funds: '100', limit: 50 })
  const api = async <T>(path: string, body: object, method: 'POST' | 'PUT' = 'POST') =>
    bursar.api<T>(path, { token: await sender.token(), key: randomUUID(), body, method })
  await api(`/wallets/${sender.wallet.id}`, { name: '=1+1;=2+2' }, 'PUT')
  await api<Contact>('/contacts', { name: '=3+3;@SUM(A1)', address: addressFor('spreadsheets') })
  const { apiKey } = await api<CreatedAgent>('/agents', { name: '=4+4;=5+5', policyGroupId: sender.groupId })
  for (const memo of formulas) {
    const terms = { amount: '0.5', memo, reference: memo }
    for (const to of [addressFor('spreadsheets'), 'spreadsheets@bursar.test']) {
      const reply = await payOnce(bursar, apiKey!, { to, ...terms })
      assert.equal(reply.status, 201, `${memo}: ${JSON.stringify(reply.body)}`)
    }
  }
  for (const [name, path] of [
    ['transactions', '/transactions/export'],
    ['payouts', '/escrow/export'],
  ] as const) {
    const headers = { authorization: `Bearer ${await sender.token()}` }
    const csv = await (await fetch(`${stack.url}/api${path}`, { headers })).text()
    for (const text of ['HYPERLINK', '=2+2', ...(name === 'transactions' ? ['@SUM', '=5+5'] : [])])
      assert(csv.includes(text), `${name} has no ${text}`)
    exports.set(name, csv)
  }
} finally {
  await stack.stop()
}

try {
  for (const [separator, code] of Object.entries(separators))
    for (const [name, csv] of exports) {
      const found = live(await opened(name, csv, code))
      console.log(`${name}, opened with ${separator}: ${found.length} formulas or links`)
      if (name === 'control') assert(found.length > 0, 'LibreOffice found no formula where there is one')
      else assert.deepEqual(found, [])
    }
} finally {
  await rm(folder, { recursive: true })
}
