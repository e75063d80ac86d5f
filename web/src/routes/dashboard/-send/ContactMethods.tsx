import type { UseFormReturn } from 'react-hook-form'
import type { ContactMethod, SendValues } from '#domain/sendRules.ts'
import { shortAddress } from '#web/lib/format.ts'
import { useSms } from '#web/queries/config.ts'
import type { Contact } from '#web/queries/contacts.ts'
import { methodsOf } from './payment.ts'

const words: Record<ContactMethod, { label: string; hint: string }> = {
  address: { label: 'Wallet address', hint: 'Arrives in seconds and cannot be taken back.' },
  email: {
    label: 'Email',
    hint: 'They get a link and a 6-digit code by email. Until they claim it you can take it back.',
  },
  phone: {
    label: 'Phone',
    hint: 'They get a link and a 6-digit code by SMS. Until they claim it you can take it back.',
  },
}

/** Asks which of the contact's methods to use. A single method is preselected. */
export function ContactMethods(props: { form: UseFormReturn<SendValues>; contact: Contact }) {
  const { form, contact } = props
  const chosen = form.watch('method')
  const error = form.formState.errors.method?.message
  const methods = methodsOf(contact, useSms())
  if (methods.length === 0)
    return <p className="text-small text-muted">This contact has only a phone number, and SMS is not available here.</p>
  return (
    <fieldset aria-describedby={error ? 'method-error' : undefined}>
      <legend className="mb-1 font-medium text-small">Contact method</legend>
      <div className="space-y-2">
        {methods.map((method) => (
          <label
            key={method}
            className="flex cursor-pointer items-start gap-3 rounded-control border border-control px-3 py-2 has-checked:border-green has-checked:bg-green-tint has-focus-visible:outline-2 has-focus-visible:outline-green has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              value={method}
              {...form.register('method')}
              aria-invalid={error ? true : undefined}
              className="mt-1 size-4 shrink-0 accent-green"
            />
            <span className="min-w-0">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{words[method].label}</span>
                <span className={method === 'address' ? 'font-mono text-small' : 'break-all'}>
                  {method === 'address' ? shortAddress(contact.address!) : contact[method]}
                </span>
              </span>
              {chosen === method && <span className="block text-muted text-small">{words[method].hint}</span>}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id="method-error" role="alert" className="mt-1 text-red text-small">
          {error}
        </p>
      )}
    </fieldset>
  )
}
