import { encodeFunctionData, keccak256, toHex } from 'viem/utils'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { usdcAbi } from '../../worker/chain/abi.ts'
import { authorizationNonce } from '../../worker/chain/authorization.ts'
import { keccak, packWords } from '../../worker/chain/digests.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import type { Hex } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { unwrap } from '../../worker/result.ts'
import type { ImportInput } from '../../worker/treasury/wallets/rpcTypes.ts'
import { toEmail, usdc } from '../support/build.ts'
import { createImporter, type Importer, masterPassword } from '../support/importer.ts'
import { kill } from '../support/kill.ts'
import { becomes, look, lookUntil, pass, settlesAs } from '../support/manualClock.ts'
import { chain, fresh, manualChain, prepare } from '../support/payer.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'
import { env, type Party, party } from '../support/workerChain.ts'

beforeAll(prepare)
afterEach(() => manualChain.fault({ mode: 'none' }))

/** Imports the wallet of this key on Base. */
const importWallet = (user: Importer, { address, key: privateKey }: Party, over: Partial<ImportInput> = {}) => {
  const wallet = { address, chainId: 8453, policyGroupId: null, privateKey } as const
  return user.wallets().importWallet({ key: null, name: null, masterPassword, ...wallet, ...over })
}
const send = async (user: Importer, over = {}) => unwrap(await user.treasury().send(user.payment(over)))

describe('adding an imported wallet @imported-1', () => {
  test('importing a wallet books its current balance, and shows neither key nor session', async () => {
    const user = await createImporter({ funds: '42.5' })
    expect(user.wallet).toMatchObject({
      walletType: 'imported',
      status: 'active',
      chain: 'base',
      address: user.holder.address,
      usdcBalance: { balance: '42.5' },
      exposure: { canLeave: '42.5', agents: '0', canRenew: false },
    })
    expect(await user.booksBalance()).toMatchObject({ deposits: '42.5', available: '42.5' })
    expect(JSON.stringify(await user.wallets().list())).not.toContain(user.holder.key.slice(2))
  })

  test('the object’s storage contains an imported key only sealed', async () => {
    const user = await createImporter()
    const dump = await inTreasury(user, (object) => {
      const { store } = object.context
      const tables = store.all<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      return JSON.stringify(tables.map(({ name }) => store.all(`SELECT * FROM "${name}"`)))
    })
    expect(dump).toContain(user.wallet.id)
    expect(dump.toLowerCase()).not.toContain(user.holder.key.slice(2).toLowerCase())
    expect(dump).not.toContain(masterPassword)
  })

  test('a key of another address, a zero key and a key above the curve’s order are refused with their field @imported-2', async () => {
    const user = await createImporter()
    for (const privateKey of [party('other').key, `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`] as Hex[])
      expect(await importWallet(user, { address: party('mine').address, key: privateKey })).toMatchObject({
        ok: false,
        code: 'invalid_input',
        field: 'privateKey',
      })
  })

  test('importing an account with code is refused @imported-3', async () => {
    const user = await createImporter()
    const holder = party('delegated')
    await chain.node('anvil_setCode', holder.address, '0xef0100d8da6bf26964af9d7eed9e03e53415d37aa96045')
    const refused = { ok: false, code: 'invalid_input', field: 'address' }
    expect(await importWallet(user, holder)).toMatchObject(refused)
  })

  test('one address can be imported once per chain, and again after its wallet is deleted', async () => {
    const user = await createImporter()
    const again = { holder: user.holder, userId: user.userId, funds: '0' }
    await expect(createImporter(again)).rejects.toThrow('This wallet is already in your account.')
    const other = await createImporter({ ...again, on: manualChain })
    expect(other.wallet).toMatchObject({ chain: 'base-sepolia', address: user.holder.address })
    expect(await user.wallets().delete(user.wallet.id, true)).toMatchObject({ ok: true })
    const back = await createImporter(again)
    expect(back.wallet.id).not.toBe(user.wallet.id)
    expect(await back.booksBalance()).toMatchObject({ deposits: '100' })
  })

  test('imports that repeat an idempotency key add one wallet, even in parallel', async () => {
    const user = await createImporter()
    const holder = party(`${user.userId} second`)
    const named = (name: string) => importWallet(user, holder, { key: 'import-1', name })
    const answers = await Promise.all(Array.from({ length: 5 }, () => named('Second')))
    expect(new Set(answers.map((answer) => (answer.ok ? answer.value.id : answer.message))).size).toBe(1)
    expect(await user.wallets().list()).toHaveLength(2)
    expect(await named('Third')).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('an idempotency key is refused with another master password, even if both requests run in parallel', async () => {
    const user = await createImporter({ funds: '0' })
    const holder = party(`${user.userId} second`)
    const under = (password: string) =>
      importWallet(user, holder, { key: 'import-2', name: 'Second', masterPassword: password })
    const [first, second] = await Promise.all([under(masterPassword), under('another password')])
    expect([first.ok, second.ok].filter(Boolean)).toHaveLength(1)
    const [right, wrong] = first.ok ? [masterPassword, 'another password'] : ['another password', masterPassword]
    expect(await under(wrong)).toMatchObject({ ok: false, code: 'idempotency_key_reused' })
    const again = unwrap(await under(right))
    expect(await user.wallets().viewPrivateKey(again.id, right)).toMatchObject({ ok: true })
    expect(await user.wallets().delete(again.id, true)).toMatchObject({ ok: true })
    expect(await under(right), 'the key still returns its wallet after deletion').toMatchObject({
      ok: true,
      value: { id: again.id },
    })
  })

  test('imported wallets count toward the limit of six wallets', async () => {
    const user = await createImporter({ funds: '0' })
    for (let i = 2; i <= 6; i++)
      await createImporter({ funds: '0', userId: user.userId, holder: party(`${user.userId} ${i}`) })
    await expect(
      createImporter({ funds: '0', userId: user.userId, holder: party(`${user.userId} 7`) }),
    ).rejects.toThrow('maximum of 6 active wallets')
    expect(
      await user.wallets().deploy({ key: null, owner: party('o').address, chainId: 8453, name: null }),
    ).toMatchObject({ ok: false, message: expect.stringContaining('maximum of 6 active wallets') })
  })
})

describe.each([
  ['Base', chain],
  ['Base Sepolia', manualChain],
])('paying from an imported wallet on %s @imported-4', (_, on) => {
  const settled = async (user: Importer, id: string) => {
    if (on === manualChain) await becomes(user, id, 'CONFIRMED')
    return user.final(id)
  }

  test('an authorization moves the money once and the books agree with the chain', async () => {
    const user = await createImporter({ on })
    const to = fresh('shop')
    const sent = await send(user, { to: { type: 'address', address: to }, amount: usdc('12.345678') })
    expect(await settled(user, sent.id)).toMatchObject({ status: 'CONFIRMED', amountUsdc: '12.345678' })
    expect(await on.usdcBalance(to)).toBe(12_345_678n)
    expect(await user.booksBalance()).toMatchObject({ out: '12.345678', held: '0', available: '87.654322' })
    expect(await user.treasury().reports().auditCheck()).toMatchObject({ brokenAt: null })
  })

  test('parallel sends that together exceed the balance are accepted only as far as it covers them', async () => {
    const user = await createImporter({ on, funds: '5' })
    const to = fresh('many')
    const results = await Promise.all(
      Array.from({ length: 12 }, () =>
        user.treasury().send(user.payment({ to: { type: 'address', address: to }, amount: usdc('1') })),
      ),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(5)
    for (const result of results) {
      if (result.ok) await settled(user, result.value.id)
      else expect(result.code).toBe('insufficient_balance')
    }
    expect(await on.usdcBalance(to)).toBe(5_000_000n)
    expect(await user.booksBalance()).toMatchObject({ out: '5', available: '0' })
  })
})

describe('settling payments of an imported wallet @imported-5', () => {
  test('a transfer by the key’s holder is booked as a withdrawal, not as a payment', async () => {
    const user = await createImporter({ on: manualChain })
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [fresh('elsewhere'), 30_000_000n] })
    await manualChain.act(user.holder.address, manualChain.contracts.usdc, data)
    await manualChain.mine(2)
    expect(await user.booksBalance()).toMatchObject({ withdrawn: '30', available: '70' })
  })

  test('a payout is funded and reclaimed, and its amount is returned to the wallet', async () => {
    const user = await createImporter()
    const payment = user.payment({ to: toEmail('x@example.com'), amount: usdc('7') })
    const { escrowId: id } = unwrap(await user.treasury().createPayout(payment))
    await user.payoutBecomes(id, 'CREATED')
    expect(await user.booksBalance()).toMatchObject({ escrowed: '7', out: '7' })
    expect(await user.treasury().reclaim(id)).toMatchObject({ ok: true })
    await user.payoutBecomes(id, 'RECLAIMED')
    expect(await user.booksBalance()).toMatchObject({ returns: '7', available: '100' })
  })

  test('a payment survives a kill of its Treasury between acceptance and delivery', async () => {
    const user = await createImporter({ on: manualChain })
    await manualChain.fault({ mode: 'down' })
    const to = fresh('after restart')
    const sent = await send(user, { to: { type: 'address', address: to }, amount: usdc('3') })
    await kill(user.treasury())
    await manualChain.fault({ mode: 'none' })
    await becomes(user, sent.id, 'CONFIRMED')
    expect(await manualChain.usdcBalance(to)).toBe(3_000_000n)
    await user.booksBalance()
  })

  test('a payment whose authorization is cancelled fails once that is final, and its amount is released @imported-8', async () => {
    const user = await createImporter({ on: manualChain })
    // The relayer cannot send, so the holder cancels first.
    await manualChain.node('anvil_setBalance', relayer(), '0x0')
    const to = fresh('never')
    const sent = await send(user, { to: { type: 'address', address: to }, amount: usdc('9') })
    await settlesAs(user, sent.id, 'PROCESSING')
    await cancel(user, sent.id)
    await look(user)
    expect(await user.status(sent.id), 'not final yet').toBe('PROCESSING')
    await manualChain.mine(70)
    await settlesAs(user, sent.id, 'FAILED')
    await manualChain.giveEther(relayer(), 10n ** 20n)
    const found = await user.treasury().transaction(sent.id)
    expect(found.ok && found.value.errorMessage).toContain('cancelled')
    expect(await manualChain.usdcBalance(to)).toBe(0n)
    expect(await user.booksBalance()).toMatchObject({ held: '0', available: '100' })
  })

  test('an authorization that never reaches the chain is re-signed under the same nonce, then fails and is released', async () => {
    const user = await createImporter({ on: manualChain })
    await manualChain.node('anvil_setBalance', relayer(), '0x0')
    const sent = await send(user, { amount: usdc('9') })
    const row = () =>
      inTreasury(user, (object) => {
        const { authorization, sig_version } = object.context.store.payment(sent.id)!
        return { authorization, sig_version }
      })
    await lookUntil(user, 'signed', async () => (await row()).sig_version > 0)
    const first = await row()
    expect(first.authorization).toBe(authorizationNonce(sent.id))
    await pass(280)
    await lookUntil(user, 'signed again', async () => (await row()).sig_version > first.sig_version)
    expect(await row()).toEqual({ ...first, sig_version: first.sig_version + 1 })
    await setClock(user, () => Date.now() + 16 * minuteMs)
    await pass(400)
    await manualChain.mine(70)
    await settlesAs(user, sent.id, 'FAILED')
    await manualChain.giveEther(relayer(), 10n ** 20n)
    expect(await user.booksBalance()).toMatchObject({ held: '0', available: '100' })
  })

  test('nothing is signed while the account has code; payments resume once it has none @imported-6', async () => {
    const user = await createImporter({ on: manualChain })
    const later = (ms: number) => setClock(user, () => Date.now() + ms)
    await manualChain.node('anvil_setCode', user.holder.address, '0xef0100d8da6bf26964af9d7eed9e03e53415d37aa96045')
    await later(31_000)
    const sent = await send(user, { amount: usdc('2') })
    await look(user)
    expect(await user.status(sent.id)).toBe('QUEUED')
    expect(await user.treasury().send(user.payment())).toMatchObject({ ok: false, code: 'wallet_not_ready' })
    expect((await user.wallets().list())[0]).toMatchObject({ halted: 'code', exposure: { agents: '0' } })
    await manualChain.node('anvil_setCode', user.holder.address, '0x')
    await later(62_000)
    await becomes(user, sent.id, 'CONFIRMED')
    await user.booksBalance()
  })
})

describe('viewing an imported key @imported-7', () => {
  test('viewing a key needs the master password; five wrong ones lock it for fifteen minutes, even for the right one', async () => {
    const user = await createImporter({ funds: '0' })
    const view = (password: string) => user.wallets().viewPrivateKey(user.wallet.id, password)
    expect(await view(masterPassword)).toEqual({ ok: true, value: { privateKey: user.holder.key } })
    for (let i = 0; i < 5; i++)
      expect(await view(`wrong ${i}`)).toMatchObject({
        ok: false,
        message: 'Invalid master password or failed to retrieve private key.',
      })
    expect(await view(masterPassword)).toMatchObject({
      ok: false,
      code: 'rate_limited',
      message: 'Too many attempts. Try again in 15 minutes.',
    })
    await setClock(user, () => Date.now() + 15 * minuteMs + 1)
    expect(await view(masterPassword)).toMatchObject({ ok: true })
  })

  test('five of forty parallel guesses of the master password are evaluated @imported-9', async () => {
    const user = await createImporter({ funds: '0' })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => user.wallets().viewPrivateKey(user.wallet.id, `guess ${i}`)),
    )
    const codes = answers.map((answer) => (answer.ok ? 'seen' : answer.code))
    expect(codes.filter((code) => code === 'unprocessable')).toHaveLength(5)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(35)
  })

  test('master passwords are compared after Unicode normalization; a smart wallet has no key to show', async () => {
    const user = await createImporter({ funds: '0' })
    const holder = party(`${user.userId} accents`)
    const added = unwrap(await importWallet(user, holder, { masterPassword: 'cafe\u0301 password' }))
    expect(await user.wallets().viewPrivateKey(added.id, 'caf\u00e9 password')).toMatchObject({ ok: true })
    const smart = unwrap(
      await user.wallets().deploy({ key: null, owner: party('owner').address, chainId: 8453, name: null }),
    )
    expect(await user.wallets().viewPrivateKey(smart.id, masterPassword)).toMatchObject({
      code: 'not_found',
    })
  })
})

const relayer = () => relayerAccount(env.RELAYER_SEED_V1, manualChain.chainId, 0).address

async function cancel(user: Importer, paymentId: string): Promise<void> {
  const nonce = authorizationNonce(paymentId)
  const { usdc: token } = manualChain.contracts
  const struct = keccak(
    packWords(keccak256(toHex('CancelAuthorization(address authorizer,bytes32 nonce)')), user.holder.address, nonce),
  )
  const separatorCall = encodeFunctionData({ abi: usdcAbi, functionName: 'DOMAIN_SEPARATOR' })
  const separator = await manualChain.node<Hex>('eth_call', { to: token, data: separatorCall }, 'latest')
  const digest = keccak256(`0x1901${separator.slice(2)}${struct.slice(2)}`)
  const { r, vs } = signCompact(digest, user.holder.key)
  const word = BigInt(vs)
  const v = 27 + Number(word >> 255n)
  const s = toHex(word & ((1n << 255n) - 1n), { size: 32 })
  const data = encodeFunctionData({
    abi: usdcAbi,
    functionName: 'cancelAuthorization',
    args: [user.holder.address, nonce, v, r, s],
  })
  await manualChain.act(party('anybody').address, token, data)
}
