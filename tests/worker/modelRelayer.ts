/** Relayers on an in-memory node whose time advances only by requests and when a test advances it. */
import { runInDurableObject } from 'cloudflare:test'
import { encodeFunctionData, toHex } from 'viem/utils'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import type { Address, Chain } from '../../worker/chain/types.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { ModelNode } from '../support/modelNode.ts'
import { chain, party, relayer } from './relayerHarness.ts'

/** Sends to this address fail in simulation. */
export const blacklisted = party('blacklisted').address
export const merchant = party('merchant').address
const noSignature = toHex(0, { size: 32 })

/** Connects the running test's Relayer to a new in-memory node. */
export async function startModelNode(): Promise<ModelNode> {
  const node = new ModelNode(chain, Date.now())
  node.blacklist.add(blacklisted.toLowerCase())
  await runInDurableObject(relayer(), (instance: Relayer) => {
    instance.clock = { now: node.now }
    instance.chains = { ...instance.chains, 84532: node as unknown as Chain }
  })
  return node
}

/** When the object next has work (ms); null if it only waits for new jobs. */
export const nextDueAt = (storage: DurableObjectStorage): number | null =>
  storage.sql.exec<{ at: number | null }>('SELECT min(due_at) AS at FROM timer').one().at

/** Runs due work until `ms` of the node's time have passed. */
export async function pass(node: ModelNode, ms: number): Promise<void> {
  const end = node.now() + ms
  await runInDurableObject(relayer(), async (instance: Relayer, { storage }) => {
    do {
      await instance.wakeUp()
      const at = nextDueAt(storage) ?? end
      if (at > node.now()) node.passTo(Math.min(at, end))
    } while (node.now() < end)
    await instance.wakeUp()
  })
}

/** A send with what scheduling needs; the in-memory node checks no signature. */
export function modelSend(
  userId: string,
  wallet: Address,
  sequence: number,
  to: Address,
  now: number,
  over: Partial<RelayJob> = {},
): RelayJob {
  const nonce = (1n << 32n) | BigInt(sequence)
  const deadline = Math.floor(now / 1000) + 300
  const args = [to, 1n, nonce, deadline, noSignature, noSignature] as const
  return {
    id: `${wallet}:${sequence}:${now}`,
    userId,
    kind: 'send',
    target: wallet,
    data: encodeFunctionData({ abi: agentWalletAbi, functionName: 'send', args }),
    packed: { wallet, to, amount: '1', nonce: String(nonce), deadline, r: noSignature, vs: noSignature },
    deadline,
    guard: { scope: `${wallet}:${nonce}`, content: `${to}:1` },
    ...over,
  }
}
