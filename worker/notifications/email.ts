import { type EmailPart, emailHtml, emailText } from './emailBody.ts'
import type { Message } from './message.ts'

/** Builds an email with these parts, as text and as HTML. */
export function email(input: {
  id: string
  to: string
  subject: string
  payoutId?: string
  parts: EmailPart[]
}): Message {
  const { parts, ...rest } = input
  return { ...rest, channel: 'email', text: emailText(parts), html: emailHtml(rest.subject, parts) }
}
