import { type UseFormReturn, useForm } from 'react-hook-form'
import { parseUsdc } from '#domain/money.ts'
import { defaultHours, defaultLimit, durationProblem, limitProblem } from '#domain/sessionKey.ts'
import { formResolver } from '../../../../lib/formResolver.ts'
import type { Grant } from '../../../../queries/sessionKeys.ts'

/** As typed: decimal USDC and whole hours. */
export type GrantValues = { limit: string; hours: string }
export type GrantForm = UseFormReturn<GrantValues>

export const typedHours = (hours: string) => (/^\d{1,6}$/.test(hours.trim()) ? Number(hours) : 0)

/** The limit in micro-USDC; null while it is not allowed. */
export function grantedLimit({ limit }: GrantValues) {
  const amount = parseUsdc(limit.trim())
  return limitProblem(amount) === null ? amount : null
}

/** Values without a problem, as the API takes them. */
export const grantOf = (values: GrantValues): Grant => ({
  spendingLimit: String(grantedLimit(values) ?? 0n),
  ttlHours: typedHours(values.hours),
})

const resolver = formResolver<GrantValues>(({ limit, hours }) => ({
  limit: limitProblem(parseUsdc(limit.trim())),
  hours: durationProblem(typedHours(hours)),
}))

/** A session key's limit and duration. Problems show when a field is left. */
export const useGrantForm = (): GrantForm =>
  useForm<GrantValues>({ resolver, mode: 'onTouched', defaultValues: { limit: defaultLimit, hours: defaultHours } })
