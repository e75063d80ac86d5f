/** What opens the account of a recipient is nowhere but in their device and, for a moment, in the page. */

import { hkdfSync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import { mnemonicToAccount } from 'viem/accounts'
import { formsOfBytes, formsOfWords, placesWith } from '../support/secretForms.ts'
import { button, expect, onChain } from './fixtures.ts'
import { heading, keep, payoutOf, readWords, review, test } from './keptPages.ts'
import { newAddress } from './people.ts'

test.use({ viewport: { width: 390, height: 844 } })

type Place = { name: string; content: Buffer }

/** Collects every request of the page, with its headers and body. */
function watchRequests(page: Page): () => Promise<Place[]> {
  const places: Promise<Place>[] = []
  page.on('request', (request) => {
    const body = request.postDataBuffer() ?? Buffer.alloc(0)
    const rest = (headers: Record<string, string>) => Buffer.from(`${request.url()}\n${JSON.stringify(headers)}\n`)
    const name = `${request.method()} ${request.url()}`
    places.push(
      request
        .allHeaders()
        .catch(() => request.headers())
        .then((headers) => ({ name, content: Buffer.concat([rest(headers), body]) })),
    )
  })
  return () => Promise.all(places)
}

/** Collects the values that passkeys return to the page. */
async function watchPasskeys(page: Page): Promise<Set<string>> {
  const values = new Set<string>()
  await page.exposeFunction('recordPasskey', (hex: string) => void values.add(hex))
  await page.addInitScript(() => {
    const { credentials } = navigator
    for (const name of ['create', 'get'] as const) {
      const ask = credentials[name].bind(credentials)
      credentials[name] = async (options?: object) => {
        const credential = await ask(options)
        const first = (credential as PublicKeyCredential).getClientExtensionResults().prf?.results?.first
        const bytes = first ? [...new Uint8Array(first as ArrayBuffer)] : []
        const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
        if (hex) await (window as unknown as { recordPasskey(hex: string): Promise<void> }).recordPasskey(hex)
        return credential
      }
    }
  })
  return values
}

/** What the browser has stored for the site. Databases and caches have to be absent, so that there is nothing else to search. */
async function storageOf(page: Page): Promise<Place[]> {
  const { texts, others } = await page.evaluate(async () => ({
    texts: {
      localStorage: JSON.stringify({ ...localStorage }),
      sessionStorage: JSON.stringify({ ...sessionStorage }),
      cookies: document.cookie,
      history: JSON.stringify([location.href, history.state]),
    },
    others: [...(await indexedDB.databases()).map(({ name }) => name), ...(await caches.keys())],
  }))
  expect(others).toEqual([])
  return Object.entries(texts).map(([name, text]) => ({ name, content: Buffer.from(text) }))
}

/** All files of the stack: its log, the databases of D1 and of the objects with what is not merged yet, the chain. */
async function filesOf(folder: string): Promise<Place[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  // A file may be gone by now.
  const places = files.map(async (name) => ({ name, content: await readFile(name).catch(() => Buffer.alloc(0)) }))
  return Promise.all(places)
}

test('nothing in requests, logs, storage or databases opens the account @kept-22', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  const passkeys = await watchPasskeys(page)
  const requests = watchRequests(page)
  await addDevice(page)
  await keep(page, await payoutOf(bursar, own))
  const stored = await storageOf(page)
  await page.reload()
  await button(page, 'Open').click()
  const words = await readWords(page)
  stored.push(...(await storageOf(page)))
  await button(page, 'Back').click()
  await review(page, newAddress(), '1.25')
  await button(page, 'Send 1.25 USDC').click()
  await expect(heading(page, 'Sending 1.25 USDC').or(heading(page, '1.25 USDC sent'))).toBeVisible()
  stored.push(...(await storageOf(page)))
  await expect(heading(page, '1.25 USDC sent')).toBeVisible(onChain)
  stored.push(...(await storageOf(page)))

  expect(passkeys.size, 'the passkey’s value').toBe(1)
  const value = Buffer.from([...passkeys][0]!, 'hex')
  const entropy = Buffer.from(hkdfSync('sha256', value, '', 'bursar wallet v1', 16))
  expect(entropyToMnemonic(entropy, wordlist)).toBe(words)
  const account = mnemonicToAccount(words)
  const hdKey = account.getHdKey()
  const secrets = {
    'value of the passkey': formsOfBytes(value),
    entropy: formsOfBytes(entropy),
    words: formsOfWords(words),
    seed: formsOfBytes(Buffer.from(mnemonicToSeedSync(words))),
    'private key': formsOfBytes(Buffer.from(hdKey.privateKey!)),
    'extended key': formsOfWords(`${hdKey.privateExtendedKey} ${hdKey.privateExtendedKey}`),
  }

  const sent = await requests()
  const files = await filesOf(process.env.BURSAR_STATE!)
  for (const [name, forms] of Object.entries(secrets))
    expect(placesWith(forms, [...sent, ...stored, ...files]), name).toEqual([])

  // The same search finds what is there: the account's address.
  const address = [...formsOfBytes(Buffer.from(account.address.slice(2), 'hex')), Buffer.from(account.address)]
  expect(placesWith(address, sent)).toContainEqual(expect.stringMatching(/^POST .*\/escrow\/claim$/))
  expect(placesWith(address, stored)).toContain('localStorage')
  const found = placesWith(address, files)
  expect(found).toContainEqual(expect.stringMatching(/bursar-Treasury/))
  expect(files.map(({ name }) => name)).toContainEqual(expect.stringMatching(/\/d1\/.*\.sqlite/))
  expect(files.map(({ name }) => name)).toContainEqual(expect.stringMatching(/wrangler\.log$/))
})
