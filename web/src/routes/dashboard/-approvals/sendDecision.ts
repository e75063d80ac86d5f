import { ApiError } from '../../../lib/apiError.ts'
import { refreshApprovals } from '../../../queries/approvals.ts'

/**
 * Sends a decision from a dialog, and closes the dialog once it is made. Also when the request has changed or ended: then
 * the card below says what happened.
 */
export async function sendDecision(send: () => Promise<unknown>, close: () => void): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 409 || error.status === 410))) throw error
  }
  await refreshApprovals()
  close()
}
