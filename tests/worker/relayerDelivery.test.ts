import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import type { ContractSets, Hex } from '../../worker/chain/types.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import {
  attempts,
  becomes,
  chain,
  contentsByNonce,
  inTreasury,
  recipient,
  relayer,
  report,
  sequence,
  settle,
  setUpRelayers,
  submitSend,
  transaction,
  unique,
  until,
  wallet,
} from './relayerHarness.ts'

setUpRelayers()

describe('delivery', () => {
  test('a single send goes directly to its wallet, and the Treasury receives the reports', async () => {
    const user = unique('lone')
    const job = await chain.createSend(await wallet('lone'), { to: recipient('lone'), userId: user })
    expect(await relayer().submit([job])).toEqual({ accepted: [job.id], refused: [] })
    const sent = await relayer().wait(job.id, 3_000)
    expect(sent?.state).toBe('broadcast')
    expect((await transaction(sent?.txHash)).to).toBe(job.target.toLowerCase())

    const received = (state: string) =>
      until(`the Treasury receives ${state}`, () =>
        inTreasury(user, (treasury) => treasury.received.find((report) => report.state === state)),
      )
    expect(await received('broadcast')).toEqual({ id: job.id, state: 'broadcast', txHash: sent?.txHash })

    await settle()
    const { gasUsed, blockNumber } = await chain.node<{ gasUsed: Hex; blockNumber: Hex }>(
      'eth_getTransactionReceipt',
      sent?.txHash,
    )
    expect(await report(job.id)).toEqual({
      ...{ id: job.id, state: 'mined', txHash: sent?.txHash },
      gasUsed: Number(gasUsed),
      block: Number(blockNumber),
    })
    const { logs, ...mined } = (await received('mined'))!
    expect(mined).toEqual(await report(job.id))
    expect(
      logs!.map(({ address }) => address),
      'its nonce, and the transfer',
    ).toEqual([job.target, chain.contracts.usdc].map((address) => address.toLowerCase()))
    expect(await chain.usdcBalance(recipient('lone'))).toBe(2_500_000n)
  })

  test('three jobs that wait while one is in flight share a transaction through the Relay contract', async () => {
    const wallets = await sequence(4, (i) => wallet(`w${i}`))
    const jobs = await sequence(4, (i) => chain.createSend(wallets[i]!, { userId: `u${i}`, to: recipient(`r${i}`) }))
    await relayer().submit([jobs[0]!])
    await becomes(jobs[0]!.id, 'broadcast')
    await relayer().submit(jobs.slice(1))
    const hashes = await Promise.all(jobs.map(async ({ id }) => (await becomes(id, 'broadcast')).txHash))
    expect(new Set(hashes.slice(1)).size).toBe(1)
    expect((await transaction(hashes[1])).to).toBe(chain.contracts.relay.toLowerCase())

    await settle()
    for (const i of [0, 1, 2, 3]) expect(await chain.usdcBalance(recipient(`r${i}`))).toBe(2_500_000n)
  })

  test('a job submitted while a transaction is in flight is sent alone after 300 ms', async () => {
    const from = await wallet('two')
    const [first, second] = await sequence(2, (i) => chain.createSend(from, { sequence: i }))
    await relayer().submit([first!])
    await becomes(first!.id, 'broadcast')
    await relayer().submit([second!])
    expect((await report(second!.id)).state).toBe('waiting')
    expect((await relayer().wait(second!.id, 3_000))?.state).toBe('broadcast')
    await settle()
  })

  test('many sends of one wallet, submitted in reverse order, all arrive', async () => {
    const from = await wallet('many')
    const jobs = await sequence(60, (i) =>
      chain.createSend(from, { sequence: i, amount: 1_000n, to: recipient('many') }),
    )
    await relayer().submit(jobs.toReversed())
    await settle()
    expect(await chain.usdcBalance(recipient('many'))).toBe(60_000n)
    expect((await contentsByNonce()).length).toBeLessThanOrEqual(3)
  })

  test('calls of other kinds share a transaction too', async () => {
    const jobs = await sequence(3, async (i): Promise<RelayJob> => {
      const { target, data, deadline } = await chain.createSend(await wallet(`call${i}`), { to: recipient(`call${i}`) })
      return { id: unique(`call ${i}`), userId: `u${i}`, kind: 'announce', target, data, deadline }
    })
    await relayer().submit(jobs)
    await settle()
    expect(await contentsByNonce()).toHaveLength(1)
    for (const i of [0, 1, 2]) expect(await chain.usdcBalance(recipient(`call${i}`))).toBe(2_500_000n)
  })

  test('a job with less than 60 s left is dropped', async () => {
    const job = await submitSend('late', { lifeSeconds: 59 })
    expect(await becomes(job.id, 'dropped')).toMatchObject({ reason: 'too little time left' })
    expect(await attempts()).toEqual([])
  })

  test('each contract set has its own batches and Relay contract, even if the setting changes before they are mined @sets-7', async () => {
    const first = chain.contracts
    const second = { ...first, relay: recipient('second relay') }
    await chain.node('anvil_setCode', second.relay, await chain.node('eth_getCode', first.relay, 'latest'))
    const showSets = (sets: ContractSets['sets']) =>
      runInDurableObject(relayer(), ({ chains }: Relayer) => {
        ;(chains[84532] as { contractSets: ContractSets }).contractSets = { newest: 1, sets }
      })
    await showSets({ 1: first, 2: second })
    // The last two name a set that the setting lacks.
    const sets = [1, 1, 1, 1, 2, 2, 2, 3, 3]
    const jobs = await sequence(sets.length, async (i): Promise<RelayJob> => {
      const job = await chain.createSend(await wallet(`s${i}`), { userId: `u${i}`, to: recipient(`s${i}`) })
      return { ...job, contractSet: sets[i]! }
    })
    await relayer().submit([jobs[0]!])
    await becomes(jobs[0]!.id, 'broadcast')
    await relayer().submit(jobs.slice(1))
    const sent = await Promise.all(jobs.map(async ({ id }) => transaction((await becomes(id, 'broadcast')).txHash)))
    expect(sent.map(({ to }) => to)).toEqual(
      [jobs[0]!.target, first.relay, first.relay, first.relay, second.relay, second.relay, second.relay]
        .concat(jobs[7]!.target, jobs[8]!.target)
        .map((to) => to.toLowerCase()),
    )

    // One job of the second set's batch fails on chain, after that set was removed from the setting.
    await chain.node('anvil_setCode', jobs[5]!.target, '0x60006000fd')
    await showSets({ 1: first })
    await settle()
    expect((await report(jobs[5]!.id)).state).toBe('parked')
    for (const [i, { id }] of jobs.entries()) if (i !== 5) expect((await report(id)).state, `${i}`).toBe('mined')
  })
})
