import type { Block } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { knowsContracts } from '../core/contracts.ts'
import { maySign } from '../core/stop.ts'
import type { SessionRow, WalletRow } from '../core/storage/rows.ts'
import { cacheKey, isPlainKey, openKeys } from './sessionKeys.ts'

/** Whether the session's key is in memory and may sign. `head` is the newest block. */
export const canSign = (ctx: Context, wallet: WalletRow, session: SessionRow, head: Block) =>
  maySign(ctx) &&
  wallet.halt_kind === null &&
  wallet.status === 'active' &&
  knowsContracts(ctx, wallet) &&
  openKeys(ctx).has(cacheKey(session)) &&
  (wallet.kind === 'smart' || isPlainKey(ctx, wallet)) &&
  head.timestamp <= session.valid_until
