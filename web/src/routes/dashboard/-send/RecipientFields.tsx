import { Tabs } from '@base-ui/react/tabs'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { UseFormReturn } from 'react-hook-form'
import type { ContactMethod, SendValues } from '#domain/sendRules.ts'
import { ContactPicker } from '#web/components/ContactPicker.tsx'
import { TextField } from '#web/components/forms.tsx'
import { addressNote } from '#web/lib/addressNote.ts'
import { shortAddress } from '#web/lib/format.ts'
import { configQuery, useSms } from '#web/queries/config.ts'
import type { Contact } from '#web/queries/contacts.ts'
import { methodsOf } from './payment.ts'

type Way = SendValues['to']
type Form = UseFormReturn<SendValues>

const tabs: Record<Way, string> = { address: 'Address', email: 'Email', phone: 'Phone', contact: 'Contact' }

const inputs = {
  address: { label: 'Recipient address', type: 'text', placeholder: '0x…', className: 'font-mono text-small' },
  email: { label: 'Recipient email', type: 'email', placeholder: 'name@example.com', className: '' },
  phone: { label: 'Recipient phone', type: 'tel', placeholder: '+1 415 555 0123', className: '' },
}

const hints = {
  email: 'The recipient gets a link and a 6-digit code by email. Until they claim it you can take it back.',
  phone: 'The recipient gets a link and a 6-digit code by SMS. Until they claim it you can take it back.',
}

/** The recipient: a tab for each way to name them, and the fields of the chosen tab. */
export function RecipientFields(props: { form: Form; ways: readonly Way[]; contact: Contact | undefined }) {
  const { form } = props
  const config = useQuery(configQuery).data
  // The tab of phone numbers is there until it is known that there are none: it would move the fields below.
  const ways = props.ways.filter((way) => way !== 'phone' || config?.sms !== false)
  const to = form.watch('to')
  if (ways.length === 1) return <Recipient form={form} way={ways[0]!} contact={props.contact} />
  return (
    <Tabs.Root
      value={to}
      onValueChange={(value: Way) => {
        form.setValue('to', value)
        form.clearErrors()
      }}
    >
      <Tabs.List
        aria-label="Send to"
        className={clsx(
          'mb-4 grid gap-1 rounded-control bg-sunken p-1',
          { 2: 'grid-cols-2', 3: 'grid-cols-3', 4: 'grid-cols-4' }[ways.length],
        )}
      >
        {ways.map((way) => (
          <Tabs.Tab
            key={way}
            value={way}
            disabled={way === 'phone' && !config}
            className="h-9 rounded-[6px] font-medium text-muted text-small aria-selected:bg-card aria-selected:text-ink pointer-coarse:h-11"
          >
            {tabs[way]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {ways.map((way) => (
        <Tabs.Panel key={way} value={way}>
          <Recipient form={form} way={way} contact={props.contact} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}

function Recipient(props: { form: Form; way: Way; contact: Contact | undefined }) {
  const { form, way, contact } = props
  const { errors } = form.formState
  const sms = useSms()
  if (way !== 'contact')
    return (
      <TextField
        form={form}
        name={way}
        {...inputs[way]}
        hint={way === 'address' ? addressNote(form.watch('address')) : hints[way]}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    )
  return (
    <div className="space-y-4">
      <ContactPicker
        value={contact?.id}
        error={errors.contactId?.message}
        onChange={(next) => {
          const [only, ...others] = next ? methodsOf(next, sms) : []
          form.setValue('contactId', next?.id ?? '')
          form.setValue('method', only && others.length === 0 ? only : '')
          form.clearErrors(['contactId', 'method', 'amount'])
        }}
      />
      {contact && <ContactMethods form={form} contact={contact} />}
    </div>
  )
}

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
function ContactMethods(props: { form: UseFormReturn<SendValues>; contact: Contact }) {
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
                <span translate="no" className={method === 'address' ? 'font-mono text-small' : 'break-all'}>
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
