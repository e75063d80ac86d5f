import { CirclePause } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#web/components/Button.tsx'
import type { PauseSubject } from '#web/queries/agents.ts'
import { useResume } from './useResume.ts'

/** Says what is paused, with a button to resume it. */
export function PausedNotice(props: { subject: PauseSubject; className?: string; children: ReactNode }) {
  const resume = useResume()
  return (
    <div
      role="status"
      className={`flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control bg-amber-tint px-4 py-2 ${props.className ?? ''}`}
    >
      <p className="flex items-center gap-2">
        <CirclePause aria-hidden="true" className="size-5 shrink-0 text-amber" />
        {props.children}
      </p>
      <Button look="secondary" busy={resume.isPending} onClick={() => resume.mutate(props.subject)}>
        Resume
      </Button>
    </div>
  )
}
