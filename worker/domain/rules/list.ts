import { approvalTtlHours } from './approvalTtlHours.ts'
import { approveAbove } from './approveAbove.ts'
import { approveNewRecipient } from './approveNewRecipient.ts'
import { blockedAddresses } from './blockedAddresses.ts'
import { duplicateMinutes } from './duplicateMinutes.ts'
import { emailDomains } from './emailDomains.ts'
import { hosts } from './hosts.ts'
import { hours } from './hours.ts'
import { maxNewRecipients } from './maxNewRecipients.ts'
import { maxPayment } from './maxPayment.ts'
import { maxPayments } from './maxPayments.ts'
import { maxUnclaimed } from './maxUnclaimed.ts'
import { periodBudget } from './periodBudget.ts'
import { perRecipient } from './perRecipient.ts'
import { phoneCodes } from './phoneCodes.ts'
import { rollingBudget } from './rollingBudget.ts'
import { unverifiedSellers } from './unverifiedSellers.ts'

/** All rules, in the order in which they refuse and are shown. */
export const rules = [
  maxPayment,
  periodBudget,
  rollingBudget,
  maxPayments,
  maxNewRecipients,
  perRecipient,
  hours,
  maxUnclaimed,
  blockedAddresses,
  emailDomains,
  phoneCodes,
  hosts,
  unverifiedSellers,
  approveAbove,
  approveNewRecipient,
  duplicateMinutes,
  approvalTtlHours,
] as const
