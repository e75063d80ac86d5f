import type { Deps } from '../appEnv.ts'
import { recordDelivery } from '../db/messages.ts'
import type { Env } from '../env.ts'
import type { ReportReader, ReportRequest } from '../notifications/reports/deliveryReport.ts'
import { resendReport } from '../notifications/reports/resendReport.ts'
import { twilioReport } from '../notifications/reports/twilioReport.ts'

/** Null for an unknown vendor, or if its secret is unset, because reports could not be verified. */
function readerFor(env: Env, vendor: string): ReportReader | null {
  if (vendor === 'resend' && env.RESEND_WEBHOOK_SECRET) return resendReport(env.RESEND_WEBHOOK_SECRET)
  if (vendor === 'twilio' && env.TWILIO_AUTH_TOKEN) return twilioReport(env.TWILIO_AUTH_TOKEN)
  return null
}

/** Stores a vendor's report about a message. Repeating the same report has no effect. */
export async function acceptDeliveryReport(
  { env, db, now }: Deps,
  vendor: string,
  request: ReportRequest,
): Promise<'accepted' | 'not_set_up' | 'unauthenticated'> {
  const reader = readerFor(env, vendor)
  if (!reader) return 'not_set_up'
  const report = reader(request, now())
  if (report === 'unauthenticated') return 'unauthenticated'
  if (report !== 'ignored') {
    const { messageId, ...rest } = report
    await recordDelivery(db, { id: messageId, ...rest }, now())
  }
  return 'accepted'
}
