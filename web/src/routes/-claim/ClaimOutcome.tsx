import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '../../components/Button.tsx'
import { Frame } from './Frame.tsx'
import { Heading } from './Heading.tsx'

const looks = {
  missing: { icon: CircleX, colours: 'bg-red-tint text-red' },
  reclaimed: { icon: Undo2, colours: 'bg-sunken text-muted' },
  claimed: { icon: CircleCheck, colours: 'bg-sunken text-muted' },
  complete: { icon: CircleCheck, colours: 'bg-green-tint text-green' },
}

/** A final state of the claim screen: an icon, what happened, and a link to leave. */
export default function ClaimOutcome(props: {
  look: keyof typeof looks
  title: string
  leave: string
  children: ReactNode
  action?: ReactNode
}) {
  const { icon: Icon, colours } = looks[props.look]
  return (
    <Frame>
      <div className="flex flex-col items-center text-center">
        <span className={`mb-4 inline-flex size-12 items-center justify-center rounded-full ${colours}`}>
          <Icon aria-hidden="true" className="size-6" />
        </span>
        <Heading focused>{props.title}</Heading>
        <div className="mt-1 w-full text-balance text-muted">{props.children}</div>
        <div className="mt-6 flex w-full flex-col gap-3 print:hidden">
          {props.action}
          <Link to="/" className={buttonClass('secondary', 'w-full')}>
            {props.leave}
          </Link>
        </div>
      </div>
    </Frame>
  )
}
