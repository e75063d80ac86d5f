import { beforeEach, expect, test, vi } from 'vitest'
import { locks, storage, windowEvents } from './browser.ts'

const acme = { id: 'usr_acme', name: 'ACME', ownerEmail: 'ann@acme.test' }
let sent: { path: string; account: string | undefined }[]
let answer: (path: string) => { status?: number; body: unknown }
let opened: string[]

const signIn = (id: string) => {
  localStorage.setItem('auth_token', 'access')
  localStorage.setItem('token_expiry', String(Date.now() + 3_600_000))
  localStorage.setItem('auth_user', JSON.stringify({ id, email: `${id}@example.com`, name: null }))
}

/** A new document in the same tab: its own copy of the modules. */
async function openDocument() {
  vi.resetModules()
  const acting = await import('#web/lib/actingFor.ts')
  const other = await import('#web/lib/otherAccount.ts')
  const answers = await import('#web/lib/answerStorage.ts')
  const { api } = await import('#web/lib/api.ts')
  other.leaveEndedAccount()
  return { ...acting, ...other, ...answers, api }
}

beforeEach(() => {
  sent = []
  opened = []
  answer = () => ({ body: { success: true, data: null } })
  windowEvents()
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  vi.stubGlobal('navigator', { locks: locks() })
  vi.stubGlobal('location', { hostname: 'bursar.test', assign: (path: string) => opened.push(path) })
  vi.stubGlobal('fetch', async (path: string, init: { headers: Record<string, string> }) => {
    sent.push({ path, account: init.headers['X-Account-ID'] })
    const { status = 200, body } = answer(path)
    return new Response(JSON.stringify(body), { status })
  })
  signIn('usr_bob')
})

test('a document acts for one account until the next, and only for the person who chose it @acting-for-1', async () => {
  const first = await openDocument()
  first.openAccount(acme)
  expect(opened).toEqual(['/dashboard/overview'])
  await first.api('GET /wallets')
  const second = await openDocument()
  await second.api('GET /wallets')
  signIn('usr_eve') // in another tab
  await second.api('GET /wallets')
  expect(second.actingFor()).toBeNull()
  expect(sent.map(({ account }) => account)).toEqual([undefined, acme.id, undefined])
})

test('kept answers are of one person and one account @acting-for-2', async () => {
  const own = await openDocument()
  own.storeAnswers('usr_bob', 'usr_bob', [[['overview'], 'own figures']])
  own.actFor(acme)
  const theirs = await openDocument()
  expect(theirs.keptAnswers()).toEqual([])
  theirs.storeAnswers('usr_bob', acme.id, [[['overview'], 'figures of ACME']])
  expect(theirs.keptAnswers()).toHaveLength(1)
  theirs.actFor(null)
  expect((await openDocument()).keptAnswers()).toEqual([])
})

test('a refusal by role never signs out, whatever the account’s name @acting-for-3', async () => {
  ;(await openDocument()).actFor({ ...acme, name: 'Expired Tokens Ltd' })
  const { api } = await openDocument()
  const error = 'Your role in Expired Tokens Ltd, viewer, does not allow this.'
  answer = () => ({ status: 403, body: { success: false, error, code: 'forbidden' } })
  await expect(api('GET /wallets')).rejects.toThrow(error)
  expect(localStorage.getItem('auth_token')).toBe('access')
})

test('an account that is gone leads to one’s own, once @acting-for-4', async () => {
  ;(await openDocument()).actFor(acme)
  const { api } = await openDocument()
  const gone = { status: 404, body: { success: false, error: 'Account not found.', code: 'not_found' } }
  answer = (path) =>
    path.endsWith('/wallets') ? gone : { status: 404, body: { ...gone.body, error: 'Contact not found.' } }
  await expect(api('GET /contacts')).rejects.toThrow('Contact not found.')
  expect(opened).toEqual([])
  await Promise.allSettled([api('GET /wallets'), api('GET /wallets')])
  expect(opened).toEqual(['/dashboard/overview'])
  const next = await openDocument()
  expect(next.actingFor()).toBeNull()
  expect([next.takeEndedAccount(), next.takeEndedAccount()]).toEqual(['ACME', null])
})
