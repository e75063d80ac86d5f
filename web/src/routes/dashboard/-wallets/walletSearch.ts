import { textsOf } from '#web/lib/search.ts'
import type { Wallet } from '#web/queries/wallets.ts'

/**
 * The dialogs of one wallet (walletActions.ts), as search parameters of the page. In a separate file, since every page
 * loads the code that reads URLs.
 */
export const walletActionIds = [
  'send',
  'addFunds',
  'withdraw',
  'receive',
  'session',
  'exit',
  'recovery',
  'viewKey',
  'rename',
  'authority',
  'delete',
] as const
export type WalletActionId = (typeof walletActionIds)[number]

/** The wallet's id for each dialog that the URL opens. */
export const walletSearch = (search: Record<string, unknown>) => textsOf(search, walletActionIds)

/** Props of every dialog about one wallet (walletActions.ts). */
export type WalletDialogProps = { wallet: Wallet; onClose: () => void }
