import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { IconButton } from './Button.tsx'
import { Input } from './Field.tsx'

/** A password with a switch to see it, and a word when Caps Lock is on. */
export function PasswordInput(props: ComponentProps<'input'>) {
  const [shown, setShown] = useState(false)
  const [caps, setCaps] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <div>
      <div className="relative">
        <Input
          {...props}
          type={shown ? 'text' : 'password'}
          autoCapitalize="none"
          spellCheck={false}
          className="pr-11"
          onKeyUp={(event) => setCaps(event.getModifierState('CapsLock'))}
          onBlur={(event) => {
            setCaps(false)
            props.onBlur?.(event)
          }}
        />
        <IconButton
          label={shown ? 'Hide password' : 'Show password'}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          disabled={props.disabled}
          className="absolute inset-y-0 right-1 my-auto pointer-coarse:right-0"
        >
          <Icon aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      {caps && (
        <p role="status" className="mt-1 text-amber text-small">
          Caps Lock is on
        </p>
      )}
    </div>
  )
}
