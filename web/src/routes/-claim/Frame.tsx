import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '../../components/Button.tsx'
import { Mark } from '../../components/Mark.tsx'
import { appName } from '../../lib/app.ts'

/** The one card in the middle of the claim screen. */
export function Frame(props: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <main className="w-full max-w-[440px] rounded-card border border-hairline bg-card p-6 sm:p-8">
        {props.children}
      </main>
      <p className="mt-6 flex items-center gap-2 text-muted text-small">
        <Mark className="size-4" />
        Sent with {appName}. USDC on the Base network.
      </p>
    </div>
  )
}

/** An end of the road: an icon, what happened, and a way out. */
export function Ending(props: {
  icon: LucideIcon
  tone: 'good' | 'bad' | 'neutral'
  title: string
  leave: string
  children: ReactNode
  action?: ReactNode
}) {
  const Icon = props.icon
  const tones = { good: 'bg-green-tint text-green', bad: 'bg-red-tint text-red', neutral: 'bg-sunken text-muted' }
  return (
    <Frame>
      <div className="flex flex-col items-center text-center">
        <span className={`mb-4 inline-flex size-12 items-center justify-center rounded-full ${tones[props.tone]}`}>
          <Icon aria-hidden="true" className="size-6" />
        </span>
        <h1 className="font-semibold text-title">{props.title}</h1>
        <div className="mt-1 w-full text-balance text-muted">{props.children}</div>
        <div className="mt-6 flex w-full flex-col gap-3">
          {props.action}
          <Link to="/" className={buttonClass('secondary', 'w-full')}>
            {props.leave}
          </Link>
        </div>
      </div>
    </Frame>
  )
}
