import { sameAddress } from '#domain/sameAddress.ts'
import type { Chain, ChainId } from '../chain/types.ts'
import { insert, type RowOf } from '../durable/table.ts'
import { type KeyringSettings, keyring } from '../keyrings/keyring.ts'
import { logWarning } from '../observability/log.ts'
import { type RelayerAccount, relayerAccount } from './account.ts'
import { type RelayerAccountState, sweptWei } from './api.ts'
import { type FeeCeilings, feesWithin } from './fees.ts'
import { account as accountTable, type RelayerAccountRow, relayerAccount as relayerAccountTable } from './tables.ts'
import { type SubmitterDeps, TransactionSubmitter } from './transactionSubmitter.ts'
import { Transactions } from './transactions.ts'

/** The balance that a new account needs before it takes over: 0.001 ETH, as the readiness check requires. */
export const leastBalance = 10n ** 15n
const checkEveryMs = 60_000 // 1 minute

type Parts = Pick<SubmitterDeps, 'jobs' | 'quota' | 'minedLogs' | 'feeCeilings' | 'maxClockSkew'> & {
  settings: () => KeyringSettings
  now: () => number
  chains: () => Record<ChainId, Chain>
}

/** Chain and shard come from the object's name, or from the table when an alarm does not know the name. */
export function openAccounts(storage: DurableObjectStorage, id: DurableObjectId, parts: Parts): RelayerAccounts {
  const [chainId, shard] = id.name?.split(':').map(Number) ?? []
  if (chainId !== undefined && shard !== undefined)
    insert(storage.sql, accountTable, { one: 1, chain_id: chainId as ChainId, shard }, 'ON CONFLICT DO NOTHING')
  const row = storage.sql.exec<RowOf<typeof accountTable>>('SELECT * FROM account').one()
  const chain = () => parts.chains()[row.chain_id]
  return new RelayerAccounts({
    sql: storage.sql,
    chainId: row.chain_id,
    shard: row.shard,
    settings: parts.settings,
    now: parts.now,
    balance: (address) => chain().nativeBalance(address),
    createSubmitter: ({ address }, transactions) =>
      new TransactionSubmitter({
        ...parts,
        name: `${row.chain_id}:${row.shard}`,
        address,
        chain,
        clock: parts.now,
        storage,
        transactions,
      }),
  })
}

type Deps = {
  sql: SqlStorage
  chainId: ChainId
  shard: number
  settings: () => KeyringSettings
  now: () => number
  balance: (address: RelayerAccount['address']) => Promise<bigint>
  createSubmitter: (account: RelayerAccount, transactions: Transactions) => TransactionSubmitter
}

/**
 * The accounts of one Relayer, one for each version of the seed that it has used. The newest sends. A version that has
 * become current takes over once its account has ETH; the transactions of the older ones are followed to their end.
 */
export class RelayerAccounts {
  readonly #deps: Deps
  readonly #submitters = new Map<number, TransactionSubmitter>()
  #versions: readonly number[] = []
  #checkAt = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** For logs. */
  get name(): string {
    return `${this.#deps.chainId}:${this.#deps.shard}`
  }

  get #ring() {
    return keyring(this.#deps.settings(), 'RELAYER_SEED')
  }

  account(version: number): RelayerAccount {
    return relayerAccount(this.#ring.secret(version), this.#deps.chainId, this.#deps.shard)
  }

  /** Versions in ascending order; the last one sends. */
  versions(): readonly number[] {
    if (this.#versions.length === 0) this.#read()
    if (this.#versions.length > 0) return this.#versions
    this.#add(this.#ring.current(this.#deps.now()).version)
    return this.#versions
  }

  #read(): void {
    const rows = this.#deps.sql.exec<Pick<RelayerAccountRow, 'version'>>(
      'SELECT version FROM relayer_account ORDER BY version',
    )
    this.#versions = rows.toArray().map(({ version }) => version)
  }

  #add(version: number): void {
    const { address } = this.account(version)
    insert(this.#deps.sql, relayerAccountTable, { version, address }, 'ON CONFLICT DO NOTHING')
    this.#read()
  }

  /** The submitter that sends. Throws InvalidSeed, UnknownKeyVersion, or if the seed of its version has changed. */
  active(): TransactionSubmitter {
    return this.#submitter(this.versions().at(-1)!)
  }

  /** The submitters of older accounts whose version of the seed still exists. */
  older(): TransactionSubmitter[] {
    const has = (version: number) => this.#ring.versions.some((one) => one.version === version)
    return this.versions()
      .slice(0, -1)
      .filter(has)
      .map((version) => this.#submitter(version))
  }

  #submitter(version: number): TransactionSubmitter {
    const known = this.#submitters.get(version)
    if (known) return known
    const { sql, chainId } = this.#deps
    const account = this.account(version)
    const { address } = sql
      .exec<Pick<RelayerAccountRow, 'address'>>('SELECT address FROM relayer_account WHERE version = ?', version)
      .one()
    if (!sameAddress(address, account.address)) throw new Error(`RELAYER_SEED version ${version} is a different secret`)
    const made = this.#deps.createSubmitter(account, new Transactions(sql, chainId, account, version))
    this.#submitters.set(version, made)
    return made
  }

  /** The version that is to take over; null if the one that sends is current. */
  waiting(): number | null {
    const { version } = this.#ring.current(this.#deps.now())
    return version > this.versions().at(-1)! ? version : null
  }

  /** Lets the current version take over if its account can pay; checks once a minute. Throws RpcUnavailable. */
  async moveOn(): Promise<void> {
    const version = this.waiting()
    const { now, balance, chainId, shard } = this.#deps
    if (version === null || now() < this.#checkAt) return
    this.#checkAt = now() + checkEveryMs
    const { address } = this.account(version)
    if ((await balance(address)) < leastBalance) return
    this.#add(version)
    logWarning('relayer_account_replaced', { relayer: `${chainId}:${shard}`, version, address })
  }

  /** The states of all accounts, including those that are to take over. Throws RpcUnavailable. */
  async states(): Promise<RelayerAccountState[]> {
    const versions = this.versions()
    const active = versions.at(-1)!
    const later = this.#ring.versions.map(({ version }) => version).filter((version) => version > active)
    const known = [...versions, ...later]
    return Promise.all(
      known
        .filter((version) => this.#ring.versions.some((one) => one.version === version))
        .map(async (version) => {
          const { address } = this.account(version)
          const state = version > active ? 'waiting' : version === active ? 'sending' : 'older'
          const inFlight =
            state === 'waiting' ? 0 : this.#submitter(version).transactions.watched(this.#deps.now()).length
          return { version, address, balance: await this.#deps.balance(address), inFlight, state }
        }),
    )
  }
}

/** Gas of a plain transfer. */
const transferGas = 21_000n
/** Kept for the L1's share of the fee, which nodes do not report in advance; many times that share. */
const keptWei = 10n ** 14n // 0.0001 ETH

/** Follows the transactions of older accounts to their end. Returns whether there is still something to watch. */
export async function followOlder(accounts: RelayerAccounts, ceilings: FeeCeilings, now: number): Promise<boolean> {
  const busy = accounts.older().filter((one) => !one.isIdle(now))
  for (const submitter of busy) {
    const read = await submitter.readChain()
    submitter.reconcile(read)
    const fees = feesWithin(read.feeReading, ceilings)
    if (!('problem' in fees)) await submitter.resolvePending({ ...read, fees })
  }
  return busy.length > 0
}

/** Sends the remaining ETH of idle older accounts to the active account. Throws RpcUnavailable. */
export async function sweepOlder(accounts: RelayerAccounts, ceilings: FeeCeilings, now: number): Promise<void> {
  const to = accounts.active().address
  for (const submitter of accounts.older().filter((one) => one.isIdle(now))) {
    const chain = submitter.chain()
    const [balance, reading, read] = await Promise.all([
      chain.nativeBalance(submitter.address),
      chain.fees(),
      submitter.readChain(),
    ])
    const fees = feesWithin(reading, ceilings)
    if (balance <= sweptWei || 'problem' in fees) continue
    submitter.reconcile(read)
    const value = balance - keptWei - transferGas * fees.maxFeePerGas
    if (value <= 0n) continue
    submitter.transactions.createTransfer(to, value, fees, now)
    await submitter.resolvePending({ ...read, fees })
  }
}
