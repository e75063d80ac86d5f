import { encodeFunctionData } from 'viem/utils'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import type { Address, ChainId, Hex } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { unwrap } from '../../worker/result.ts'
import { signedRotation } from '../../worker/treasury/wallets/actions/calls.ts'
import { createAccountFixture } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { oneSet } from '../support/contractSets.ts'
import { ownerSignature } from '../support/ownerSigner.ts'
import { accepted, chain, createPayer, fresh, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { env, party, type WorkerChain } from '../support/workerChain.ts'
import { createApi, seed } from './apiClient.ts'

beforeAll(prepare)
beforeEach(async () => {
  for (const each of [chain, manualChain]) await each.fault({ mode: 'none' })
})

type Grant = { key: string; limit: bigint; hours: number; purchaseAllowance: number }
const grant = (payer: Payer, over: Partial<Grant> = {}) => ({
  ...over,
  key: over.key ?? `rotate-${Math.random()}`,
  walletId: payer.wallet.id,
  limit: over.limit ?? 2_500_000_000n,
  hours: over.hours ?? 48,
})
const infoOf = async (payer: Payer) => unwrap(await payer.wallets().sessionKey(payer.wallet.id))
const exposureOf = async (payer: Payer) => (await payer.wallets().list())[0]!.exposure
const rotation = async (payer: Payer, over: Partial<Grant> = {}) =>
  unwrap(await payer.wallets().rotateSessionKey(grant(payer, over)))
const ended = (payer: Payer, id: string, on: WorkerChain = chain) =>
  until(`action ${id} ended`, async () => {
    if (on === manualChain) await on.mine()
    const action = (await infoOf(payer)).actions.find((each) => each.id === id)
    return action?.endedAt && action
  })
const stateOf = (payer: Payer, on: WorkerChain = chain) =>
  new RpcChain(on.chainId as ChainId, oneSet(on.contracts), [env[`NODE_URL_${on.chainId}`]]).walletState(
    payer.wallet.address as Address,
  )
const pay = (payer: Payer, amount = '1') => accepted(payer, { amount: usdc(amount) })

describe('rotation by the provider', () => {
  test('a rotation activates a new key with the requested limit and duration, and payments continue under it @session-keys-12', async () => {
    const payer = await createPayer()
    const before = await infoOf(payer)
    expect(before).toMatchObject({ canRotate: true, isActive: true, nonce: 1, actions: [] })
    await payer.final((await pay(payer, '5')).id)
    const started = await rotation(payer)
    expect(started.actions[0]).toMatchObject({ id: started.actionId, kind: 'rotate' })
    expect(await ended(payer, started.actionId)).toMatchObject({ status: 'done', txHash: expect.any(String) })
    const after = await infoOf(payer)
    expect(after).toMatchObject({ nonce: 2, spendingLimit: '2500000000', spentAmount: '0', isActive: true })
    expect(after.address).not.toBe(before.address)
    const state = (await stateOf(payer))!
    expect(state).toMatchObject({ epoch: 2, remaining: 2_500_000_000n })
    expect(state.sessionKey.toLowerCase()).toBe(after.address.toLowerCase())
    expect(after.validUntil).toBe(state.validUntil)
    expect(await payer.final((await pay(payer, '3')).id)).toMatchObject({ status: 'CONFIRMED' })
    expect(await infoOf(payer)).toMatchObject({ spentAmount: '3000000' })
    await payer.booksBalance()
    expect(JSON.stringify(started)).not.toMatch(/sealed|private/i)
  })

  test('a rotation happens once, however many parallel requests carry one idempotency key @session-keys-13', async () => {
    const payer = await createPayer()
    const input = grant(payer, { key: 'once' })
    const all = await Promise.all(Array.from({ length: 20 }, () => payer.wallets().rotateSessionKey(input)))
    const ids = new Set(all.map((each) => (each.ok ? each.value.actionId : each.message)))
    expect(ids.size).toBe(1)
    expect(await payer.wallets().rotateSessionKey({ ...input, hours: 3 })).toMatchObject({
      ok: false,
      code: 'idempotency_key_reused',
    })
    expect(await payer.wallets().rotateSessionKey(grant(payer)), 'another one meanwhile').toMatchObject({
      ok: false,
      code: 'conflict',
    })
    await ended(payer, [...ids][0]!)
    expect((await rotation(payer, { key: 'once' })).actionId).toBe([...ids][0])
    expect(await infoOf(payer)).toMatchObject({ nonce: 2 })
  })

  test('a rotation lets payments in flight through first; none is lost and none is paid twice @session-keys-14', async () => {
    const payer = await createPayer({ limit: null })
    const to = fresh('shop')
    const one = () => payer.pay({ to: { type: 'address', address: to }, amount: usdc('1') })
    const early = await Promise.all(Array.from({ length: 12 }, one))
    const { actionId } = await rotation(payer)
    const late = await Promise.all(Array.from({ length: 8 }, one))
    const ids = [...early, ...late].map((each) => (each.ok ? each.value.payment.id : each.message))
    for (const id of ids) expect(await payer.final(id)).toMatchObject({ status: 'CONFIRMED' })
    expect(await ended(payer, actionId)).toMatchObject({ status: 'done' })
    expect(await chain.usdcBalance(to)).toBe(20_000_000n)
    expect(await payer.booksBalance()).toMatchObject({ out: '20', held: '0' })
    const info = await infoOf(payer)
    expect(info).toMatchObject({ nonce: 2, heldAmount: '0' })
    expect(BigInt(info.spentAmount), 'what was accepted meanwhile went with the new key').toBeGreaterThan(0n)
    await until('the audit', async () => (await payer.treasury().reports().auditCheck()).brokenAt === null)
  })

  test('a rotation beyond the caps of the contract needs the owner’s signature @session-keys-15', async () => {
    const payer = await createPayer({ funds: '300', limit: null })
    await ended(payer, (await rotation(payer, { limit: 10_000_000_000n })).actionId)
    // An untouched grant may be renewed: it adds nothing.
    await ended(payer, (await rotation(payer, { limit: 10_000_000_000n })).actionId)
    await payer.final((await pay(payer, '100')).id)
    expect(await payer.wallets().rotateSessionKey(grant(payer, { limit: 10_000_000_000n }))).toMatchObject({
      ok: false,
      code: 'owner_must_sign',
    })
    await ended(payer, (await rotation(payer, { limit: 9_900_000_000n })).actionId)
    expect(await infoOf(payer)).toMatchObject({ nonce: 4, spendingLimit: '9900000000' })
  })

  test('a rotation does not start if the node does not respond', async () => {
    const payer = await createPayer()
    await chain.fault({ mode: 'down' })
    expect(await payer.wallets().rotateSessionKey(grant(payer))).toMatchObject({
      ok: false,
      code: 'upstream_unavailable',
    })
    await chain.fault({ mode: 'none' })
    expect((await infoOf(payer)).actions).toEqual([])
  })

  test('a rotation whose reply is lost stays pending until the chain shows its outcome @session-keys-16', async () => {
    const payer = await createPayer()
    await chain.fault({ mode: 'swallow', methods: ['eth_sendRawTransaction'] })
    const { actionId } = await rotation(payer)
    await until('the new key on chain', async () => (await stateOf(payer))!.epoch === 2)
    await chain.fault({ mode: 'none' })
    expect(await ended(payer, actionId)).toMatchObject({ status: 'done' })
    expect(await infoOf(payer)).toMatchObject({ nonce: 2, isActive: true })
    expect(await payer.final((await pay(payer)).id)).toMatchObject({ status: 'CONFIRMED' })
  })

  test('a rotation that never reached the chain fails only once it is proven dead, and changes nothing @session-keys-17', async () => {
    const payer = await createPayer({ on: manualChain })
    await manualChain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
    const { actionId } = await rotation(payer)
    const sent = await until('signed', async () => {
      const action = (await infoOf(payer)).actions.find((each) => each.id === actionId)
      return action?.status === 'sent' && action
    })
    expect(sent.endedAt).toBeNull()
    await manualChain.node('evm_increaseTime', 400)
    expect(await ended(payer, actionId, manualChain)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('Nothing changed'),
    })
    expect(await infoOf(payer)).toMatchObject({ nonce: 1, isActive: true })
    await manualChain.fault({ mode: 'none' })
    const again = await rotation(payer)
    expect(await ended(payer, again.actionId, manualChain)).toMatchObject({ status: 'done' })
    expect(await infoOf(payer)).toMatchObject({ nonce: 2 })
  })

  test('A5: a rotation in progress does not overrule an owner who revokes the session @session-keys-18', async () => {
    const payer = await createPayer({ on: manualChain })
    await manualChain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
    const { actionId } = await rotation(payer)
    await until('signed', async () => (await infoOf(payer)).actions[0]?.status === 'sent')
    const revoke = encodeFunctionData({ abi: agentWalletAbi, functionName: 'revokeSession' })
    await manualChain.act(payer.owner.address, payer.wallet.address as Address, revoke)
    await manualChain.fault({ mode: 'none' })
    expect(await ended(payer, actionId, manualChain)).toMatchObject({ status: 'failed' })
    expect(await stateOf(payer, manualChain)).toMatchObject({ sessionRevoked: true, remaining: 0n })
    expect(await infoOf(payer)).toMatchObject({ isActive: false, canRotate: false, sessionRevoked: true })
  })
})

describe('actions that the owner signs', () => {
  const domain = (payer: Payer) => ({ chainId: 8453, contract: payer.wallet.address as Address })
  const keyOf = (payer: Payer) => party(`${payer.userId} owner`).key
  const signingContextOf = async (payer: Payer) => {
    const turn = unwrap(await payer.wallets().ownerSigningContext(payer.wallet.id))
    return { ...turn, ownerNonce: BigInt(turn.ownerNonce) }
  }
  async function act(payer: Payer, kind: 'revokeSession' | 'disableRotation', key: Hex = keyOf(payer)) {
    const { ownerNonce, deadline } = await signingContextOf(payer)
    const signature = ownerSignature(domain(payer), { kind }, { ownerNonce, deadline }, key)
    return payer.wallets().submitOwnerAction({ walletId: payer.wallet.id, kind, ownerNonce, deadline, signature })
  }
  async function renew(payer: Payer, over: Partial<Grant> = {}) {
    const offer = unwrap(await payer.wallets().offerSession(grant(payer, over)))
    const session = {
      sessionKey: offer.sessionKeyAddress as Address,
      limit: BigInt(offer.spendingLimit),
      purchaseAllowance: offer.purchaseAllowance,
      validUntil: offer.validUntil,
    }
    const { deadline } = offer
    const ownerNonce = BigInt(offer.ownerNonce)
    const signature = ownerSignature(
      domain(payer),
      { kind: 'setSession', session },
      { ownerNonce, deadline },
      keyOf(payer),
    )
    const input = {
      walletId: payer.wallet.id,
      kind: 'setSession' as const,
      actionId: offer.actionId,
      ownerNonce,
      deadline,
      signature,
    }
    return { offer, input }
  }

  test('after the owner revokes the session, only the owner can set the next one, which we then use @session-keys-19', async () => {
    const payer = await createPayer()
    await payer.lookStaysFresh()
    expect(await exposureOf(payer)).toMatchObject({ canLeave: '200' })
    const revoked = unwrap(await act(payer, 'revokeSession'))
    expect(await ended(payer, revoked.actionId)).toMatchObject({ kind: 'revokeSession', status: 'done' })
    expect(await act(payer, 'revokeSession'), 'at our cost').toMatchObject({ ok: false, code: 'conflict' })
    expect(await infoOf(payer)).toMatchObject({ isActive: false, canRotate: false, sessionRevoked: true })
    expect(await exposureOf(payer)).toMatchObject({ canLeave: '0' })
    expect(await payer.pay()).toMatchObject({ ok: false, code: 'session_key_expired' })
    expect(await payer.wallets().rotateSessionKey(grant(payer))).toMatchObject({
      ok: false,
      code: 'owner_must_sign',
    })

    const { offer, input } = await renew(payer)
    expect(await infoOf(payer), 'an offer changes nothing').toMatchObject({
      isActive: false,
      actions: [{ kind: 'revokeSession' }],
    })
    const [first, again] = await Promise.all(
      [1, 2].map(async () => unwrap(await payer.wallets().submitOwnerAction(input))),
    )
    expect(again).toEqual(first)
    expect(await ended(payer, first!.actionId)).toMatchObject({ kind: 'setSession', status: 'done' })
    const info = await infoOf(payer)
    expect(info).toMatchObject({
      isActive: true,
      canRotate: true,
      spendingLimit: '2500000000',
      validUntil: offer.validUntil,
    })
    expect(info.address.toLowerCase()).toBe(offer.sessionKeyAddress.toLowerCase())
    expect(await payer.final((await pay(payer)).id)).toMatchObject({ status: 'CONFIRMED' })
    await payer.booksBalance()
  })

  test('a purchase allowance is kept out of sends, and stays with the next session keys @session-keys-31', async () => {
    const payer = await createPayer({ limit: null, purchaseAllowance: 16 })
    await payer.lookStaysFresh()
    expect(await stateOf(payer)).toMatchObject({ remaining: 984_000_000n, purchaseAllowance: 16 })
    const started = await rotation(payer, { limit: 100_000_000n })
    expect(started.actions[0]).toMatchObject({ spendingLimit: '100000000', purchaseAllowance: 16 })
    await ended(payer, started.actionId)
    expect(await stateOf(payer)).toMatchObject({ remaining: 84_000_000n, purchaseAllowance: 16 })
    expect(await infoOf(payer)).toMatchObject({ spendingLimit: '100000000', purchaseAllowance: 16 })
    expect(await exposureOf(payer)).toMatchObject({ canLeave: '99.4', canSend: '84', agents: '84' })
    expect(await payer.pay({ amount: usdc('84.000001') })).toMatchObject({ ok: false, code: 'session_limit_exceeded' })
    expect(await payer.final((await pay(payer, '4')).id)).toMatchObject({ status: 'CONFIRMED' })

    expect(await payer.wallets().rotateSessionKey(grant(payer, { limit: 15_000_000n }))).toMatchObject({
      ...{ ok: false, code: 'invalid_input', field: 'spendingLimit' },
      message: 'Spending limit must be at least 16.00 USDC, which this wallet’s session keys set aside for purchases',
    })
    // A revoked session has no allowance on chain.
    await ended(payer, unwrap(await act(payer, 'revokeSession')).actionId)
    const { offer, input } = await renew(payer, { limit: 40_000_000n })
    expect(offer).toMatchObject({ spendingLimit: '40000000', purchaseAllowance: 16 })
    await ended(payer, unwrap(await payer.wallets().submitOwnerAction(input)).actionId)
    expect(await stateOf(payer)).toMatchObject({ remaining: 24_000_000n, purchaseAllowance: 16 })
    expect(await infoOf(payer)).toMatchObject({ spendingLimit: '40000000', purchaseAllowance: 16, spentAmount: '0' })
    await ended(payer, (await rotation(payer, { limit: 40_000_000n, purchaseAllowance: 0 })).actionId)
    expect(await stateOf(payer)).toMatchObject({ remaining: 40_000_000n, purchaseAllowance: 0 })
    await payer.booksBalance()
  })

  test('a key we offered is also used if the owner sends the transaction without us', async () => {
    const payer = await createPayer()
    await payer.lookStaysFresh()
    expect(await exposureOf(payer)).toMatchObject({ canLeave: '200' })
    const { offer } = await renew(payer)
    await payer.callWallet('setSession', [offer.sessionKeyAddress as Address, 7_000_000n, 0, offer.validUntil])
    expect(
      await until('adopted', async () => {
        const info = await infoOf(payer)
        return info.nonce === 2 && info
      }),
    ).toMatchObject({ isActive: true, spendingLimit: '7000000' })
    expect(await exposureOf(payer)).toMatchObject({ canLeave: '7' })
    expect(await payer.final((await pay(payer)).id)).toMatchObject({ status: 'CONFIRMED' })
  })

  test('with the rotation authority disabled, no call of ours changes key, limit or expiry; the session keeps working @session-keys-20', async () => {
    const payer = await createPayer()
    await payer.lookStaysFresh()
    expect(await exposureOf(payer)).toMatchObject({ canRenew: true })
    await ended(payer, unwrap(await act(payer, 'disableRotation')).actionId)
    expect(await exposureOf(payer)).toMatchObject({ canLeave: '200', canRenew: false })
    expect(await infoOf(payer)).toMatchObject({ canRotate: false, rotationDisabled: true, isActive: true })
    const before = (await stateOf(payer))!
    for (const limit of [1_000_000n, 1_000_000_000n])
      expect(await payer.wallets().rotateSessionKey(grant(payer, { limit }))).toMatchObject({
        ok: false,
        code: 'owner_must_sign',
      })
    // Tries the operator's signature and every other entry point of the wallet from an account that is not the owner's.
    const operator = `0x${env.OPERATOR_KEY_V1}` as Hex
    const key = party('thief').address
    const request = {
      key,
      limit: 1_000_000n,
      purchaseAllowance: 0,
      validUntil: before.timestamp + 3600,
      expectedEpoch: before.epoch,
      deadline: before.timestamp + 300,
    }
    const wallet = { chain_id: 8453 as const, address: payer.wallet.address as Address }
    const relayer = relayerAccount(env.RELAYER_SEED_V1, 8453, 0).address
    const calls = [
      signedRotation(wallet, request, operator),
      encodeFunctionData({ abi: agentWalletAbi, functionName: 'setSession', args: [key, 1n, 0, request.validUntil] }),
      encodeFunctionData({ abi: agentWalletAbi, functionName: 'revokeSession' }),
      encodeFunctionData({ abi: agentWalletAbi, functionName: 'initialize', args: [key, 1n, 0, request.validUntil] }),
    ]
    for (const data of calls)
      await expect(chain.node('eth_call', { from: relayer, to: wallet.address, data }, 'latest')).rejects.toThrow()
    const { sessionKey, validUntil, epoch, remaining } = (await stateOf(payer))!
    expect({ sessionKey, validUntil, epoch, remaining }).toEqual({
      sessionKey: before.sessionKey,
      validUntil: before.validUntil,
      epoch: before.epoch,
      remaining: before.remaining,
    })
    expect(await payer.final((await pay(payer)).id)).toMatchObject({ status: 'CONFIRMED' })
    const { input } = await renew(payer)
    await ended(payer, unwrap(await payer.wallets().submitOwnerAction(input)).actionId)
    expect(await infoOf(payer), 'the owner renews').toMatchObject({ nonce: 2, canRotate: false, isActive: true })
  })

  test('a signed withdrawal moves the whole balance once @session-keys-21', async () => {
    const payer = await createPayer({ funds: '42.5' })
    const { ownerNonce, deadline, balance } = await signingContextOf(payer)
    const to = fresh('home')
    const request = { kind: 'withdraw' as const, token: chain.contracts.usdc, to, amount: BigInt(balance) }
    const signature = ownerSignature(domain(payer), request, { ownerNonce, deadline }, keyOf(payer))
    const input = {
      walletId: payer.wallet.id,
      kind: 'withdraw' as const,
      to,
      amount: request.amount,
      ownerNonce,
      deadline,
      signature,
    }
    const { actionId } = unwrap(await payer.wallets().submitOwnerAction(input))
    expect(await ended(payer, actionId)).toMatchObject({ status: 'done', amount: '42.5', toAddress: to })
    expect(unwrap(await payer.wallets().submitOwnerAction(input)).actionId).toBe(actionId)
    expect(await chain.usdcBalance(to)).toBe(42_500_000n)
    expect(await payer.booksBalance()).toMatchObject({ withdrawn: '42.5', available: '0' })
  })

  test('owner actions with a foreign or expired signature or a foreign offer are refused', async () => {
    const payer = await createPayer()
    expect(await act(payer, 'revokeSession', party('stranger').key)).toMatchObject({
      ok: false,
      code: 'invalid_input',
      field: 'signature',
    })
    const { ownerNonce, deadline } = await signingContextOf(payer)
    const stale = { ownerNonce, deadline: deadline - 7200 }
    const late = ownerSignature(domain(payer), { kind: 'revokeSession' }, stale, keyOf(payer))
    expect(
      await payer
        .wallets()
        .submitOwnerAction({ walletId: payer.wallet.id, kind: 'revokeSession', ...stale, signature: late }),
    ).toMatchObject({ ok: false, code: 'unprocessable' })
    const stranger = await createPayer()
    const { input } = await renew(stranger)
    expect(await payer.wallets().submitOwnerAction({ ...input, walletId: payer.wallet.id })).toMatchObject({
      ok: false,
      code: 'not_found',
    })
    expect(await infoOf(payer)).toMatchObject({ isActive: true, actions: [] })
  })
})

describe('over HTTP @session-keys-22', () => {
  test('malformed limits, durations and signatures are refused with their field, and nothing starts @session-keys-23', async () => {
    await seed()
    const api = createApi()
    api.clock.now = Date.now()
    const { token, wallet } = await createAccountFixture(api)
    const path = `/api/wallets/smart-wallets-v2/${wallet}`
    const fine = { spendingLimit: '1000000', ttlHours: 1 }
    for (const call of ['rotate-session-key', 'session-offers'])
      for (const [change, field, text] of [
        [{ spendingLimit: '999999' }, 'spendingLimit', 'Spending limit must be at least $1'],
        [{ spendingLimit: '10000000001' }, 'spendingLimit', 'Spending limit cannot exceed $10,000'],
        [{ ttlHours: 0 }, 'ttlHours', 'Duration must be at least 1 hour'],
        [{ ttlHours: 0.5 }, 'ttlHours', 'Duration must be at least 1 hour'],
        [{ ttlHours: 2161 }, 'ttlHours', 'Duration cannot exceed 2160 hours (90 days)'],
        ...[1_000_000, '1e6', '-1', '1.5', '', null, '9'.repeat(17)].map(
          (spendingLimit) => [{ spendingLimit }, 'spendingLimit', 'micro-USDC'] as const,
        ),
        ...['1', null, Number.MAX_SAFE_INTEGER, {}].map((ttlHours) => [{ ttlHours }, 'ttlHours', ''] as const),
        ...['1', null, 0.5, -1, {}, Number.MAX_SAFE_INTEGER + 1].map(
          (purchaseAllowance) => [{ purchaseAllowance }, 'purchaseAllowance', 'whole number of USDC'] as const,
        ),
        [{ purchaseAllowance: 2 }, 'purchaseAllowance', 'Purchase allowance cannot exceed the spending limit'],
      ] as const) {
        const answer = await api.call('POST', `${path}/${call}`, { token, body: { ...fine, ...change } })
        expect(answer.status, answer.text).toBe(400)
        expect(answer.json, answer.text).toMatchObject({ code: 'invalid_input', field })
        expect(answer.json.error).toContain(text)
      }
    for (const [purchaseAllowance, text] of [
      [1_001, 'Purchase allowance cannot exceed the spending limit'],
      [-1, 'Purchase allowance must be a whole number of USDC'],
    ] as const) {
      const body = { ownerAddress: party('x').address, chainId: 8453, purchaseAllowance }
      const answer = await api.call('POST', '/api/wallets/smart-wallets-v2/deploy', { token, body })
      expect([answer.status, answer.json.error, answer.json.field]).toEqual([400, text, 'purchaseAllowance'])
    }
    const revoke = {
      kind: 'revokeSession',
      ownerNonce: '0',
      deadline: 2_000_000_000,
      signature: `0x${'11'.repeat(64)}1b`,
    }
    for (const [change, status, code] of [
      [{ kind: 'drain' }, 400, 'invalid_input'],
      [{ signature: '0x12' }, 400, 'invalid_input'],
      [{ ownerNonce: -1 }, 400, 'invalid_input'],
      [{ deadline: 'soon' }, 400, 'invalid_input'],
      [{ kind: 'withdraw', to: '0x12', amount: '1' }, 400, 'invalid_input'],
      [{ kind: 'withdraw', to: party('x').address, amount: '1.5' }, 400, 'invalid_input'],
      [{ kind: 'withdraw', to: party('x').address, amount: '0' }, 400, 'invalid_input'],
      // A high s, the other form of the same signature.
      [{ signature: `0x${'11'.repeat(32)}${'ff'.repeat(32)}1b` }, 400, 'invalid_input'],
      [{}, 422, 'unprocessable'], // its deadline is years away
    ] as const) {
      const answer = await api.call('POST', `${path}/owner-actions`, { token, body: { ...revoke, ...change } })
      expect(answer.json, answer.text).toMatchObject({ code })
      expect(answer.status, answer.text).toBe(status)
    }
    const info = await api.call('GET', `${path}/session-key`, { token })
    expect(info.json.data).toMatchObject({ nonce: 1, actions: [] })

    const started = await api.call('POST', `${path}/rotate-session-key`, {
      token,
      body: fine,
      key: 'r1',
    })
    expect(started.status, started.text).toBe(202)
    const offer = await api.call('POST', `${path}/session-offers`, { token, body: fine })
    const texts = [started.text, offer.text]
    for (const url of [`${path}/session-key`, `${path}/owner-signing-context`, '/api/wallets'])
      texts.push((await api.call('GET', url, { token })).text)
    const ours = [
      started.json.data.address,
      started.json.data.actions[0].sessionKeyAddress,
      offer.json.data.sessionKeyAddress,
    ]
    for (const text of texts) {
      expect(text).not.toMatch(/sealed|private/i)
      for (const [word] of text.matchAll(/[0-9a-f]{64}/gi))
        expect(
          ours.map((address) => address.toLowerCase()),
          'no session key crosses the wire',
        ).not.toContain(addressOf(`0x${word}`).toLowerCase())
    }
  })
})
