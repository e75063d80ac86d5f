import { providerDaily } from '../../../../../worker/domain/exposure.ts'
import { formatUsdc } from '../../../../../worker/domain/money.ts'
import { formatAmount } from '../../../lib/format.ts'

/** '10,000': what Bursar may grant one wallet within a UTC day, as the contract bounds it. */
export const dailyText = formatAmount(formatUsdc(providerDaily)).replace(/\.00$/, '')
