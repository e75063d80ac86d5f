import type { MicroUsdc } from '../money.ts'
import { maxPaymentText } from '../rules/maxPayment.ts'
import type { RuleValues } from '../rules/values.ts'

/** Why a group's rules refuse a payment of this amount, whatever else is paid and when. Null: they don't. */
export const groupVerdict = ({ maxPayment }: Pick<RuleValues, 'maxPayment'>, amount: MicroUsdc): string | null =>
  maxPayment !== null && amount > maxPayment ? maxPaymentText(maxPayment) : null
