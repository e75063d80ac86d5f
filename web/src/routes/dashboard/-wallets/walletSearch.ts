import { textOf } from '../../../lib/search.ts'

/**
 * The dialogs of one wallet (WalletActions.tsx), as search parameters of the page. Apart from them, since every page
 * loads what reads the URL.
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

/** Which wallet's id each dialog's search parameter names. */
export const walletSearch = (search: Record<string, unknown>) =>
  Object.fromEntries(walletActionIds.map((id) => [id, textOf(search[id])])) as Partial<Record<WalletActionId, string>>
