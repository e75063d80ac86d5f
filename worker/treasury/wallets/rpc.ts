import { RpcTarget } from 'cloudflare:workers'
import { formatUsdc } from '#domain/money.ts'
import type { RotateReply } from '#schemas/sessionKey.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { andThen, notFound, ok, type Result, refuseThrown } from '../../result.ts'
import { refuseUnreachable } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { takeOwnerChange } from '../limits/ownerActions.ts'
import { offerSession, ownerSigningContext, submitOwnerAction } from './actions/ownerActions.ts'
import { rotate } from './actions/sessionChange.ts'
import { deployWallet } from './deploy.ts'
import { importWallet, viewPrivateKey } from './importWallet.ts'
import { deleteWallet, renameWallet } from './manage.ts'
import type { DeployInput, ImportInput, OwnerActionInput, RotateInput } from './rpcTypes.ts'
import { balanceOf } from './snapshots.ts'
import { listWallets, sessionKeyInfo, showWallet, walletView } from './views.ts'

/** The user's wallets. `showProgress` submits a deployment and waits briefly for its transaction. */
export class Wallets extends RpcTarget {
  readonly #ctx: Context
  readonly #showProgress: (deploying: WalletRow) => Promise<void>

  constructor(ctx: Context, showProgress: (deploying: WalletRow) => Promise<void>) {
    super()
    this.#ctx = ctx
    this.#showProgress = showProgress
  }

  async list(): Promise<Wallet[]> {
    return listWallets(this.#ctx)
  }
  async deploy(input: DeployInput): Promise<Result<Wallet>> {
    return andThen(await refuseUnreachable(() => deployWallet(this.#ctx, input)), async (wallet) => {
      if (wallet.status === 'deploying') await this.#showProgress(wallet)
      return ok(walletView(this.#ctx, this.#ctx.store.wallet(wallet.id)!, null))
    })
  }
  async importWallet(input: ImportInput): Promise<Result<Wallet>> {
    return this.#shown(await refuseThrown(() => refuseUnreachable(() => importWallet(this.#ctx, input))))
  }
  async rename(walletId: string, name: string | null): Promise<Result<Wallet>> {
    return this.#shown(takeOwnerChange(this.#ctx) ?? renameWallet(this.#ctx, walletId, name))
  }
  async delete(walletId: string, passwordChecked = false) {
    return deleteWallet(this.#ctx, walletId, passwordChecked)
  }
  async viewPrivateKey(walletId: string, masterPassword: string) {
    return refuseThrown(() => viewPrivateKey(this.#ctx, walletId, masterPassword))
  }
  /** Decimal USDC on chain; null if it can't be read. */
  async balance(walletId: string): Promise<Result<string | null>> {
    const wallet = this.#ctx.store.liveWallet(walletId)
    if (!wallet) return notFound('Wallet')
    const balance = await balanceOf(this.#ctx, wallet)
    return ok(balance === null ? null : formatUsdc(balance))
  }
  /** Whether `address` is an active wallet of the user on Base. */
  async has(address: string) {
    const { store, env } = this.#ctx
    const query = "SELECT 1 FROM wallet WHERE address = ? COLLATE NOCASE AND chain_id = ? AND status = 'active'"
    return store.first(query, address, primaryChain(env)) !== null
  }
  async sessionKey(walletId: string) {
    return sessionKeyInfo(this.#ctx, walletId)
  }
  async rotateSessionKey(input: RotateInput): Promise<Result<RotateReply>> {
    return refuseUnreachable(async () =>
      andThen(await rotate(this.#ctx, input), async ({ id, wallet_id }) =>
        andThen(await sessionKeyInfo(this.#ctx, wallet_id), (info) => ok({ ...info, actionId: id })),
      ),
    )
  }
  /** The values that the owner's next signature must bind. */
  async ownerSigningContext(walletId: string) {
    return refuseUnreachable(() => ownerSigningContext(this.#ctx, walletId))
  }
  async offerSession(input: RotateInput) {
    return refuseUnreachable(() => offerSession(this.#ctx, input))
  }
  async submitOwnerAction(input: OwnerActionInput) {
    return refuseUnreachable(async () =>
      andThen(await submitOwnerAction(this.#ctx, input), ({ id }) => ok({ actionId: id })),
    )
  }
  #shown(result: Result<WalletRow>): Promise<Result<Wallet>> {
    return andThen(result, async (row) => ok(await showWallet(this.#ctx, row)))
  }
}
