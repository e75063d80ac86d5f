import { type ComponentProps, useState } from 'react'
import { Input } from './Field.tsx'

/** A password with a button to show it and a warning when Caps Lock is on. `what` names other kinds of secrets. */
export function PasswordInput({ what = 'password', ...props }: ComponentProps<'input'> & { what?: string }) {
  const [shown, setShown] = useState(false)
  const [caps, setCaps] = useState(false)
  return (
    <div>
      <div className="relative">
        <Input
          {...props}
          type={shown ? 'text' : 'password'}
          autoCapitalize="none"
          spellCheck={false}
          className="pr-16"
          onKeyUp={(event) => setCaps(event.getModifierState('CapsLock'))}
          onBlur={(event) => {
            setCaps(false)
            props.onBlur?.(event)
          }}
        />
        <button
          type="button"
          aria-label={`${shown ? 'Hide' : 'Show'} ${what}`}
          aria-pressed={shown}
          disabled={props.disabled}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-1 right-1 rounded-[6px] px-2.5 font-medium text-green text-small hover:bg-sunken disabled:text-muted"
        >
          {shown ? 'Hide' : 'Show'}
        </button>
      </div>
      {caps && (
        <p role="status" className="mt-1 text-amber text-small">
          Caps Lock is on
        </p>
      )}
    </div>
  )
}
