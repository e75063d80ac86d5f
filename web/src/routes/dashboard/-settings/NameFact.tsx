import { useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { personName } from '#domain/nameRules.ts'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { Button } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { formResolver, TextField } from '#web/components/forms.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { rename } from '#web/queries/account.ts'

/** The user's name, replaced by a small form while it is edited. */
export function NameFact(props: { name: string | null }) {
  const [editing, setEditing] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)

  function close() {
    setEditing(false)
    // The button exists again after the next render.
    requestAnimationFrame(() => edit.current?.focus())
  }

  if (editing) return <NameForm name={props.name} onClose={close} />
  return (
    <Fact name="Name">
      <span className="inline-flex max-w-full items-center gap-3">
        <span className="min-w-0 break-words">{props.name ?? 'Not set'}</span>
        <button
          ref={edit}
          type="button"
          aria-label="Edit name"
          className="-my-1 rounded-control px-2 py-1 font-medium text-green text-small hover:bg-sunken pointer-coarse:py-2.5"
          onClick={() => setEditing(true)}
        >
          Edit
        </button>
      </span>
    </Fact>
  )
}

type Values = { name: string }
const resolver = formResolver<Values>(({ name }) => ({ name: problemIn(readText(personName, name)) }))

function NameForm(props: { name: string | null; onClose: () => void }) {
  const form = useForm<Values>({
    resolver,
    reValidateMode: 'onSubmit',
    defaultValues: { name: props.name ?? '' },
  })
  const { isSubmitting: busy } = form.formState

  const save = form.handleSubmit(async (values) => {
    const name = values.name.trim()
    if (name === props.name) return props.onClose()
    try {
      await rename(name)
      toast.success('Your name is saved.')
      props.onClose()
    } catch (error) {
      form.setError('name', { message: messageOf(error, 'Failed to save your name') })
    }
  })

  return (
    <div className="py-3">
      <dt className="sr-only">Name</dt>
      <dd>
        <form noValidate onSubmit={save} className="space-y-3">
          <TextField
            form={form}
            name="name"
            label="Name"
            options={{ onChange: () => form.clearErrors() }}
            autoFocus
            autoComplete="name"
            readOnly={busy}
            onKeyDown={(event) => event.key === 'Escape' && !busy && props.onClose()}
          />
          <div className="flex gap-3">
            <Button type="submit" busy={busy}>
              Save
            </Button>
            <Button look="quiet" disabled={busy} onClick={props.onClose}>
              Cancel
            </Button>
          </div>
        </form>
      </dd>
    </div>
  )
}
