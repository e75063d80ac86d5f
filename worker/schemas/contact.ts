import { z } from 'zod'
import { address, email, phone } from './common.ts'

/** An item of GET /contacts. */
export type Contact = {
  id: string
  name: string
  address: string | null
  email: string | null
  phone: string | null
  description: string | null
  /** ISO 8601 UTC. */
  createdAt: string
  updatedAt: string
}

/** Trimmed; an empty or null field is an absent one. */
const optional = <Schema extends z.ZodType<string, string>>(schema: Schema) =>
  z.preprocess((value) => {
    const text = typeof value === 'string' ? value.trim() : value
    return text === '' || text === null ? undefined : text
  }, schema.optional())

/** POST and PUT /contacts. `userId` may be sent (the specification does) and must be the caller's own. */
export const SaveContact = z
  .object({
    userId: z.string().max(64).optional(),
    name: z
      .string({ error: 'Name is required' })
      .trim()
      .min(1, 'Name is required')
      .max(100, 'Name must be at most 100 characters'),
    address: optional(address),
    email: optional(email),
    phone: optional(phone),
    description: optional(z.string().max(500, 'Description must be at most 500 characters')),
  })
  .superRefine((value, ctx) => {
    if (!value.address && !value.email && !value.phone)
      ctx.addIssue({
        code: 'custom',
        path: ['address'],
        message: 'At least one contact method (wallet address or email) is required',
      })
  })

export const ContactQuery = z.object({
  search: z.string().trim().max(254).optional(),
  userId: z.string().max(64).optional(),
})
