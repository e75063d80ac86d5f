/** Recipients that an attacker chooses: what is stored about them, for which chain, and after which lookup. */
import { expect, test } from 'vitest'
import { parseUsdc } from '#domain/money.ts'
import type { Address } from '../../worker/chain/types.ts'
import type { PayInput, Recipient } from '../../worker/treasury/api.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { createAgent } from '../../worker/treasury/policies/agents.ts'
import { createGroup } from '../../worker/treasury/policies/groups.ts'
import { confirmContact, contactChanged } from '../../worker/treasury/policies/whitelist.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

const usdc = (text: string) => parseUsdc(text)!
const address = (n: number): Address => `0x${n.toString(16).padStart(40, '9')}`

function createGroupWithAgent(limit: string) {
  const memory = createMemoryTreasury(usdc('1000'), usdc('1000'))
  const { context } = memory
  const group = createGroup(context, {
    key: null,
    name: 'Group',
    spendLimit: usdc(limit),
    scopes: ['address_payments:write', 'contact_payments:write'],
    walletId: 'wal',
    contacts: [{ id: 'con_1', name: 'Ada', address: address(1), email: null, phone: null }],
  })
  if (!group.ok) throw new Error(group.message)
  const agent = { id: 'agt_1', name: 'A', memo: null, policyGroupId: group.value.id, clientId: 'bc_1' }
  createAgent(context, { key: null, ...agent, secretHash: 's', apiKeyHash: 'k' })
  let keys = 0
  const input = (to: Recipient): PayInput => ({
    principal: { type: 'agent', agentId: 'agt_1', credentialHash: 'k' },
    key: `key-${++keys}`,
    walletId: null,
    to,
    amount: usdc('5'),
    memo: null,
  })
  return { ...memory, groupId: group.value.id, input }
}
const prepared = (over: Partial<Gathered> = {}): Gathered => ({
  draft: null,
  lookup: null,
  refreshed: true,
  grants: {},
  ...over,
})

test('B4: refused payments store nothing about their recipients, however many there are @threats-11', () => {
  const { context, store, input } = createGroupWithAgent('1')
  const sizes = () => store.first<{ n: number }>('SELECT count(*) AS n FROM known_recipient')!.n
  for (let n = 10; n < 200; n++) {
    const request = input({ type: 'address', address: address(n) })
    accept(context, request, prepared())
    expect(accept(context, request, prepared({ lookup: { address: address(n), found: 'clear' } }))).toMatchObject({
      ok: false,
      code: 'budget_exceeded',
    })
  }
  expect(sizes()).toBe(0)
})

test('a lookup on one chain is not used for another chain', () => {
  const { context, store, input } = createGroupWithAgent('100')
  const sepolia = context.chains[84532]
  const theirs = address(77)
  // An address that means nothing on Base Sepolia but is USDC itself on Base.
  ;(context.chains[8453].contractSets.sets[1] as { usdc: Address }).usdc = theirs
  store.run("UPDATE wallet SET chain_id = 84532 WHERE id = 'wal'")
  expect(sepolia.usdc).not.toBe(theirs)
  const to = { type: 'address', address: theirs } as const
  const lookedUp = prepared({ lookup: { address: theirs, found: 'clear' } })
  accept(context, input(to), lookedUp)
  store.run("UPDATE wallet SET chain_id = 8453 WHERE id = 'wal'")
  expect(accept(context, input(to), lookedUp)).toMatchObject({ ok: false, code: 'invalid_input' })
})

test('a contact confirmed at a new address while the old one is being looked up is looked up at the new one', () => {
  const { context, input, groupId } = createGroupWithAgent('100')
  const request = input({ type: 'contact', contactId: 'con_1' })
  expect(accept(context, request, prepared())).toMatchObject({ need: 'lookup', address: address(1) })
  const moved = { address: address(2), email: null, phone: null }
  contactChanged(context, 'con_1', moved)
  expect(confirmContact(context, groupId, 'con_1', moved)).toMatchObject({ ok: true })
  const old = prepared({ lookup: { address: address(1), found: 'clear' } })
  expect(accept(context, request, old)).toMatchObject({ need: 'lookup', address: address(2) })
})
