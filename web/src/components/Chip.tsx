import { clsx } from 'clsx'
import { Check, CircleCheck, CircleMinus, CircleX, Clock, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from '../lib/tone.ts'

const tones: Record<Tone, { look: string; icon: LucideIcon }> = {
  good: { look: 'bg-green-tint text-green', icon: CircleCheck },
  waiting: { look: 'bg-amber-tint text-amber', icon: Clock },
  bad: { look: 'bg-red-tint text-red', icon: CircleX },
  neutral: { look: 'bg-sunken text-muted', icon: CircleMinus },
}

/** A status in a word, so that it does not depend on color; with an icon where there is room. */
export function Chip(props: { tone: Tone; children: ReactNode; title?: string; plain?: boolean }) {
  const { look, icon: Icon } = tones[props.tone]
  return (
    <span
      title={props.title}
      className={clsx('inline-flex items-center gap-1 whitespace-nowrap rounded-full px-2.5 py-0.5 text-small', look)}
    >
      {!props.plain && <Icon aria-hidden="true" className="size-3.5 max-lg:hidden" />}
      <span>{props.children}</span>
    </span>
  )
}

/** A quiet tick for what is done, so that chips say what is not. `inWords` shows its word, which others only hear. */
export const Tick = (props: { children: string; inWords?: boolean }) => (
  <span
    title={props.inWords ? undefined : props.children}
    className="relative inline-flex items-center gap-1 whitespace-nowrap align-middle text-muted text-small"
  >
    <Check aria-hidden="true" className="size-4 text-green" />
    <span className={props.inWords ? undefined : 'sr-only'}>{props.children}</span>
  </span>
)
