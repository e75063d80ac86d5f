import type { Context } from '../../core/context.ts'
import { webhookSecretBinding } from '../../outbox/webhooks/endpoints.ts'
import { codeBinding, tokenBinding } from '../../payments/payouts/codes.ts'
import { saltBinding } from '../../payments/payouts/keys.ts'
import { viewBinding } from '../../wallets/importWallet.ts'
import { importedKeyBinding, sessionKeyBinding } from '../../wallets/sessionKeys.ts'

type Row = Record<string, string | number | null>

/**
 * A column with values made by the Sealer. `key` names the columns that identify a row. `binding` gets the row's `key` and
 * `with` columns and returns the binding of the sealed value.
 */
export type SealedColumn = {
  table: string
  column: string
  key: readonly string[]
  with?: readonly string[]
  binding: (ctx: Context, row: Row) => string
  /** Under which name History has a copy of the value (outbox/changes.ts). */
  copy?: (row: Row) => string
}

const sessionBinding = (ctx: Context, walletId: string) =>
  (ctx.store.wallet(walletId)?.kind === 'imported' ? importedKeyBinding : sessionKeyBinding)(ctx, walletId)

/**
 * Every column of a Treasury that holds sealed values. Add a new one here, in one line, so that a rotation of the key
 * seals it again (keys/reseal.ts). `@keys-4` fails while a table has a column with `sealed` in its name, or a value of
 * the Sealer's form, that is not here. NULL and '' are left as they are. A column that is copied to another comes before it:
 * sessions copy their key from the wallet or from a rotation, also while the values are sealed again.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'wallet', column: 'sealed_key', key: ['id'], binding: (ctx, { id }) => sessionBinding(ctx, String(id)) },
  {
    table: 'wallet_action',
    column: 'sealed_key',
    key: ['id'],
    with: ['wallet_id'],
    binding: (ctx, { wallet_id }) => sessionKeyBinding(ctx, String(wallet_id)),
  },
  {
    table: 'session',
    column: 'sealed_key',
    key: ['wallet_id', 'epoch'],
    binding: (ctx, { wallet_id }) => sessionBinding(ctx, String(wallet_id)),
  },
  {
    table: 'imported_key',
    column: 'sealed_view',
    key: ['wallet_id'],
    binding: (ctx, { wallet_id }) => viewBinding(ctx, String(wallet_id)),
  },
  {
    table: 'payout',
    column: 'sealed_token',
    key: ['id'],
    binding: (ctx, { id }) => tokenBinding(ctx, String(id)),
    copy: ({ id }) => String(id),
  },
  {
    table: 'kept_salt',
    column: 'sealed_salt',
    key: ['one'],
    binding: saltBinding,
    copy: () => 'salt',
  },
  {
    table: 'payout',
    column: 'sealed_code',
    key: ['id'],
    with: ['code_version'],
    binding: (ctx, { id, code_version }) => codeBinding(ctx, String(id), Number(code_version)),
  },
  {
    table: 'webhook',
    column: 'sealed_secret',
    key: ['id'],
    binding: (ctx, { id }) => webhookSecretBinding(ctx, String(id)),
  },
  {
    table: 'webhook',
    column: 'sealed_old_secret',
    key: ['id'],
    binding: (ctx, { id }) => webhookSecretBinding(ctx, String(id)),
  },
]
