import { expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { allow } from '../../worker/treasury/account/connections/allow.ts'
import type { AllowInput } from '../../worker/treasury/account/connections/rpcTypes.ts'
import { exchange, refresh } from '../../worker/treasury/account/connections/tokens.ts'
import { begin } from '../../worker/treasury/account/restore/begin.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'

const group = { name: 'Group', spendLimit: null, scopes: ['address_payments:write'], walletId: 'wal', contacts: [] }

/** Lets the owner allow an app, which has an agent of its own. */
function allowed({ context, clock }: MemoryTreasury, name: string, over: Partial<AllowInput['allowed']> = {}) {
  const input: AllowInput = {
    ...{ id: `con_${name}`, requestId: `request_${name}`, clientId: 'client', redirectKey: 'https://app.example/cb' },
    app: { app: { name: 'App', kind: 'registered', host: null }, destination: { type: 'loopback' } },
    allowed: {
      ...{
        redirectUri: 'https://app.example/cb',
        challenge: 'challenge',
        resource: 'mcp',
        scopes: null,
        document: null,
        mustSign: false,
      },
      agent: { type: 'new', name: 'Agent', policyGroup: { type: 'new', group } },
      ...over,
    },
    newAgent: { id: `agt_${name}`, clientId: `bc_${name}` },
    ...{ codeHash: `code ${name}`, expiresAt: clock.now + minuteMs, passwordChecked: true },
  }
  expect(allow(context, input)).toEqual({ ok: true, value: { connectionId: input.id } })
  return input
}

const exchanged = ({ context, clock }: MemoryTreasury, { id, clientId, codeHash, allowed: terms }: AllowInput) => {
  const { redirectUri, challenge, document } = terms
  const token = { hash: `token ${id}`, expiresAt: clock.now + minuteMs }
  return exchange(context, {
    ...{ connectionId: id, clientId, codeHash, redirectUri, challenge, document, resource: null },
    assertion: null,
    refresh: token,
  })
}

test('a restore ends every connection, and what was allowed but not exchanged @connect-24', () => {
  const treasury = createMemoryTreasury(10_000_000n, 10_000_000n)
  const { context, store, clock } = treasury
  const connected = allowed(treasury, 'connected')
  expect(exchanged(treasury, connected).ok).toBe(true)
  const waiting = allowed(treasury, 'waiting')
  begin(context, 'restore', clock.now)
  expect(store.all('SELECT status FROM connection')).toEqual([{ status: 'ended' }, { status: 'ended' }])
  expect([store.count('credential'), store.count('refresh_token')]).toEqual([0, 0])
  expect(exchanged(treasury, waiting)).toMatchObject({ ok: false, code: 'gone' })
  const again = {
    connectionId: connected.id,
    clientId: 'client',
    oldHash: `token ${connected.id}`,
    resource: null,
    assertion: null,
  }
  expect(refresh(context, { ...again, refresh: { hash: 'x', expiresAt: 1, seed: '' } })).toMatchObject({
    ok: false,
    code: 'gone',
  })
  treasury.close()
})

test('an exchange that is refused adds neither group nor agent, and what nobody exchanged is deleted @connect-25', () => {
  const treasury = createMemoryTreasury(10_000_000n, 10_000_000n)
  const { store, clock } = treasury
  const input = allowed(treasury, 'first')
  store.run("UPDATE wallet SET status = 'deleted'")
  const before = [store.count('policy_group'), store.count('agent')]
  expect(exchanged(treasury, input)).toMatchObject({ ok: false, code: 'gone' })
  expect([store.count('policy_group'), store.count('agent')]).toEqual(before)
  store.run("UPDATE wallet SET status = 'active'")
  expect(exchanged(treasury, input).ok, 'within the minute').toBe(true)
  const left = allowed(treasury, 'left')
  clock.now += minuteMs
  allowed(treasury, 'next')
  expect(store.connection(left.id)).toBeNull()
  treasury.close()
})

test('what is kept of spent tokens is bounded, and forgotten a day after they were exchanged @connect-29', () => {
  const treasury = createMemoryTreasury(10_000_000n, 10_000_000n)
  const { context, store, clock } = treasury
  const input = allowed(treasury, 'busy')
  expect(exchanged(treasury, input).ok).toBe(true)
  const { id: connectionId, clientId } = input
  const expiresAt = clock.now + 60 * dayMs
  let newest = `token ${connectionId}`
  let count = 0
  const renew = (oldHash: string) => {
    const next = { hash: `token ${++count}`, expiresAt, seed: 'seed' }
    return refresh(context, { connectionId, clientId, oldHash, resource: null, assertion: null, refresh: next })
  }
  const exchange = () => {
    expect(renew(newest)).toMatchObject({ ok: true, value: { successor: { seed: 'seed', at: clock.now } } })
    newest = `token ${count}`
  }
  store.run('UPDATE refresh_token SET expires_at = ?', expiresAt)
  const first = newest
  for (let i = 0; i < 1_500; i++) {
    exchange()
    clock.now += 1
  }
  expect(store.count('refresh_token')).toBeLessThanOrEqual(1_002)
  expect(renew(first), 'the oldest is forgotten').toMatchObject({ ok: false, code: 'gone' })
  clock.now += dayMs
  exchange()
  expect(store.count('refresh_token'), 'the newest, and the one that was exchanged for it').toBe(2)
  treasury.close()
})
