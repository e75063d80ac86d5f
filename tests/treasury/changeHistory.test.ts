/** The history of changes: its filters against a generator's own record, its file, and what it says. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Actor, bursar, operator, person } from '#domain/actor.ts'
import { type AuditEvent, type ChangeKind, changeKindNames } from '#domain/events.ts'
import { dayMs } from '#domain/time.ts'
import { type Change, ChangesFilter, type ChangesWanted, changesPerPage } from '#schemas/change.ts'
import type { Person } from '../../worker/appEnv.ts'
import { exportChanges } from '../../worker/services/changes.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import { audit, verifyAudit } from '../../worker/treasury/ledger/audit.ts'
import { invite, join, remove } from '../../worker/treasury/policies/members.ts'
import { createAgent, deleteAgent, editAgent, replaceCredential } from '../../worker/treasury/reports/changes/agents.ts'
import { createGroup, deleteGroup, editGroup, topUp } from '../../worker/treasury/reports/changes/groups.ts'
import { setPaused } from '../../worker/treasury/reports/changes/pausing.ts'
import { listChanges } from '../../worker/treasury/reports/review/list.ts'
import { renameWallet } from '../../worker/treasury/wallets/manage.ts'
import { agentInput, allScopes, groupEdit, groupInput, usdc } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { linesOf } from '../support/csvLines.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'

let treasury: MemoryTreasury
beforeEach(() => {
  treasury = createMemoryTreasury(100_000_000n, 100_000_000n)
})
afterEach(() => treasury.close())

/** All pages. */
function allOf(wanted: ChangesWanted, limit = 7): Change[] {
  const found: Change[] = []
  for (let before: number | null = null; ; ) {
    const { changes, next } = listChanges(treasury.context, wanted, before, limit)
    found.push(...changes)
    if (next === null) return found
    before = next
  }
}

const fileOf = async (wanted: ChangesWanted) => {
  const review = () => ({
    changes: async (...[filter, before, limit]: [ChangesWanted, number | null, number]) =>
      listChanges(treasury.context, filter, before, limit),
  })
  const response = await exportChanges({ treasury: { review } } as unknown as Person, wanted)
  return linesOf(await response.text())
}

const grace = 'usr_grace'
/** A member who joined, so that rows can name them. */
function addGrace(name: string | null = 'Grace') {
  const { context, store } = treasury
  const invited = { id: 'mem_grace', email: 'grace@example.com', role: 'approver', tokenHash: 'x' } as const
  actingAs(person(context.userId), () => invite(context, { ...invited, passwordChecked: true }))
  const who = { id: grace, name, email: 'grace@example.com' }
  const joined = actingAs(person(grace), () => join(context, { id: 'mem_grace', tokenHash: 'x', person: who } as never))
  expect(joined).toMatchObject({ ok: true })
  return store
}

const actors = { owner: person('usr_test'), mem_grace: person(grace), operator, bursar } satisfies Record<string, Actor>
type Who = keyof typeof actors
const acts = ['group', 'rules', 'topUp', 'pause', 'agent', 'rename', 'wallet', 'invite', 'payment', 'limits'] as const
const step = fc.record({
  act: fc.constantFrom(...acts),
  who: fc.constantFrom(...(Object.keys(actors) as Who[])),
  which: fc.nat({ max: 50 }),
  /** Sometimes the clock stands still, and sometimes it goes back a little. */
  after: fc.constantFrom(0, 0, -3, 1_000, 6 * 3_600_000, 3 * dayMs),
})
type Noted = { kind: ChangeKind; who: Who; at: number; event: AuditEvent }

/** Does the step, and notes what the history must have of it. */
function run({ act, who, which }: { act: (typeof acts)[number]; who: Who; which: number }, i: number): Noted[] {
  const { context, store, clock } = treasury
  const noted: Noted[] = []
  const note = (kind: ChangeKind, event: AuditEvent) => noted.push({ kind, who, at: clock.now, event })
  const pick = (table: string) =>
    store.all<{ id: string }>(`SELECT id FROM ${table} WHERE deleted_at IS NULL ORDER BY id`).at(which % 3)?.id
  actingAs(actors[who], () => {
    const [group, agent] = [pick('policy_group'), pick('agent')]
    switch (act) {
      case 'group':
        if (createGroup(context, groupInput({ name: `Group ${i}` })).ok) note('rules', 'group.created')
        return
      case 'rules': {
        if (!group) return
        const limits = { maxPayment: usdc(`${(i % 5) + 1}`) }
        if (editGroup(context, group, groupEdit({ name: `Group ${i}`, limits, passwordChecked: true })).ok)
          note('rules', 'group.changed')
        return
      }
      case 'topUp':
        if (group && topUp(context, group, usdc('1'), null, true).ok) note('rules', 'group.topped_up')
        return
      case 'pause': {
        if (!group) return
        const isPaused = store.group(group)!.paused === 1
        if (setPaused(context, { kind: 'group', id: group }, !isPaused, true).ok)
          note('rules', isPaused ? 'group.resumed' : 'group.paused')
        return
      }
      case 'agent':
        if (group && createAgent(context, agentInput({ id: `agt_${i}`, policyGroupId: group })).ok)
          note('agents', 'agent.created')
        return
      case 'rename':
        if (agent && editAgent(context, agent, { name: `Agent ${i}`, memo: null }).ok) note('agents', 'agent.changed')
        return
      case 'wallet':
        if (renameWallet(context, 'wal', `Wallet ${i}`).ok) note('wallets', 'wallet.renamed')
        return
      case 'invite': {
        const invited = { id: `mem_${i}`, email: `p${which % 4}@example.com`, role: 'viewer', tokenHash: 'x' } as const
        if (invite(context, { ...invited, passwordChecked: true }).ok) note('people', 'person.invited')
        return
      }
      case 'payment':
        // No change: what agents pay is in the list of transactions.
        return audit(store, clock.now, 'payment.accepted', `pay_${i}`)
      case 'limits':
        audit(store, clock.now, 'account.limits_set', 'account', { payments: i })
        note('account', 'account.limits_set')
    }
  })
  return noted
}

test('each filter finds what a generator has noted, in order, on any pages, and its file has the same @answers-20', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80, size: 'max' }), async (steps) => {
      treasury.close()
      treasury = createMemoryTreasury(100_000_000n, 100_000_000n)
      addGrace()
      const { clock, store } = treasury
      const start = clock.now
      const noted: Noted[] = [
        { kind: 'people', who: 'owner', at: start, event: 'person.invited' },
        { kind: 'people', who: 'mem_grace', at: start, event: 'person.joined' },
      ]
      for (const [i, each] of steps.entries()) {
        clock.now += each.after
        noted.push(...run(each, i))
      }
      expect(verifyAudit(store).brokenAt).toBeNull()
      const middle = noted[Math.floor(noted.length / 2)]!.at
      const spans = [{}, { from: middle }, { to: middle }, { from: start + 1, to: middle + dayMs }]
      const kinds: (ChangeKind[] | undefined)[] = [
        undefined,
        ...changeKindNames.map((kind) => [kind]),
        ['rules', 'agents'],
      ]
      for (const span of spans)
        for (const kind of kinds)
          for (const by of [undefined, ...(Object.keys(actors) as Who[])]) {
            const { from = 0, to = Number.POSITIVE_INFINITY } = span as { from?: number; to?: number }
            const expected = noted
              .filter((one) => (!kind || kind.includes(one.kind)) && (!by || by === one.who))
              .filter(({ at }) => at >= from && at < to)
            const wanted = { ...span, ...(kind && { kind }), ...(by && { by }) } as ChangesWanted
            const listed = allOf(wanted)
            const shown = listed.map(({ kind, by, event, at }) => ({ kind, who: by.id, event, at: Date.parse(at) }))
            // Newest first; of one time, the later one.
            const inOrder = expected.map((one, i) => ({ ...one, i })).sort((a, b) => b.at - a.at || b.i - a.i)
            expect(shown, JSON.stringify(wanted)).toEqual(inOrder.map(({ i: _, ...one }) => one))
            if (by === undefined) {
              const lines = await fileOf(wanted)
              expect(lines.map((line) => Number(line.ID))).toEqual(listed.map(({ id }) => id))
            }
          }
      for (const { text, detail } of allOf({}))
        expect(`${text} ${detail ?? ''}`).not.toMatch(/undefined|null|NaN|object|[{}[\]]/)
    }),
    { numRuns: cases(3, 20) },
  )
})

test('the first page says who is in the history, and later ones do not @answers-21', () => {
  const store = addGrace()
  const { context, clock } = treasury
  for (let i = 0; i < changesPerPage; i++) audit(store, clock.now, 'account.limits_set', 'account')
  actingAs(operator, () => audit(store, clock.now, 'account.suspended', 'account'))
  const first = listChanges(context, {}, null, changesPerPage)
  expect(first.actors!.map(({ id, type, name }) => [id, type, name])).toEqual([
    ['bursar', 'bursar', null],
    ['operator', 'operator', null],
    ['mem_grace', 'member', 'Grace'],
    ['owner', 'owner', null],
  ])
  expect(first.changes).toHaveLength(changesPerPage)
  expect(listChanges(context, {}, first.next, changesPerPage)).not.toHaveProperty('actors')
})

test('somebody who was removed keeps their name, and rows of nobody say so @answers-22', () => {
  const store = addGrace('A'.repeat(60))
  const { context, clock } = treasury
  actingAs(person(grace), () => audit(store, clock.now, 'account.paused', 'account'))
  actingAs({ by: '', via: null }, () => audit(store, clock.now, 'account.resumed', 'account'))
  remove(context, 'mem_grace')
  const [removed, resumed, paused] = allOf({})
  expect(removed).toMatchObject({ event: 'person.removed', kind: 'people', by: { type: 'bursar' } })
  expect(resumed!.by).toEqual({ id: 'unknown', type: 'unknown', name: null })
  expect(paused!.by).toEqual({ id: 'mem_grace', type: 'member', name: 'A'.repeat(60) })
  expect(allOf({ by: 'unknown' }).map(({ event }) => event)).toEqual(['account.resumed'])
  expect(allOf({ by: 'mem_nobody' })).toEqual([])
})

test('an account without changes has an empty history and an empty file @answers-23', async () => {
  expect(listChanges(treasury.context, {}, null, 50)).toEqual({ changes: [], next: null, actors: [] })
  expect(listChanges(treasury.context, { made: 'true' }, 7, 50)).toEqual({ changes: [], next: null })
  expect(await fileOf({})).toEqual([])
})

describe('what was added and still acts', () => {
  const made = () => allOf({ made: 'true' }, 50).map(({ event, text }) => [event, text])

  test('is listed for 30 days, until it is gone; of one webhook, what made it or what was last done to it @answers-24', () => {
    const { context, store, clock } = treasury
    const group = createGroup(context, groupInput())
    if (!group.ok) throw new Error('no group')
    const webhook = { events: '["*"]', enabled: 1, version: 1, sealed_secret: '' }
    store.insert('webhook', { ...webhook, id: 'whk_old', url: 'https://old.test/', created_at: clock.now })
    audit(store, clock.now, 'webhook.created' as never, 'whk_old', { host: 'old.test', events: ['*'] })
    clock.now += 40 * dayMs
    for (const event of ['webhook.changed', 'webhook.secret_rotated', 'webhook.changed'])
      audit(store, clock.now, event as never, 'whk_old', { host: 'old.test', events: ['*'], enabled: true })
    store.insert('webhook', { ...webhook, id: 'whk_new', url: 'https://new.test/', created_at: clock.now })
    audit(store, clock.now, 'webhook.created' as never, 'whk_new', { host: 'new.test', events: ['*'] })
    audit(store, clock.now, 'webhook.secret_rotated' as never, 'whk_new', { host: 'new.test' })
    for (const id of ['agt_1', 'agt_2']) createAgent(context, agentInput({ id, policyGroupId: group.value.id }))
    deleteAgent(context, 'agt_1')
    const hash = { kind: 'api_key', hash: 'h', endsAt: clock.now, passwordChecked: true } as const
    replaceCredential(context, 'agt_2', hash as never)
    expect(made()).toEqual([
      ['agent.credential_replaced', 'agt_2 got a new API key'],
      ['agent.created', 'agt_2 was added as an agent'],
      ['webhook.created', 'A webhook to new.test was added'],
      ['webhook.changed', 'The webhook to old.test was changed'],
    ])
    expect(allOf({ made: 'true', kind: ['webhooks'] }).map(({ kind }) => kind)).toEqual(['webhooks', 'webhooks'])
    expect(allOf({ made: 'true', by: 'owner' })).toEqual([])
    store.run("UPDATE webhook SET enabled = 0 WHERE id = 'whk_old'")
    clock.now += 30 * dayMs + 1
    expect(made()).toEqual([])
  })

  test('is found behind hundreds of things that are gone @answers-25', () => {
    const { context, clock } = treasury
    const group = createGroup(context, groupInput())
    if (!group.ok) throw new Error('no group')
    const add = (id: string) => createAgent(context, agentInput({ id, policyGroupId: group.value.id }))
    add('agt_first')
    for (let i = 0; i < 450; i++) {
      clock.now += 1
      add(`agt_${i}`)
      deleteAgent(context, `agt_${i}`)
    }
    const page = listChanges(context, { made: 'true' }, null, 50)
    expect([page.changes, page.next]).toEqual([[], expect.any(Number)])
    expect(made()).toEqual([['agent.created', 'agt_first was added as an agent']])
  })
})

test('a change of rules says which, and what they were before @answers-26', () => {
  const { context } = treasury
  const added = createGroup(
    context,
    groupInput({ name: 'Ads', spendLimit: usdc('9999999.999999'), limits: { maxPayment: usdc('0.000001') } }),
  )
  if (!added.ok) throw new Error('no group')
  const { id } = added.value
  const edit = (over: Parameters<typeof groupEdit>[0]) =>
    expect(editGroup(context, id, groupEdit({ name: 'Ads', passwordChecked: true, ...over }))).toMatchObject({
      ok: true,
    })
  const newest = () => listChanges(context, {}, null, 1).changes[0]!
  edit({ limits: { maxPayment: usdc('5'), approveNewRecipient: true } })
  expect(newest()).toMatchObject({
    text: 'The rules of Ads were changed',
    detail:
      'Maximum per payment: At most 5.00 USDC per payment. Before: At most 0.000001 USDC per payment. ' +
      'Ask me about first payments to a recipient: First payments to a recipient need approval. Before: off.',
  })
  edit({ scopes: allScopes.slice(1), spendLimit: null })
  expect(newest().detail).toBe('Its budget is without a limit, before: 9999999.999999 USDC. Removed: Address payments.')
  edit({ scopes: allScopes.slice(1), spendLimit: usdc('10') })
  topUp(context, id, usdc('5'), null, true)
  expect(newest().detail).toBe('Its budget is 15.00 USDC.')
  edit({ name: 'مجموعة الإعلانات', scopes: allScopes.slice(1), limits: { maxPayment: null } })
  expect(newest()).toMatchObject({
    text: 'The rules of مجموعة الإعلانات were changed',
    detail: 'It was called Ads. Maximum per payment: off. Before: At most 5.00 USDC per payment.',
  })
  deleteGroup(context, id)
  expect(newest()).toMatchObject({ event: 'group.deleted', detail: null, subject: null })
})

test.each([
  [{ kind: 'secrets' }, 'kind.0'],
  [{ by: '' }, 'by'],
  [{ by: 'x'.repeat(65) }, 'by'],
  [{ from: 'yesterday' }, 'from'],
  [{ from: '2026-03-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }, 'to'],
  [{ made: 'false' }, 'made'],
  [{ page: '2' }, ''],
])('the filter %j is refused at %s @answers-27', (filter, field) => {
  const result = ChangesFilter.safeParse(filter)
  expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual([field])
})
