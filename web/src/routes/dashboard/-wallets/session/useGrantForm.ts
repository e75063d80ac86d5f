import { type UseFormReturn, useForm } from 'react-hook-form'
import { defaultHours, defaultLimit, durationProblem, limitProblem } from '#domain/sessionKey.ts'
import { typedMicro } from '#web/lib/amounts.ts'
import { formResolver } from '#web/lib/formResolver.ts'
import type { Grant } from '#web/queries/sessionKeys.ts'

/** Shown if the server gives no reason. */
export const rotationFailed = 'Failed to rotate session key. Please try again or contact support.'

/** Values as typed: decimal USDC and whole hours. */
export type GrantValues = { limit: string; hours: string }
export type GrantForm = UseFormReturn<GrantValues>

/** 0 for an empty field; NaN if the text is not a number. */
export const typedHours = (hours: string) => (/^\d{0,6}(?:\.\d*)?$/.test(hours.trim()) ? Number(hours) : Number.NaN)

/** The limit in micro-USDC; null while it is not allowed. */
export function grantedLimit({ limit }: GrantValues) {
  const amount = typedMicro(limit)
  return limitProblem(amount) === null ? amount : null
}

/** Converts valid values to the API's format. */
export const grantOf = (values: GrantValues): Grant => ({
  spendingLimit: String(grantedLimit(values) ?? 0n),
  ttlHours: typedHours(values.hours),
})

const resolver = formResolver<GrantValues>(({ limit, hours }) => ({
  limit: limitProblem(typedMicro(limit)),
  hours: durationProblem(typedHours(hours)),
}))

/** A session key's limit and duration. Problems are shown when a field loses focus. */
export const useGrantForm = (): GrantForm =>
  useForm<GrantValues>({ resolver, mode: 'onTouched', defaultValues: { limit: defaultLimit, hours: defaultHours } })
