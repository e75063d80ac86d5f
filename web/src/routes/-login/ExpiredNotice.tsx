import { expiredText } from '#web/lib/expiredText.ts'

export default function ExpiredNotice() {
  return (
    <p role="status" className="mb-4 rounded-control bg-amber-tint px-3 py-2 text-amber text-small">
      {expiredText}
    </p>
  )
}
