/**
 * An account with a limit of one person: its owner, Bob, who can become an approver, and five agents. Two share a group, one by
 * API and one by MCP; one has a group of its own, one buys, and one belongs to an app that is connected by consent.
 */
import type { PersonId } from '#domain/accounts.ts'
import { person } from '#domain/actor.ts'
import type { MicroUsdc } from '#domain/money.ts'
import { hourMs, minuteMs } from '#domain/time.ts'
import { hostOf, sellerPair } from '#domain/x402/seller.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Address } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { allow } from '../../worker/treasury/account/connections/allow.ts'
import { exchange } from '../../worker/treasury/account/connections/tokens.ts'
import { requestBudget } from '../../worker/treasury/approvals/ask.ts'
import { approveBudget, approvePayment, deny } from '../../worker/treasury/approvals/decisions/decide.ts'
import { approvalView } from '../../worker/treasury/approvals/decisions/views.ts'
import { actingAs, actingFor } from '../../worker/treasury/core/acting.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { termsOf } from '../../worker/treasury/core/storage/newPayment.ts'
import type { ApprovalRow, PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { noteDecider } from '../../worker/treasury/limits/secondPerson.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { check } from '../../worker/treasury/payments/check.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import { changeRole, chooseSecondPerson, invite, join, remove } from '../../worker/treasury/policies/members.ts'
import { confirmRules, editGroup, topUp } from '../../worker/treasury/reports/changes/groups.ts'
import { createBook } from './book.ts'
import { addressOf, allScopes, gatheredFor, groupEdit, payInput, usdc } from './build.ts'
import { purchaseOf } from './purchaseBook.ts'
import { decidedBy, readRow, runsOf } from './runs.ts'

export const owner = 'usr_test'
export const bob = 'usr_bob'
export type Someone = typeof owner | typeof bob

type AgentPrincipal = Principal & { type: 'agent' }

export function createSecondPersonBook({ approveAbove = usdc('70') } = {}) {
  const book = createBook()
  const { context, store, clock } = book
  store.run(
    "INSERT INTO owner (one, email, status, password_at, created_at, updated_at) VALUES (1, 'ann@acme.test', 'CONFIRMED', 0, 0, 0)",
  )
  store.run('UPDATE session SET purchase_allowance = 1000')
  const scopes = [...allScopes, 'x402_payments:write']
  const groupId = book.addGroup({ scopes, spendLimit: usdc('20000'), limits: { approveAbove } })
  const otherGroupId = book.addGroup({ scopes, spendLimit: usdc('20000') })
  const agents: AgentPrincipal[] = [
    book.addAgent(groupId),
    { ...book.addAgent(groupId), via: 'mcp' },
    book.addAgent(otherGroupId),
    book.addAgent(otherGroupId),
  ]
  const runs = runsOf(book)
  const passwordAt: Record<Someone, number> = { [owner]: 0, [bob]: 0 }
  let made = 0

  const as = <T>(who: Someone, act: () => T): T => actingAs(person(who), act)
  const asOwner = <T>(act: () => T): T => as(owner, act)
  const fresh = () => ({ type: 'address', address: addressOf(0x10000 + ++made) }) as const
  const decider = (userId: Someone) => ({ userId, name: null, sessionId: 'ses_1', passwordAt: passwordAt[userId] })
  const settled = <T extends object>(result: T) => {
    if ('need' in result) throw new Error(`needs ${result.need}`)
    return result as Exclude<T, { need: string }>
  }
  const pay = (principal: Principal, amount: string, to: Recipient = fresh(), more: Partial<PayInput> = {}) => {
    const asked = { ...payInput({ principal, to, amount: usdc(amount), reason: 'rent' }), ...more }
    const lookup = 'address' in to ? ({ address: to.address, found: 'clear' } as const) : null
    return actingFor(principal, () => settled(accept(context, asked, gatheredFor(asked, { signer: true, lookup }))))
  }
  const asUser = { type: 'user', passwordChecked: true } as const

  return {
    ...book,
    groupId,
    otherGroupId,
    agents,
    passwordAt,
    payAsOwner: (amount: string, to?: Recipient) => asOwner(() => pay(asUser, amount, to)),
    payAsAgent: (index: number, amount: string, to?: Recipient) => pay(agents[index % agents.length]!, amount, to),
    /** For at most 1 USDC: more, a smart wallet can't. */
    buy(amount: string) {
      const to = purchaseOf()
      const seller = { pair: sellerPair(hostOf(to.resource), to.address), chain_id: 8453 as const }
      store.replace('seller', { ...seller, confirmed_at: clock.now, asked_at: clock.now })
      return pay(agents[3]!, amount, to, { offer: { accepted: { maxTimeoutSeconds: 60 } } })
    },
    /** Connects an app, which gets an agent in this group, and from then on pays as the fifth. */
    connect(policyGroupId: string) {
      const id = `con_${++made}`
      const terms = { redirectUri: 'https://app.example/cb', challenge: 'challenge', resource: 'mcp', document: null }
      const asked = asOwner(() =>
        allow(context, {
          ...{ id, requestId: id, clientId: 'app', redirectKey: terms.redirectUri, codeHash: id },
          app: { app: { name: 'App', kind: 'registered', host: null }, destination: { type: 'loopback' } },
          allowed: {
            ...{ ...terms, scopes: null, mustSign: false },
            agent: { type: 'new', name: 'App', policyGroup: { type: 'existing', policyGroupId } },
          },
          newAgent: { id: `agt_${id}`, clientId: `bc_${id}` },
          ...{ expiresAt: clock.now + minuteMs, passwordChecked: true },
        }),
      )
      unwrap(asked)
      const { agentId, credentialHash } = unwrap(
        exchange(context, {
          ...{ ...terms, connectionId: id, clientId: 'app', codeHash: id, resource: null, assertion: null },
          refresh: { hash: id, expiresAt: clock.now + hourMs },
        }),
      )
      agents[4] = { type: 'agent', agentId, credentialHash, via: 'mcp' }
    },
    mostWithoutAsking() {
      const input = { to: fresh(), amount: usdc('1') }
      const checked = check(context, agents[0]!, input, { ...gatheredFor(payInput(input)), unused: false })
      return unwrap(settled(checked)).max_without_asking
    },
    askForBudget: (index: number, amount: string) => {
      const principal = agents[index % agents.length]!
      return actingFor(principal, () =>
        requestBudget(context, { principal, key: `budget-${++made}`, amount: usdc(amount), reason: null }),
      )
    },
    pending: () => store.all<ApprovalRow>("SELECT * FROM approval WHERE status = 'PENDING' ORDER BY asked_at, id"),
    view: (id: string) => approvalView(context, store.approval(id)!),
    approveAs: (who: Someone, id: string, grant: { amount: MicroUsdc; endsAt: number } | null = null) =>
      as(who, () => {
        const row = store.approval(id)!
        noteDecider(context, decider(who))
        const input = { hash: approvalView(context, row).hash, by: decider(who), passwordChecked: true, grant }
        if (row.kind === 'budget') return approveBudget(context, id, input)
        const waiting = store.payment(row.payment_id!)!
        const address = waiting.to_address as Address | null
        const found = gatheredFor({ principal: asUser, key: null, terms: termsOf(waiting) }, { signer: true })
        // A payout is drafted under the id of the payment that waits.
        const draft = found.draft && { ...found.draft, id: waiting.id }
        const lookup = address && ({ address, found: 'clear' } as const)
        return settled(approvePayment(context, id, input, { ...found, draft, lookup }))
      }),
    /** A run of new addresses that was checked and submitted. Returns its id. */
    makeRun(who: Someone, amounts: string[]) {
      const rows = amounts.map((amount, i) => readRow(i + 2, 0x20000 + ++made, amount))
      return as(who, () => {
        const { id } = unwrap(runs.create(rows, { by: decidedBy(who) }))
        store.update('run', id, { checked: rows.length, hash: '0'.repeat(64) })
        unwrap(runs.submit(id, who))
        return id
      })
    },
    approveRun: (who: Someone, id: string) =>
      as(who, () => {
        noteDecider(context, decider(who))
        return runs.approve(id, who)
      }),
    payRow: (id: string, n: number) => runs.payRow(id, n),
    denyAs: (who: Someone, id: string) =>
      as(who, () =>
        deny(context, id, {
          hash: approvalView(context, store.approval(id)!).hash,
          by: decider(who),
          pauseAgent: false,
        }),
      ),
    /** Bob joins as an approver. Returns the member's id. */
    joinBob() {
      const id = `mem_${++made}`
      asOwner(() =>
        unwrap(invite(context, { id, tokenHash: id, email: 'bob@acme.test', role: 'approver', passwordChecked: true })),
      )
      unwrap(join(context, { id, tokenHash: id, person: { id: bob as PersonId, email: 'bob@acme.test', name: 'Bob' } }))
      return id
    },
    setRole: (id: string, role: 'viewer' | 'approver') =>
      asOwner(() => changeRole(context, id, { role, passwordChecked: true })),
    removeBob: (id: string) => asOwner(() => remove(context, id)),
    setLimit: (above: string | null) =>
      asOwner(() => chooseSecondPerson(context, { above: above === null ? null : usdc(above), passwordChecked: true })),
    confirm: (who: Someone, id = groupId) =>
      as(who, () => {
        noteDecider(context, decider(who))
        return confirmRules(context, id, store.group(id)!.version)
      }),
    topUp: (id = groupId) => asOwner(() => topUp(context, id, usdc('5'), null, true)),
    rename: (id = groupId) =>
      asOwner(() =>
        editGroup(context, id, { ...groupEdit({ name: `Group ${++made}`, scopes }), passwordChecked: true }),
      ),
    payments: () =>
      store.all<PaymentRow>('SELECT * FROM payment WHERE accepted_at IS NOT NULL ORDER BY accepted_at, rowid'),
    later(ms: number) {
      clock.now += ms
    },
  }
}
export type SecondPersonBook = ReturnType<typeof createSecondPersonBook>
