import { clsx } from 'clsx'

/** The logo: a ring three quarters closed, with a coin in the gap. */
export function Mark(props: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={clsx('text-green', props.className ?? 'size-8')}>
      <path d="M16 4a12 12 0 1 0 12 12" fill="none" stroke="currentColor" strokeWidth="4.5" strokeLinecap="round" />
      <circle cx="24.2" cy="7.8" r="4" fill="currentColor" />
    </svg>
  )
}
