import { flagOf, textOf } from '../../../lib/search.ts'

/** Search parameters that open a dialog of the page, for the selected group or for what the value names. */
export type Dialogs = {
  newGroup?: true
  newAgent?: true
  editGroup?: true
  topUp?: true
  deleteGroup?: true
  /** Id of a contact on the group's whitelist. */
  confirmContact?: string
  /** Ids of agents. */
  regenerateKey?: string
  regenerateCredentials?: string
  tryPayment?: string
  editAgent?: string
  deleteAgent?: string
  /** Id of an agent, or 'group', 'wallet', 'account'. */
  pause?: string
}
export type OpenDialog = (dialog: Dialogs) => void

export const dialogSearch = (search: Record<string, unknown>) => ({
  newGroup: flagOf(search.newGroup),
  newAgent: flagOf(search.newAgent),
  editGroup: flagOf(search.editGroup),
  topUp: flagOf(search.topUp),
  deleteGroup: flagOf(search.deleteGroup),
  confirmContact: textOf(search.confirmContact),
  regenerateKey: textOf(search.regenerateKey),
  regenerateCredentials: textOf(search.regenerateCredentials),
  tryPayment: textOf(search.tryPayment),
  editAgent: textOf(search.editAgent),
  deleteAgent: textOf(search.deleteAgent),
  pause: textOf(search.pause),
})
