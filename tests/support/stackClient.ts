/** Senders with wallet, group and agents on a running stack, created over HTTP only, and direct reads of the chain. */
import { createHash, randomUUID } from 'node:crypto'
import { createClient, createPublicClient, erc20Abi, getAbiItem, getAddress, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { minuteMs } from '#domain/time.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { BursarClient } from '../../local/client.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'
import type { Reply } from './agentCalls.ts'
import { patient } from './patience.ts'
import { type RunningStack, takeAccount } from './readyAccounts.ts'
import { createFundedWallet, importFundedWallet } from './testStack.ts'

type Call = NonNullable<Parameters<BursarClient['call']>[1]>
export type Sender = Awaited<ReturnType<typeof createSender>>

const tokenFreshMs = 10 * minuteMs // 10 of its 15 minutes

export type Rpc = (method: string, ...params: unknown[]) => Promise<unknown>

/** Calls any method of the node at `url`, once and however long it takes. Throws on an error. */
export function rpcOf(url: string): Rpc {
  const client = createClient({ transport: http(url, { retryCount: 0, timeout: 0 }) })
  return (method, ...params) => client.request({ method, params } as never)
}

/** An onboarded user without a wallet. */
export async function newUser(stack: RunningStack) {
  const { bursar } = stack
  const { email, password, session } = await takeAccount(stack)
  let signedIn = session.accessToken
  let at = Date.now()
  /** Returns an access token that is valid for the next call. Throws while the stack does not respond. */
  const token = async () => {
    if (Date.now() - at < tokenFreshMs) return signedIn
    signedIn = (await bursar.signIn(email, password)).accessToken
    at = Date.now()
    return signedIn
  }
  return { email, password, token }
}

/** An onboarded user with a funded wallet, whose owner key stays here, and agents that share one budget. */
export async function createSender(
  stack: RunningStack,
  options: {
    funds: string
    limit: number
    agents?: number
    scopes?: string[]
    rules?: object
    /** Of the wallet, in whole USDC. */
    purchaseAllowance?: number
    /** Imports a wallet with a new key instead of creating one. */
    imported?: true
  },
) {
  const { bursar } = stack
  const { funds, limit, purchaseAllowance = 0 } = options
  const { email, password, token } = await newUser(stack)
  const ownerKey = generatePrivateKey()
  const owner = privateKeyToAccount(ownerKey)
  const wallet = options.imported
    ? await importFundedWallet(bursar, await token(), { privateKey: ownerKey, funds })
    : await createFundedWallet(bursar, await token(), { owner: owner.address, name: 'Ops', funds, purchaseAllowance })
  const scopes = options.scopes ?? ['address_payments:write', 'email_payments:write']
  const group = await bursar.api<PolicyGroup>('/policy-groups', {
    token: await token(),
    key: randomUUID(),
    body: { name: 'Group', spendLimit: limit, scopes, walletId: wallet.id, ...options.rules },
  })
  const agents: { id: string; apiKey: string; clientId: string; clientSecret: string }[] = []
  for (let i = 0; i < (options.agents ?? 1); i++) {
    const body = { name: `Agent ${i}`, policyGroupId: group.id }
    const made = await bursar.api<CreatedAgent>('/agents', { token: await token(), key: randomUUID(), body })
    const { agent, clientId } = made
    agents.push({ id: agent.id, apiKey: made.apiKey!, clientId, clientSecret: made.clientSecret! })
  }
  return { email, password, token, owner, ownerKey, wallet, groupId: group.id, agents, funds, limit }
}

/**
 * Repeats a request until its reply is definite. No reply, a reply without JSON, 429 and 5xx leave the outcome
 * unknown, so the request is sent again with the same key. Throws with a list of these replies after `withinMs`.
 */
export async function definite<T>(
  bursar: BursarClient,
  path: string,
  options: () => Promise<Call>,
  unknown: (why: string) => void = () => {},
  withinMs?: number,
): Promise<Reply<T>> {
  return definiteAnswer(path, async () => bursar.call<T>(path, await options()), unknown, withinMs)
}

/** Like `definite`, for any kind of request. */
export async function definiteAnswer<T>(
  what: string,
  ask: () => Promise<Reply<T>>,
  unknown: (why: string) => void = () => {},
  withinMs = patient(90_000), // 1.5 minutes
): Promise<Reply<T>> {
  const deadline = Date.now() + withinMs
  const reasons = new Map<string, number>()
  for (;;) {
    let why: string
    try {
      const answer = await ask()
      if (answer.status < 500 && answer.status !== 429) return answer
      why = `${answer.status} ${JSON.stringify(answer.body)}`
    } catch (error) {
      why = error instanceof Error ? error.message : String(error)
    }
    unknown(why)
    reasons.set(why, (reasons.get(why) ?? 0) + 1)
    if (Date.now() > deadline) {
      const all = [...reasons].map(([reason, count]) => `${count}: ${reason}`).join('; ')
      throw new Error(`no definite reply from ${what} in ${withinMs / 1000} s: ${all}`)
    }
    await pause(150)
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Returns the rows of all pages, newest first. */
export async function allTransactions(bursar: BursarClient, token: string): Promise<Transaction[]> {
  return allPages(bursar, '/transactions/user', token, (data: Transaction[]) => data)
}
export async function allPayouts(bursar: BursarClient, token: string): Promise<Escrow[]> {
  return allPages(bursar, '/escrow/list', token, (data: { escrows: Escrow[] }) => data.escrows)
}
async function allPages<D, T>(bursar: BursarClient, path: string, token: string, rowsOf: (data: D) => T[]) {
  const rows: T[] = []
  for (let page = 1; ; page++) {
    const more = rowsOf(await bursar.api<D>(`${path}?page=${page}&pageSize=100`, { token }))
    rows.push(...more)
    if (more.length < 100) return rows
  }
}

/** An unused address; the same text always gives the same address. */
export const addressFor = (text: string): Address =>
  getAddress(`0x${createHash('sha256').update(text).digest('hex').slice(0, 40)}`)

export type Transfer = { from: Address; to: Address; value: bigint; tx: Hex }

/** Reads what happened on chain, independently of Bursar. */
export function chainReader(rpcUrl: string, token: Address) {
  const client = createPublicClient({ transport: http(rpcUrl), pollingInterval: 100 })
  const event = getAbiItem({ abi: erc20Abi, name: 'Transfer' })
  return {
    client,
    balanceOf: (holder: Address) =>
      client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [holder] }),
    /** Every USDC transfer. */
    async transfers(): Promise<Transfer[]> {
      const logs = await client.getLogs({ address: token, event, fromBlock: 0n, strict: true })
      return logs.map(({ args, transactionHash }) => ({ ...args, tx: transactionHash }))
    },
    /** The nonces a wallet has executed, from its anonymous logs. */
    async nonces(wallet: Address): Promise<bigint[]> {
      const logs = await client.getLogs({ address: wallet, fromBlock: 0n })
      return logs.flatMap(({ topics, data }) => (topics.length === 1 && data === '0x' ? [BigInt(topics[0]!)] : []))
    },
    /** An account's next nonce, without and with the transactions in the pool. */
    async accountNonces(address: Address) {
      const [latest, pending] = await Promise.all([
        client.getTransactionCount({ address, blockTag: 'latest' }),
        client.getTransactionCount({ address, blockTag: 'pending' }),
      ])
      return { latest, pending }
    },
  }
}
