import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, buttonClass } from '#web/components/Button.tsx'
import type { Chain } from '#web/lib/networks.ts'
import { storedUser } from '#web/lib/tokens.ts'
import { Frame } from './Frame.tsx'
import { Heading } from './Heading.tsx'

const looks = {
  missing: { icon: CircleX, colours: 'bg-red-tint text-red' },
  reclaimed: { icon: Undo2, colours: 'bg-sunken text-muted' },
  claimed: { icon: CircleCheck, colours: 'bg-sunken text-muted' },
  complete: { icon: CircleCheck, colours: 'bg-green-tint text-green' },
}

/** A final state of the claim screen: an icon, what happened, and a way to leave. */
export default function ClaimOutcome(props: {
  look: keyof typeof looks
  title: string
  leave: string
  children: ReactNode
  action?: ReactNode
  chain?: Chain
}) {
  const { icon: Icon, colours } = looks[props.look]
  return (
    <Frame chain={props.chain}>
      <div className="flex flex-col items-center text-center">
        <span className={`mb-4 inline-flex size-12 items-center justify-center rounded-full ${colours}`}>
          <Icon aria-hidden="true" className="size-6" />
        </span>
        <Heading focused>{props.title}</Heading>
        <div className="mt-1 w-full text-balance text-muted">{props.children}</div>
        <div className="mt-6 flex w-full flex-col gap-3 print:hidden">
          {props.action}
          <Leave label={props.leave} />
        </div>
      </div>
    </Frame>
  )
}

/** Links signed-in users to the app. Others are told to close the page, since a sign-in form would not help them. */
function Leave(props: { label: string }) {
  const [left, setLeft] = useState(false)
  if (storedUser())
    return (
      <Link to="/" className={buttonClass('secondary', 'w-full')}>
        {props.label}
      </Link>
    )
  return (
    <>
      {!left && (
        <Button look="secondary" onClick={() => setLeft(true)}>
          {props.label}
        </Button>
      )}
      <p role="status" className="text-muted">
        {left && 'You can close this page.'}
      </p>
    </>
  )
}
