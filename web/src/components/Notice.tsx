import { clsx } from 'clsx'
import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const tones = {
  info: { look: 'bg-sunken text-ink', icon: Info },
  warning: { look: 'bg-amber-tint text-amber', icon: TriangleAlert },
  danger: { look: 'bg-red-tint text-red', icon: TriangleAlert },
}

/** Something to know before continuing. For failures see ErrorBox. */
export function Notice(props: { tone: keyof typeof tones; className?: string; children: ReactNode }) {
  const { look, icon: Icon } = tones[props.tone]
  return (
    <div
      role={props.tone === 'info' ? 'note' : 'alert'}
      className={clsx('flex items-start gap-2.5 rounded-control px-3 py-2 text-small', look, props.className)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 break-words">{props.children}</div>
    </div>
  )
}
