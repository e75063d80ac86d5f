import { approvalTtlHours } from './approvalTtlHours.ts'
import { approveAbove } from './approveAbove.ts'
import { approveNewRecipient } from './approveNewRecipient.ts'
import { duplicateMinutes } from './duplicateMinutes.ts'
import { emailDomains } from './emailDomains.ts'
import { maxPayment } from './maxPayment.ts'
import { maxUnclaimed } from './maxUnclaimed.ts'
import { periodBudget } from './periodBudget.ts'
import { phoneCodes } from './phoneCodes.ts'

/** All rules, in the order in which they refuse and are shown. */
export const rules = [
  maxPayment,
  periodBudget,
  maxUnclaimed,
  emailDomains,
  phoneCodes,
  approveAbove,
  approveNewRecipient,
  duplicateMinutes,
  approvalTtlHours,
] as const
