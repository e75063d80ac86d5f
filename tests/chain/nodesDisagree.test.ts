/** Two nodes, one of which lies: releasing a payment needs both. */
import { afterAll, expect, test } from 'vitest'
import { serve } from '../../local/standIns/server.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { type Address, type Chain, RpcUnavailable } from '../../worker/chain/types.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import type { PaymentRow, WalletRow } from '../../worker/treasury/core/storage/rows.ts'
import { findNonceLog } from '../../worker/treasury/settlement/release.ts'
import { oneSet } from '../support/contractSets.ts'
import { startLocalChain } from '../support/localChain.ts'

const local = await startLocalChain()
await local.mint(`0x${'ab'.repeat(20)}`, 1n)
afterAll(() => local.stop())

type Call = { id: number; method: string; params: unknown[] }
type Answer = { id: number; result: Record<string, unknown> }

/** Starts a node that returns the real node's replies, except for a false finalized block. */
function startLyingNode(lie: Record<string, string>) {
  return serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(local.url, { method: 'POST', headers, body })).json()
    const calls = [JSON.parse(body)].flat() as Call[]
    const answers = ([answer].flat() as Answer[]).map((each) => {
      const call = calls.find(({ id }) => id === each.id)
      return call?.params[0] === 'finalized' ? { ...each, result: { ...each.result, ...lie } } : each
    })
    response.end(JSON.stringify(Array.isArray(answer) ? answers : answers[0]))
  })
}

test('a finalized block is not used if the nodes disagree on its time @nodes-1', async () => {
  const liar = await startLyingNode({ number: '0x1', timestamp: '0xffffffff' })
  for (const urls of [
    [liar.url, local.url],
    [local.url, liar.url],
  ])
    await expect(new RpcChain(8453, oneSet(local.contracts), urls).finalized()).rejects.toThrow(RpcUnavailable)
  const honest = await new RpcChain(8453, oneSet(local.contracts), [local.url, local.url]).finalized()
  expect(honest.timestamp).toBeLessThanOrEqual(await local.now())
  await liar.stop()
})

test('the search for a payment’s log starts before the block it was signed at @nodes-2', async () => {
  const minedAt = 1_002
  const logs: Chain['logs'] = async ([filter]) => [
    filter!.fromBlock <= minedAt && minedAt <= filter!.toBlock ? [{ topics: [] } as never] : [],
  ]
  const chain = { logs, hasSecond: true, contractSets: oneSet(local.contracts) } as unknown as Chain
  const ctx = { chains: { 8453: chain } } as unknown as Context
  const wallet = { chain_id: 8453, address: `0x${'aa'.repeat(20)}` as Address, kind: 'smart' } as WalletRow
  for (const first of [1_500, 9_000]) {
    const payment = { authorization: null, first_block: first, epoch: 1, sequence: 1 } as PaymentRow
    expect(await findNonceLog(ctx, wallet, payment, 2_000), `signed at ${first}`).not.toBeNull()
  }
})
