import { ApiError } from '#web/lib/apiError.ts'
import { refreshApprovals } from '#web/queries/approvals.ts'

/**
 * Sends a decision from a dialog and closes the dialog on success. Also closes it if the request has changed or ended: the
 * card below then says what happened.
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
