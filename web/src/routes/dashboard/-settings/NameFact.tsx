import { type FormEvent, useRef, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from '../../../components/Button.tsx'
import { Fact } from '../../../components/Card.tsx'
import { Field, Input } from '../../../components/Field.tsx'
import { messageOf } from '../../../lib/api.ts'
import { rename } from '../../../queries/account.ts'

/** The user's name, and a small form in its place while it is edited. */
export function NameFact(props: { name: string | null }) {
  const [draft, setDraft] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const edit = useRef<HTMLButtonElement>(null)

  function close() {
    setDraft(null)
    setError(undefined)
    // The button comes back with the next render.
    requestAnimationFrame(() => edit.current?.focus())
  }

  async function save(event: FormEvent) {
    event.preventDefault()
    const name = draft?.trim()
    if (!name) return setError('Please enter your name')
    if (name === props.name) return close()
    setBusy(true)
    setError(undefined)
    try {
      await rename(name)
      toast.success('Your name is saved.')
      close()
    } catch (problem) {
      setError(messageOf(problem, 'Failed to save your name'))
    } finally {
      setBusy(false)
    }
  }

  if (draft === null)
    return (
      <Fact name="Name">
        <span className="inline-flex max-w-full items-center gap-3">
          <span className="min-w-0 break-words">{props.name ?? 'Not set'}</span>
          <button
            ref={edit}
            type="button"
            aria-label="Edit name"
            className="-my-1 rounded-control px-2 py-1 font-medium text-green text-small hover:bg-sunken pointer-coarse:py-2.5"
            onClick={() => setDraft(props.name ?? '')}
          >
            Edit
          </button>
        </span>
      </Fact>
    )
  return (
    <div className="py-3">
      <dt className="sr-only">Name</dt>
      <dd>
        <form noValidate onSubmit={save} className="space-y-3">
          <Field label="Name" error={error}>
            {(control) => (
              <Input
                {...control}
                name="name"
                autoFocus
                autoComplete="name"
                maxLength={100}
                readOnly={busy}
                value={draft}
                onChange={(event) => {
                  setDraft(event.target.value)
                  setError(undefined)
                }}
                onKeyDown={(event) => event.key === 'Escape' && !busy && close()}
              />
            )}
          </Field>
          <div className="flex gap-3">
            <Button type="submit" busy={busy}>
              Save
            </Button>
            <Button look="quiet" disabled={busy} onClick={close}>
              Cancel
            </Button>
          </div>
        </form>
      </dd>
    </div>
  )
}
