import type { Call } from '#domain/roles.ts'
import type { Dialogs } from './dialogs.ts'

/** What each dialog calls: for those who may not, it does not open. */
const calls: Record<keyof Dialogs, Call> = {
  newGroup: 'policies.createGroup',
  newAgent: 'policies.createAgent',
  editGroup: 'policies.editGroup',
  topUp: 'policies.topUp',
  deleteGroup: 'policies.deleteGroup',
  confirmContact: 'policies.confirmContact',
  whitelist: 'policies.editGroup',
  regenerateKey: 'policies.replaceCredential',
  regenerateCredentials: 'policies.replaceCredential',
  tryPayment: 'checkPayment',
  editAgent: 'policies.editAgent',
  deleteAgent: 'policies.deleteAgent',
  pause: 'policies.pause',
  purchases: 'wallets.rotateSessionKey',
}

/** Of these dialogs, those that a person may use. */
export const allowedDialogs = (dialogs: Dialogs, isAllowed: (call: Call) => boolean): Dialogs =>
  Object.fromEntries(
    Object.entries(dialogs).filter(([name]) => !(name in calls) || isAllowed(calls[name as keyof Dialogs])),
  )
