import { flagsOf, textsOf } from '#web/lib/search.ts'

/** Search parameters that open one of the page's dialogs, for the selected group or for the id in the value. */
export type Dialogs = {
  newGroup?: true
  newAgent?: true
  editGroup?: true
  topUp?: true
  deleteGroup?: true
  /** Id of a contact on the group's whitelist. */
  confirmContact?: string
  /** Id of a contact to add to it. */
  whitelist?: string
  /** Ids of agents. */
  regenerateKey?: string
  regenerateCredentials?: string
  tryPayment?: string
  editAgent?: string
  deleteAgent?: string
  /** Id of an agent, or 'group', 'wallet', 'account'. */
  pause?: string
  /** Id of a wallet that keeps nothing for purchases, which its agents may now make. */
  purchases?: string
}

export type OpenDialog = (dialog: Dialogs) => void

/** Parses the page's search parameters. Every page loads this, along with the routes. */
export const dialogSearch = (search: Record<string, unknown>) => ({
  ...flagsOf(search, ['newGroup', 'newAgent', 'editGroup', 'topUp', 'deleteGroup']),
  ...textsOf(search, [
    'group',
    'agent',
    'confirmContact',
    'whitelist',
    'regenerateKey',
    'regenerateCredentials',
    'tryPayment',
    'editAgent',
    'deleteAgent',
    'pause',
    'purchases',
  ]),
})
