/** One account whose Treasury is rolled back. tests/stack/restore.test.ts does it with many payments and real kills. */
import { beforeAll, expect, test } from 'vitest'
import type { MicroUsdc } from '#domain/money.ts'
import { hourMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { continueRestores } from '../../worker/ops/restoreUser.ts'
import { unwrap } from '../../worker/result.ts'
import { recompute } from '../../worker/treasury/account/restore/recompute.ts'
import { paidToOf } from '../../worker/treasury/core/storage/newPayment.ts'
import { reserve } from '../../worker/treasury/ledger/ledger.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import { agentInput, agentPrincipal, groupEdit, groupInput, toEmail, usdc } from '../support/build.ts'
import { historyRows, inHistory, syncHistory } from '../support/histories.ts'
import { createImporter } from '../support/importer.ts'
import { kill } from '../support/kill.ts'
import { becomes, look, mineUntil, pass, payoutIs, payoutOf } from '../support/manualClock.ts'
import { makeImmortal, makeMortal, mortalDb, mortalObjects } from '../support/mortal.ts'
import { createPayer, fresh, manualChain, type Payer, prepare, until, type WalletUser } from '../support/payer.ts'
import {
  copyOf,
  operator,
  pastTheGate,
  restoringOperator,
  withoutHistory,
  works,
} from '../support/restoringOperator.ts'
import { settingsWith } from '../support/rings.ts'
import { setFreeze, withoutStopObject } from '../support/stops.ts'
import { changeJobs, inTreasury, rowsOf } from '../support/treasuries.ts'
import { party } from '../support/workerChain.ts'
import { env } from './apiClient.ts'

beforeAll(prepare)

const to = (name: string) => ({ type: 'address', address: fresh(name) }) as const
const by = { userId: 'usr', name: 'Ann', sessionId: 'ses', passwordAt: 0 }
const pay = async (payer: Payer, input: PayInput) => unwrap(await payer.treasury().payAsAgent(input)).payment

/** What the owner does after a restore: a new credential for each agent, and the group resumed. */
async function resume(payer: Pick<Payer, 'treasury'>, groupId: string, agentIds: string[]) {
  const policies = payer.treasury().policies()
  for (const id of agentIds)
    unwrap(await policies.replaceCredential(id, { kind: 'api_key', hash: `k${id}`, endsAt: 0, passwordChecked: true }))
  unwrap(await payer.treasury().policies().pause({ kind: 'group', id: groupId }, false, true))
}
const agentsOf = (payer: Payer) => payer.principals.map((each) => (each as { agentId: string }).agentId)

const ledgers = async (payer: WalletUser) =>
  Promise.all([
    rowsOf(payer, 'SELECT id, held, out FROM wallet'),
    rowsOf(payer, 'SELECT wallet_id, epoch, held, used, next_sequence FROM session'),
    rowsOf(payer, 'SELECT id, held, spent, unclaimed, payments, windows FROM policy_group'),
    rowsOf(payer, 'SELECT group_id, subject, windows FROM recipient_window'),
    rowsOf(payer, 'SELECT id, held, spent, payments FROM agent'),
  ])

/** Accepted, but not signed: the stop object does not respond. */
const payUnsigned = (payer: Payer, input: PayInput) =>
  withoutStopObject(payer, async (treasury) => unwrap(await treasury.payAsAgent(input)).payment)

async function approve(payer: Payer, id: string, grant: { amount: MicroUsdc; endsAt: number } | null = null) {
  const approval_id = await inTreasury(payer, ({ context }) => context.store.payment(id)!.approval_id!)
  const { hash } = unwrap(await payer.treasury().approvals().get(approval_id))
  unwrap(await payer.treasury().approvals().approve(approval_id, { hash, by, passwordChecked: true, grant }))
}

/** A payer with a payment in each state that a rollback can find, and what happens to each of them after the copy. */
async function lostWindow() {
  const payer = await createPayer({ on: manualChain, limit: '100' })
  const limits = { approveAbove: usdc('5'), periodBudget: { period: 'day', limit: usdc('90') } } as const
  unwrap(await payer.policies().editGroup(payer.group.id, groupEdit({ limits })))
  const input = (name: string, amount = '1') => payer.payment({ to: to(name), amount: usdc(amount) })
  const before = {
    signedSince: input('queued'),
    approvedSince: input('pending', '6'),
    signedAgain: input('processing'),
  }
  const leftUnsigned = input('left unsigned')
  const neverDecided = input('never decided', '7')

  // Nothing reaches the Relayer until the object is loaded again.
  await changeJobs(payer, () => [])
  const signedAgain = await pay(payer, before.signedAgain)
  await mineUntil(payer, 'signed', async () => (await payer.status(signedAgain.id)) === 'PROCESSING')
  const signedSince = await payUnsigned(payer, before.signedSince)
  const approvedSince = await pay(payer, before.approvedSince)
  const waiting = await pay(payer, neverDecided)
  expect([signedSince.status, approvedSince.status]).toEqual(['QUEUED', 'PENDING_APPROVAL'])
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  return { payer, before, earlier, signedSince, approvedSince, signedAgain, leftUnsigned, neverDecided, waiting, input }
}

test('rows that were QUEUED, PENDING_APPROVAL and PROCESSING, and were signed, approved and signed again since, are paid once and answer their keys @restore-50', async () => {
  const account = await lostWindow()
  const { payer, before, earlier } = account
  // Its deadline comes near, so it is signed again.
  const leftSeconds = await inTreasury(payer, async ({ context }) => {
    const { timestamp } = await context.chains[84532].head()
    return context.store.payment(account.signedAgain.id)!.deadline! - timestamp
  })
  await pass(leftSeconds - 20)
  await until('signed again', async () => {
    await look(payer)
    return (
      (await rowsOf(payer, 'SELECT 1 FROM payment WHERE id = ? AND sig_version > 1', account.signedAgain.id)).length > 0
    )
  })
  await kill(payer.treasury())
  await approve(payer, account.approvedSince.id)
  for (const { id } of [account.signedSince, account.approvedSince, account.signedAgain])
    await becomes(payer, id, 'CONFIRMED')
  const since = account.input('since')
  const { id: sinceId } = await pay(payer, since)
  await becomes(payer, sinceId, 'CONFIRMED')
  const payoutInput = payer.payment({ to: toEmail('window@example.com'), amount: usdc('2') })
  const payout = await pay(payer, payoutInput)
  await payoutIs(payer, payout.id, 'CREATED')
  const code = await payoutOf(payer, payout.id)
  // Never signed, and refused by the owner: they end with the restore.
  const unsigned = await payUnsigned(payer, account.leftUnsigned)
  const askedSince = account.input('asked since', '8')
  expect((await pay(payer, askedSince)).status).toBe('PENDING_APPROVAL')
  const [{ id: agentId }] = (await rowsOf(payer, 'SELECT id FROM agent')) as [{ id: string }]
  unwrap(await payer.policies().editAgent(agentId, { name: 'Renamed since', memo: null }))
  await syncHistory(payer)
  const books = await ledgers(payer)
  expect(books[2]![0]).toMatchObject({ spent: Number(usdc('9')), held: Number(usdc('3')) })
  await inTreasury(payer, ({ context }) => recompute(context.store, Date.now()))
  expect(await ledgers(payer), 'recomputing changes nothing on right books').toEqual(books)

  const { run, back, continueRestore } = await restoringOperator(payer)
  expect(await run('freeze')).toMatchObject({
    state: 'frozen',
    doing: expect.stringContaining('History has everything'),
  })
  expect(await back(earlier)).toMatchObject({ state: 'rolled_back' })
  await expect(payer.ledger()).rejects.toThrow('account_restoring')
  expect(await continueRestore()).toMatchObject({ state: 'open', unexplained: [] })
  await works(payer)

  expect(await rowsOf(payer, 'SELECT name FROM agent')).toEqual([{ name: 'Renamed since' }])
  expect(await payer.booksBalance()).toMatchObject({ out: '11', held: '0' })
  const group = (await ledgers(payer))[2]![0]!
  expect(group).toMatchObject({ spent: Number(usdc('9')), held: Number(usdc('2')), unclaimed: Number(usdc('2')) })
  expect(group).toMatchObject({ payments: 6 })
  expect(JSON.parse(group.windows as string)).toMatchObject({ periodBudget: { slices: [Number(usdc('11'))] } })
  expect(await payer.status(unsigned.id)).toBe('FAILED')
  expect(await payer.status(account.waiting.id)).toBe('CANCELLED')

  const refused = await payer.treasury().payAsAgent(since)
  expect(refused, 'every credential has ended').toMatchObject({ ok: false, code: 'unauthenticated' })
  await resume(payer, payer.group.id, agentsOf(payer))
  const answered = [
    [before.signedSince, account.signedSince.id],
    [before.approvedSince, account.approvedSince.id],
    [before.signedAgain, account.signedAgain.id],
    [since, sinceId],
  ] as const
  for (const [input, id] of answered) expect(await pay(payer, input)).toMatchObject({ id, status: 'CONFIRMED' })
  expect(await pay(payer, payoutInput)).toMatchObject({ id: payout.id, status: 'PENDING' })
  expect(await pay(payer, account.leftUnsigned)).toMatchObject({ id: unsigned.id, status: 'FAILED' })
  for (const input of [account.neverDecided, askedSince])
    expect(await payer.treasury().payAsAgent(input)).toMatchObject({ code: 'approval_cancelled' })
  const other = { ...since, terms: { ...since.terms, amount: usdc('3') } }
  expect(await payer.treasury().payAsAgent(other)).toMatchObject({ code: 'idempotency_key_reused' })
  // A month later, approvals that ended without one are deleted. What was approved since is not.
  await inTreasury(payer, ({ context }) => {
    context.store.run('UPDATE approval SET ended_at = 0')
    context.schedule('scan', 1)
  })
  await look(payer)
  expect(await payer.status(account.approvedSince.id)).toBe('CONFIRMED')

  // The payout has a new code, can be claimed with it, and History has its row as it is now.
  const now = await payoutOf(payer, payout.id)
  expect(now).toMatchObject({ status: 'CREATED', code_version: code.code_version + 1, sealed_token: code.sealed_token })
  const claim = { payoutId: payout.id, to: fresh('bob') }
  expect(await payer.treasury().claim({ ...claim, codeVersion: code.code_version })).toMatchObject({ ok: false })
  expect(await payer.treasury().claim({ ...claim, codeVersion: now.code_version })).toMatchObject({ ok: true })
  await payoutIs(payer, payout.id, 'WITHDRAWN')
  expect(await payer.booksBalance()).toMatchObject({ out: '11' })
  await syncHistory(payer)
  const listed = await historyRows(
    payer,
    'SELECT status FROM transaction_view WHERE id IN (?, ?)',
    sinceId,
    unsigned.id,
  )
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['CONFIRMED', 'FAILED']))
  expect(await payer.treasury().reports().auditCheck()).toMatchObject({ brokenAt: null })
})

test('a restore that is killed after each effect, and continued each time, ends like one that was never killed @restore-51', async () => {
  const account = await lostWindow()
  const { payer } = account
  await kill(payer.treasury())
  const since = account.input('since')
  const paid = await pay(payer, since)
  for (const { id } of [account.signedSince, account.signedAgain, paid]) await becomes(payer, id, 'CONFIRMED')
  const payout = await pay(payer, payer.payment({ to: toEmail('killed@example.com'), amount: usdc('2') }))
  await payoutIs(payer, payout.id, 'CREATED')
  await syncHistory(payer)
  const { out } = await payer.booksBalance()

  const life = { left: Number.POSITIVE_INFINITY }
  const spend = () => {
    life.left -= 1
    if (life.left === 0) throw new Error('killed')
  }
  const bindings = { ...env, TREASURY: mortalObjects(env.TREASURY, spend) }
  const { run, back, continueRestore, open } = await restoringOperator(payer, { bindings, db: mortalDb(spend) })
  /** Kills `act` after one effect, then after two, and so on, until it survives. */
  const untilAlive = async (act: () => Promise<unknown>) => {
    for (let effects = 1; ; effects++) {
      life.left = effects
      await makeMortal(payer, life)
      const reply = await act().catch((error: Error) => {
        expect(life.left, error.message).toBeLessThanOrEqual(0)
      })
      const isAlive = life.left > 0
      life.left = Number.POSITIVE_INFINITY
      await makeImmortal(payer)
      if (reply && isAlive) return effects
    }
  }
  expect(await untilAlive(() => run('freeze'))).toBeGreaterThan(5)
  expect(await untilAlive(() => back(account.earlier))).toBeGreaterThan(3)
  const kills = await untilAlive(async () => ((await open()) ? continueRestore() : { state: 'open' }))
  expect(kills).toBeGreaterThan(30)
  expect(await open()).toBeNull()
  await works(payer)

  expect(await payer.booksBalance()).toMatchObject({ out, held: '0' })
  await resume(payer, payer.group.id, agentsOf(payer))
  expect(await pay(payer, since)).toMatchObject({ id: paid.id, status: 'CONFIRMED' })
  expect(await payoutOf(payer, payout.id)).toMatchObject({ status: 'CREATED' })
  expect(await payer.treasury().reports().auditCheck()).toMatchObject({ brokenAt: null })
  expect(await rowsOf(payer, "SELECT 1 FROM audit WHERE event = 'account.restored'")).toHaveLength(1)
})

/** An agent that pays from an imported wallet, whose key a restore keeps. */
async function createImportingAgent() {
  const importer = await createImporter({ on: manualChain })
  const policies = () => importer.treasury().policies()
  const group = unwrap(await policies().createGroup(groupInput({ walletId: importer.wallet.id })))
  const id = `agt_${importer.userId}`
  unwrap(await policies().createAgent(agentInput({ id, policyGroupId: group.id })))
  const principal = agentPrincipal(id)
  const ask = async (terms: Parameters<typeof importer.payment>[0]) =>
    unwrap(await importer.treasury().payAsAgent({ ...importer.payment({ principal, ...terms }) })).payment
  return { ...importer, ask, resume: () => resume(importer, group.id, [id]) }
}

test('if History lacked changes of a lost object, the account opens as open_watched and asks about equal payments @restore-52', async () => {
  const payer = await createImportingAgent()
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  await withoutHistory(payer)
  const recipient = to('lost')
  const { id } = await payer.ask({ to: recipient, amount: usdc('3') })
  await becomes(payer, id, 'CONFIRMED')
  await inTreasury(payer, ({ context }) => earlier(context.store))
  await kill(payer.treasury())

  const { run, continueRestore } = await restoringOperator(payer)
  await run('freeze')
  await run('back', { lost: true })
  const shown = await continueRestore()
  const detail = expect.stringContaining(`3.00 USDC to ${recipient.address.toLowerCase()}`)
  expect(shown).toMatchObject({ state: 'needs_review', unexplained: [{ what: 'unrecorded', detail }] })
  expect(await continueRestore({ accept: 'f'.repeat(12) })).toMatchObject({ state: 'needs_review', list: shown.list })
  await expect(payer.ledger()).rejects.toThrow('account_restoring')
  expect(await continueRestore({ accept: shown.list! })).toMatchObject({ state: 'open_watched' })
  await works(payer)
  const [accepted] = await rowsOf<{ data: string }>(
    payer,
    "SELECT data FROM audit WHERE event = 'account.restore_accepted'",
  )
  expect(JSON.parse(accepted!.data)).toMatchObject({ by: operator, list: shown.list, unexplained: shown.unexplained })
  expect(await payer.booksBalance()).toMatchObject({ withdrawn: '3', held: '0' })

  await payer.resume()
  const equal = await payer.ask({ to: recipient, amount: usdc('3') })
  expect(equal).toMatchObject({ status: 'PENDING_APPROVAL', approval: { status: 'PENDING' } })
  expect(await payer.ask({ to: toEmail(), amount: usdc('3') }), 'a payout’s address is new').toMatchObject({
    status: 'PENDING_APPROVAL',
  })
  expect((await payer.ask({ to: recipient, amount: usdc('2') })).status).not.toBe('PENDING_APPROVAL')
  expect((await payer.ask({ to: to('other'), amount: usdc('3') })).status).not.toBe('PENDING_APPROVAL')
  await inTreasury(payer, ({ context }) => {
    const watch = context.store.meta('watch')!
    expect(watch.until).toBeGreaterThan(Date.now() + 47 * hourMs)
    context.store.setMeta('watch', { ...watch, until: Date.now() })
  })
  expect((await payer.ask({ to: recipient, amount: usdc('3') })).status).not.toBe('PENDING_APPROVAL')
})

test('a restore waits for a History that is down, refuses one that is behind or lost, and lists what it cannot explain @restore-53', async () => {
  const payer = await createPayer({ on: manualChain })
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  const input = payer.payment()
  const { id } = await pay(payer, input)
  await becomes(payer, id, 'CONFIRMED')
  const { run, back, continueRestore } = await restoringOperator(payer)

  await withoutHistory(payer)
  expect((await run('freeze')).doing).toContain('has not confirmed')
  await expect(back(earlier)).rejects.toThrow('History has not confirmed')
  await expect(run('unfreeze')).rejects.toThrow('History is down')
  await kill(payer.treasury())
  expect((await run('freeze')).state, 'D1 says that it is being opened').toBe('open')
  expect(await run('unfreeze')).toMatchObject({ state: 'open' })
  await works(payer)

  await withoutHistory(payer)
  expect((await run('freeze')).doing).toContain('has not confirmed')
  await kill(payer.treasury())
  expect((await run('freeze')).doing).toContain('History has everything')
  await back(earlier)
  await withoutHistory(payer)
  await expect(continueRestore()).rejects.toThrow('History is down')
  await kill(payer.treasury())
  await inHistory(payer, (_, { storage }) => {
    for (const table of ['position', 'transaction_view', 'recoverable_value']) storage.sql.exec(`DELETE FROM ${table}`)
  })
  await expect(continueRestore()).rejects.toThrow('no longer has everything')
  expect(await run('status')).toMatchObject({ state: 'copying' })
  await expect(run('unfreeze')).rejects.toThrow('only `continue` opens the account')
  await run('back', { lost: true })
  const { state, unexplained, list } = await continueRestore()
  expect({ state, unexplained }).toMatchObject({ state: 'needs_review', unexplained: [{ what: 'unrecorded' }] })
  expect(await continueRestore({ accept: list! })).toMatchObject({ state: 'open_watched' })
  await works(payer)
  expect(await payer.booksBalance()).toMatchObject({ withdrawn: '1', out: '0' })
})

test('an object that is rolled back again during its restore starts from the beginning, also with two callers @restore-54', async () => {
  const payer = await createPayer({ on: manualChain })
  const first = await copyOf(payer)
  const inputs = [payer.payment(), payer.payment()]
  const ids: string[] = []
  for (const input of inputs) ids.push((await pay(payer, input)).id)
  await becomes(payer, ids[0]!, 'CONFIRMED')
  const second = await copyOf(payer)
  await becomes(payer, ids[1]!, 'CONFIRMED')
  const { run, back, continueRestore, open } = await restoringOperator(payer)
  await run('freeze')
  await back(second)
  expect(await run('continue')).toMatchObject({ state: 'waiting' })
  await pass(400)
  // By hand, while D1 says that payments are being copied.
  await inTreasury(payer, (treasury) => first(pastTheGate(treasury).store))
  await kill(payer.treasury())
  expect(await run('continue')).toMatchObject({ state: 'waiting' })
  await back(first)
  const both = await Promise.all([continueRestore(), continueRestore().catch(() => null)])
  expect(both[0]).toMatchObject({ state: 'open', unexplained: [] })
  expect(await open()).toBeNull()
  await works(payer)
  expect(await payer.booksBalance()).toMatchObject({ out: '2', held: '0' })
  await resume(payer, payer.group.id, agentsOf(payer))
  for (const [i, input] of inputs.entries()) expect(await pay(payer, input)).toMatchObject({ id: ids[i] })
})

test('an account that was not rolled back opens as it was; one that was is not opened, and refuses reads before any alarm @restore-55', async () => {
  const payer = await createPayer({ on: manualChain })
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  const input = payer.payment()
  const { id } = await pay(payer, input)
  await becomes(payer, id, 'CONFIRMED')
  const { run, open } = await restoringOperator(payer)
  await run('freeze')
  const { id: firstId } = (await open())!
  expect(await run('continue')).toMatchObject({ state: 'frozen' })
  expect(await run('unfreeze')).toMatchObject({ state: 'open' })
  await works(payer)
  expect(await pay(payer, input), 'with its credential').toMatchObject({ id })

  // Each freeze has another id: an object that knows the former as ended would open itself.
  await run('freeze')
  expect((await open())!.id).not.toBe(firstId)
  await inTreasury(payer, (treasury) => earlier(pastTheGate(treasury).store))
  await kill(payer.treasury())
  await expect(Promise.resolve(payer.treasury().payAsAgent(input))).rejects.toThrow('account_restoring')
  await expect(run('unfreeze')).rejects.toThrow('was rolled back')
  expect(await run('status')).toMatchObject({ state: 'frozen' })
  await expect(payer.ledger()).rejects.toThrow('account_restoring')
  // As if the stop object did not know of it either: a reading of its own closes the object.
  await setFreeze(payer.userId, (await open())!.id)
  await kill(payer.treasury())
  await expect(payer.ledger()).rejects.toThrow('account_restoring')
})

test('what was revoked since stays revoked, and wallets made or deleted since are known @restore-56', async () => {
  const payer = await createPayer({ on: manualChain, agents: 2 })
  const treasury = () => payer.treasury()
  const importing = async (name: string) => {
    const holder = party(`${payer.userId} ${name}`)
    await manualChain.mint(holder.address, usdc('7'))
    const input = { address: holder.address, chainId: 84532, policyGroupId: null, privateKey: holder.key } as const
    return { key: name, name, masterPassword: 'a master password', ...input }
  }
  const removed = unwrap(
    await treasury()
      .wallets()
      .importWallet(await importing('removed')),
  )
  unwrap(
    await treasury()
      .webhooks()
      .create({ url: 'https://former.example/', events: ['*'], passwordChecked: true }),
  )
  const toGrant = payer.payment({ to: to('granted'), amount: usdc('2') })
  unwrap(await payer.policies().editGroup(payer.group.id, groupEdit({ limits: { approveAbove: usdc('1') } })))
  const asked = await pay(payer, toGrant)
  await approve(payer, asked.id, { amount: usdc('40'), endsAt: Date.now() + hourMs })
  await becomes(payer, asked.id, 'CONFIRMED')
  await syncHistory(payer)
  const earlier = await copyOf(payer)

  unwrap(await treasury().wallets().delete(removed.id, true))
  const madeInput = await importing('made since')
  const made = unwrap(await treasury().wallets().importWallet(madeInput))
  await syncHistory(payer)
  const { run, back, continueRestore } = await restoringOperator(payer)
  await env.DB.prepare('INSERT INTO user_suspension (user_id, since, version) VALUES (?, 1, 7)')
    .bind(payer.userId)
    .run()
  await run('freeze')
  await back(earlier)
  expect(await continueRestore()).toMatchObject({ state: 'open', unexplained: [] })
  await works(payer)

  const none = ['credential', 'webhook', 'imported_key', 'whitelist'].map((table) => `SELECT 1 FROM ${table}`)
  const live = [
    ...none,
    "SELECT 1 FROM approval WHERE status = 'PENDING'",
    'SELECT 1 FROM approval_grant WHERE ended_at IS NULL',
  ]
  for (const query of [
    ...live,
    "SELECT 1 FROM session WHERE sealed_key <> ''",
    'SELECT 1 FROM policy_group WHERE paused = 0',
  ])
    expect(await rowsOf(payer, query), query).toEqual([])
  expect(await treasury().approvals().settings()).toEqual({ passwordAbove: '0' })
  expect(await treasury().policies().account()).toMatchObject({ suspended: true })
  const pause = (passwordChecked: boolean) =>
    treasury().policies().pause({ kind: 'group', id: payer.group.id }, false, passwordChecked)
  expect(await pause(false)).toMatchObject({ ok: false, code: 'password_required' })
  expect(await pause(true)).toMatchObject({ ok: true })
  const wallets = await rowsOf(
    payer,
    'SELECT id, status, paused FROM wallet WHERE kind = ? ORDER BY created_at',
    'imported',
  )
  expect(wallets).toEqual([
    { id: removed.id, status: 'deleted', paused: 0 },
    { id: made.id, status: 'active', paused: 1 },
  ])
  expect(await treasury().wallets().importWallet(madeInput), 'its key is known').toMatchObject({
    value: { id: made.id },
  })
  expect(await payer.booksBalance()).toMatchObject({ out: '2' })
})

test('contradictions, books that differ and keys that are gone are listed, and a signature that outlasts the wait keeps its deadline @restore-57', async () => {
  const payer = await createPayer({ on: manualChain })
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  const [known, clashing] = [await pay(payer, payer.payment()), await pay(payer, payer.payment())]
  for (const { id } of [known, clashing]) await becomes(payer, id, 'CONFIRMED')
  const payout = await pay(payer, payer.payment({ to: toEmail('gone@example.com'), amount: usdc('2') }))
  await payoutIs(payer, payout.id, 'CREATED')
  await changeJobs(payer, () => [])
  const outlasting = await pay(payer, payer.payment())
  await mineUntil(payer, 'signed', async () => (await payer.status(outlasting.id)) === 'PROCESSING')
  await syncHistory(payer)
  const clash = await inTreasury(payer, ({ context }) => context.store.payment(clashing.id)!)
  const { run, back, continueRestore } = await restoringOperator(payer)
  await run('freeze')
  await back((store) => {
    earlier(store)
    // As if an object that did not know that it was rolled back had used the nonce of a payment again, and accepted one more.
    store.insert('payment', {
      ...clash,
      id: 'pay_other',
      to_address: fresh('other'),
      status: 'PROCESSING',
      request_key: null,
    })
  })
  await inTreasury(payer, (treasury) => {
    const { store } = pastTheGate(treasury)
    const group = store.group(payer.group.id)
    reserve(
      store,
      {
        walletId: clash.wallet_id,
        epoch: 1,
        group,
        agentId: clash.agent_id,
        amount: usdc('1'),
        isPayout: false,
        to: paidToOf(clash),
        isNewRecipient: () => false,
      },
      0,
      0,
    )
    const unsigned = { status: 'QUEUED', sequence: null, sig_version: 0, request_key: null } as const
    store.insert('payment', { ...clash, ...unsigned, id: 'pay_unsigned' })
    pastTheGate(treasury).env = settingsWith({ PAYOUT_SECRET: { from: 0 } }, ['PAYOUT_SECRET'])
  })
  expect(await run('continue')).toMatchObject({ state: 'waiting' })
  const { timestamp } = await inTreasury(payer, (treasury) => pastTheGate(treasury).chains[84532].head())
  const later = timestamp + 20_000
  const outlasts =
    "UPDATE transaction_view SET recoverable = json_set(recoverable, '$.row.max_deadline', ?) WHERE id = ?"
  await historyRows(payer, outlasts, later, outlasting.id)
  await pass(400)
  const { unexplained, list } = await continueRestore()
  expect(unexplained).toMatchObject([
    { what: 'payment', ref: clashing.id, detail: 'its nonce is already used by pay_other' },
    { what: 'payout', ref: payout.id },
    { what: 'books', ref: payer.wallet.id, detail: expect.stringContaining('does not match the transfer') },
  ])
  expect(await continueRestore({ accept: list! })).toMatchObject({ state: 'open' })
  await works(payer)
  expect(await payer.status(known.id)).toBe('CONFIRMED')
  const ended = await rowsOf(payer, "SELECT status, error_code FROM payment WHERE id = 'pay_unsigned'")
  expect(ended).toEqual([{ status: 'FAILED', error_code: 'account_restored' }])
  expect(await payoutOf(payer, payout.id)).toMatchObject({ status: 'CREATED' })
  expect(await rowsOf(payer, 'SELECT status, max_deadline FROM payment WHERE id = ?', outlasting.id)).toEqual([
    { status: 'PROCESSING', max_deadline: later },
  ])
  expect(await rowsOf(payer, 'SELECT halt_kind FROM wallet')).toEqual([{ halt_kind: 'foreign_transfer' }])
})

test('an operator cannot accept differing books while a payment is open @restore-60', async () => {
  const payer = await createPayer({ on: manualChain })
  const earlier = await copyOf(payer)
  const { id } = await pay(payer, payer.payment())
  await becomes(payer, id, 'CONFIRMED')
  const { run, back, continueRestore } = await restoringOperator(payer)
  await run('freeze')
  await back((store) => {
    earlier(store)
    store.run('UPDATE wallet SET deposits = deposits + 1')
  })
  const shown = await continueRestore()
  const detail = 'the chain has 0.000001 USDC less than the books'
  expect(shown).toMatchObject({ state: 'needs_review', unexplained: [{ what: 'books', ref: payer.wallet.id, detail }] })
  expect(await continueRestore({ accept: shown.list! })).toMatchObject({ state: 'needs_review', list: shown.list })
  await inTreasury(payer, (treasury) => {
    pastTheGate(treasury).store.run('UPDATE wallet SET deposits = deposits - 1')
  })
  expect(await continueRestore({ accept: shown.list! })).toMatchObject({ state: 'open', unexplained: [] })
  await works(payer)
  expect(await payer.booksBalance()).toMatchObject({ out: '1', held: '0' })
})

test('the cron continues a restore whose command has ended @restore-58', async () => {
  const payer = await createPayer({ on: manualChain })
  const earlier = await copyOf(payer)
  const { id } = await pay(payer, payer.payment())
  await becomes(payer, id, 'CONFIRMED')
  const { run, back, open } = await restoringOperator(payer)
  const cron = () => continueRestores({ env, db: primaryDb(env.DB), now: Date.now })
  await run('freeze')
  await cron()
  expect((await open())!.state, 'only an operator rolls it back').toBe('frozen')
  await back(earlier)
  await cron()
  expect((await open())!.state).toBe('waiting')
  await pass(400)
  await until('the restore has ended', async () => {
    await cron()
    return (await open()) === null
  })
  await works(payer)
  expect(await payer.booksBalance()).toMatchObject({ out: '1' })
})
