/** The bar above a dialog's buttons that offers to stop waiting. */
export const LateReply = (props: { onStopWaiting: () => void }) => (
  <div
    role="alert"
    className="flex flex-wrap items-center justify-between gap-x-4 bg-amber-tint px-5 py-2 text-amber text-small"
  >
    The server has not replied yet.
    <button
      type="button"
      onClick={props.onStopWaiting}
      className="min-h-6 rounded-sm font-medium underline underline-offset-3 pointer-coarse:min-h-11"
    >
      Stop waiting
    </button>
  </div>
)
