/** Lists of an account with as many groups, agents and whitelisted contacts as it may have. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { maxAgents, maxGroups } from '#domain/policy.ts'
import { unwrap } from '../../worker/result.ts'
import { listAgents, listGroups } from '../../worker/treasury/policies/views.ts'
import { contactsOf, whitelistOf } from '../../worker/treasury/policies/whitelist.ts'
import { createAgent } from '../../worker/treasury/reports/changes/agents.ts'
import { createGroup } from '../../worker/treasury/reports/changes/groups.ts'
import { groupInput } from '../support/build.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'

let treasury: MemoryTreasury
beforeEach(() => {
  treasury = createMemoryTreasury(100_000_000n, 100_000_000n)
})
afterEach(() => treasury.close())

const addGroup = (contacts: number) =>
  createGroup(
    treasury.context,
    groupInput({
      contacts: Array.from({ length: contacts }, (_, i) => ({
        ...{ id: `con_${i}`, name: `${'n'.repeat(90)} ${i}` },
        ...{ address: null, email: `c${i}@example.com`, phone: null },
      })),
    }),
  )

test('a list of groups has the first contacts of each, those that changed before the others @safety-12', async () => {
  for (let i = 0; i < 3; i++) unwrap(addGroup(10_000))
  const { store } = treasury.context
  store.run("UPDATE whitelist SET stale = 1 WHERE contact_id IN ('con_7777', 'con_8888')")
  const groups = await listGroups(treasury.context)
  expect(JSON.stringify(groups).length).toBeLessThan(groups.length * 10_000)
  const [{ policyGroup }] = groups as [(typeof groups)[0]]
  expect([policyGroup.whitelistedContacts.length, policyGroup.whitelistedCount]).toEqual([20, 10_000])
  const ids = policyGroup.whitelistedContacts.map(({ contact }) => contact.id)
  expect(ids.slice(0, 2)).toEqual(['con_7777', 'con_8888'])
  expect(whitelistOf(store, policyGroup.id)).toMatchObject({
    whitelistedCount: 10_000,
    whitelistedContacts: { length: 100 },
  })
  expect(contactsOf(store, policyGroup.id, 'C123@')).toEqual({
    contacts: [expect.objectContaining({ id: 'con_123', stale: false })],
    contactsTotal: 1,
  })
})

test('an account has at most 200 groups and 500 agents, which are listed in turns @safety-24', async () => {
  const created = Array.from({ length: maxGroups }, () => addGroup(0))
  const { id } = unwrap(created.at(-1)!)
  expect(addGroup(0)).toMatchObject({ ok: false, code: 'conflict' })
  const addAgent = (i: number) =>
    createAgent(treasury.context, {
      ...{ key: null, id: `agt_${i}`, name: 'A', memo: null, policyGroupId: id },
      ...{ clientId: `bc_${i}`, secretHash: `s${i}`, apiKeyHash: `k${i}` },
    })
  for (let i = 0; i < maxAgents; i++) unwrap(addAgent(i))
  expect(addAgent(maxAgents)).toMatchObject({ ok: false, code: 'conflict' })
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setTimeout(resolve))
  })()
  const [groups, agents] = [await listGroups(treasury.context), await listAgents(treasury.context)]
  isOver = true
  await others
  expect([groups.length, agents.length]).toEqual([maxGroups, maxAgents])
  expect(turns, 'turns of others').toBeGreaterThan(20)
})
