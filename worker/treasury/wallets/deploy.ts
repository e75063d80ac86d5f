import { bytesToHex } from '@noble/hashes/utils'
import { stepGas } from '#domain/gasAllowance.ts'
import { formatUsdc } from '#domain/money.ts'
import { firstLimit } from '#domain/sessionKey.ts'
import { dayMs } from '#domain/time.ts'
import { walletAddress } from '../../chain/addresses.ts'
import { contractsOf } from '../../chain/contractSets.ts'
import { addressOf } from '../../chain/sign.ts'
import type { Hex } from '../../chain/types.ts'
import { ok, type Result, refuse } from '../../result.ts'
import { freshHead } from '../core/chainHeads.ts'
import { type Context, newId } from '../core/context.ts'
import { toColumn } from '../core/storage/columns.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { idempotentRequest, remember } from '../ledger/idempotency.ts'
import { withGas } from '../limits/gas.ts'
import { takeOwnerAction } from '../limits/ownerActions.ts'
import { recordWalletChange } from '../outbox/changes.ts'
import { markActive } from './idleReads.ts'
import { walletLimitProblem, walletReplay } from './newWallets.ts'
import type { DeployInput } from './rpcTypes.ts'
import { adopt, confirmedState } from './session.ts'
import { sessionKeyBinding } from './sessionKeys.ts'

/** How long the first session of a new wallet lasts: 720 hours. */
const firstSeconds = 720 * 3600

/** Two hours of blocks: more than are ever unfinalized. */
const unfinalBlocks = 3_600

/**
 * Creates the session key, computes the address and writes the row; the Relayer deploys. Repeating the idempotency key
 * returns the same wallet, so a lost response never creates two. Throws RpcUnavailable, since the session's validity
 * depends on chain time.
 */
export async function deployWallet(ctx: Context, input: DeployInput): Promise<Result<WalletRow>> {
  const { store } = ctx
  const { key, owner, chainId, name, purchaseAllowance = 0 } = input
  const request = idempotentRequest({ type: 'user' }, key, [owner, chainId, name, purchaseAllowance])
  const replay = () => walletReplay(store, request)
  const before = replay()
  if (before) return before

  const wallet = await newSmartWallet(ctx, input)
  if ((await ctx.chains[chainId].code(owner)) !== '0x')
    return refuse('invalid_input', 'The owner must be a key, not a contract.', { field: 'ownerAddress' })

  const isFirst = store.first('SELECT 1 FROM wallet LIMIT 1') === null
  const start = (): Result<WalletRow> => {
    const meanwhile = replay()
    if (meanwhile) return meanwhile
    const over = walletLimitProblem(ctx)
    if (over) return refuse('unprocessable', over)
    const limited = takeOwnerAction(ctx, 'deploy', chainId)
    if (limited) return limited
    const now = ctx.now()
    const { id, address, session_key: sessionKey } = wallet
    store.insert('wallet', { ...wallet, created_at: now, request_key: request?.key ?? null })
    recordWalletChange(ctx, id)
    remember(store, request, 'wallet', id, now)
    const limit = formatUsdc(firstLimit)
    audit(store, now, 'wallet.created', id, { address, owner, sessionKey, limit, purchaseAllowance })
    ctx.schedule('settle', now + 300)
    return ok(store.wallet(id)!)
  }
  const work = { chainId, gas: stepGas.deploy, purpose: isFirst ? 'firstDeploy' : 'work' } as const
  return withGas(ctx, work, () => store.transaction(start))
}

/** The row of a new wallet, with a new session key. */
async function newSmartWallet(ctx: Context, { owner, chainId, name, purchaseAllowance = 0 }: DeployInput) {
  const head = await freshHead(ctx, chainId)
  const chain = ctx.chains[chainId]
  const id = newId(ctx, 'wal')
  const sessionKey: Hex = `0x${bytesToHex(ctx.random(32))}`
  const salt: Hex = `0x${bytesToHex(ctx.random(32))}`
  const keyAddress = addressOf(sessionKey)
  const validUntil = head.timestamp + firstSeconds
  const contractSet = chain.contractSets.newest
  const contracts = contractsOf(chain, contractSet)
  const parameters = { owner, salt, sessionKey: keyAddress, limit: firstLimit, purchaseAllowance, validUntil }
  // The address was unknown until now, but a reorganization may move its logs into blocks with lower numbers.
  const firstBlock = Math.max(0, head.number - unfinalBlocks)
  return {
    id,
    chain_id: chainId,
    kind: 'smart',
    address: walletAddress(contracts, parameters),
    owner,
    name,
    status: 'deploying',
    factory: contracts.factory,
    salt,
    session_key: keyAddress,
    sealed_key: await ctx.sealer.seal(sessionKey, sessionKeyBinding(ctx, id)),
    session_limit: toColumn(firstLimit),
    purchase_allowance: purchaseAllowance,
    valid_until: validUntil,
    scanned_block: firstBlock,
    final_block: firstBlock,
    start_block: firstBlock,
    contract_set: contractSet,
  } as const
}

/** A wallet that is not on chain after this long is no longer submitted, nor counted as an active wallet of the account. */
export const deployForMs = dayMs

/**
 * Marks the wallet active once the chain shows it, and adopts its session under the chain's epoch. `failed` is not a final
 * state: a late transaction may still create the wallet, and money at its address can only be moved once it exists.
 */
export async function followDeploy(ctx: Context, wallet: WalletRow): Promise<void> {
  const state = await confirmedState(ctx, wallet)
  if (!state) return decideDeploy(ctx, wallet)
  ctx.store.transaction(() => {
    const found = ctx.store.run(
      "UPDATE wallet SET status = 'active', active_block = ?, error = NULL WHERE id = ? AND status IN ('deploying','failed')",
      state.blockNumber,
      wallet.id,
    )
    if (found === 0) return
    audit(ctx.store, ctx.now(), 'wallet.active', wallet.id, { epoch: state.epoch })
    adopt(ctx, wallet, state)
    markActive(ctx, wallet.id)
  })
}

/** A wallet that was active can only be missing after a reorganization, and is deployed again whatever its age. */
async function decideDeploy(ctx: Context, wallet: WalletRow): Promise<void> {
  if (wallet.active_block !== null || ctx.now() < wallet.created_at + deployForMs) return
  const hasMoney = (await ctx.chains[wallet.chain_id].usdcBalance(wallet.address)) > 0n
  if (hasMoney) resumeDeploy(ctx, wallet)
  else failDeploy(ctx, wallet)
}

function resumeDeploy(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  store.transaction(() => {
    if (store.run("UPDATE wallet SET status = 'deploying' WHERE id = ? AND status = 'failed'", wallet.id) === 0) return
    audit(store, ctx.now(), 'wallet.deploy_resumed', wallet.id)
    ctx.schedule('settle', ctx.now())
  })
}

function failDeploy(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  store.transaction(() => {
    const failed = store.run(
      "UPDATE wallet SET status = 'failed', error = coalesce(error, ?) WHERE id = ? AND status = 'deploying'",
      'The wallet could not be deployed in time.',
      wallet.id,
    )
    if (failed === 0) return
    audit(store, ctx.now(), 'wallet.failed', wallet.id)
    markActive(ctx, wallet.id)
  })
}
