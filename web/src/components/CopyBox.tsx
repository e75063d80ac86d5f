import { CopyButton } from './CopyButton.tsx'

/** A value in full, to be copied: a secret that is shown once, a link. `what` completes the button's label: 'Copy link'. */
export function CopyBox(props: { name: string; what: string; value: string; testId?: string; large?: boolean }) {
  return (
    <div>
      <p className="mb-1 text-muted text-small">{props.name}</p>
      <div className="flex items-center justify-between gap-2 rounded-control bg-sunken py-1.5 pr-2 pl-4">
        <span
          translate="no"
          data-testid={props.testId}
          className={props.large ? 'font-mono text-title tracking-[0.25em]' : 'break-all font-mono text-small'}
        >
          {props.value}
        </span>
        <CopyButton text={props.value} what={props.what} />
      </div>
    </div>
  )
}
