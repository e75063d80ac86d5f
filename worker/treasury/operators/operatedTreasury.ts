import type { Limits } from '#domain/limits.ts'
import { andThen, ok } from '../../result.ts'
import type { BackupCalls, Contact, Owner, ReprojectCursor } from '../backup/api.ts'
import { compareContacts } from '../backup/contacts.ts'
import { keepOwner, keptOwner } from '../backup/owner.ts'
import { reproject } from '../backup/reproject.ts'
import type { KeyCalls } from '../keys/api.ts'
import { renewKeys } from '../keys/keyUse.ts'
import { RestorableTreasury } from '../restore/restorableTreasury.ts'
import type * as Api from './api.ts'
import { setLinkDown } from './claimLinks.ts'
import { accountReport, readAudit } from './report.ts'
import { setSuspended } from './suspension.ts'
import { setUserLimits } from './userLimits.ts'

/** RPC calls of operators. treasury.ts adds those of users and agents. */
export abstract class OperatedTreasury extends RestorableTreasury implements Api.OperatorCalls, BackupCalls, KeyCalls {
  async keepOwner(owner: Owner) {
    keepOwner(this.context, owner)
  }
  async passwordEpoch() {
    return keptOwner(this.context)?.passwordAt ?? 0
  }
  async compareContacts(contacts: Contact[], isDry: boolean) {
    return compareContacts(this.context, contacts, isDry)
  }
  async reproject(input: { from: ReprojectCursor | null; isDry: boolean }) {
    return reproject(this.context, input)
  }
  async renewKeys() {
    return renewKeys(this.context, () => this.outbox.syncReadModel())
  }
  async suspend(isSuspended: boolean) {
    return setSuspended(this.context, isSuspended)
  }
  async setLimits(change: { [Name in keyof Limits]?: number | null }) {
    return setUserLimits(this.context, change)
  }
  async report() {
    return accountReport(this.context)
  }
  async wakeForOperator() {
    const { schedule, now } = this.context
    for (const kind of ['settle', 'outbox', 'expiry', 'scan'] as const) schedule(kind, now())
    this.submissions.start({ fromTables: true })
    await this.wakeUp()
  }
  async setLinkDown(payoutId: string, isDown: boolean) {
    return andThen(setLinkDown(this.context, payoutId, isDown), async ({ status }) => {
      await this.outbox.flush()
      return ok({ status, isDown })
    })
  }
  async readAudit(before: number | null) {
    return readAudit(this.context, before)
  }
}
