import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { events, type WebhookEvent, webhookEvents } from '#domain/events.ts'
import { Button } from '#web/components/Button.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { CopyBox } from '#web/components/CopyBox.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { FormDialog, formResolver, TextField } from '#web/components/forms.tsx'
import { formatMoment } from '#web/lib/format.ts'
import { createWebhook, editWebhook, type Webhook } from '#web/queries/webhooks.ts'
import { hostOf } from './words.ts'

type Values = { url: string; all: 'all' | 'some'; events: WebhookEvent[] }

/** Test events are left out: they are sent on request, whatever a webhook's events. */
const choices = webhookEvents.filter((name) => name !== 'webhook.test')

const resolver = formResolver<Values>(({ url, all, events }) => ({
  url: url.trim() === '' ? 'Enter an address' : null,
  events: all === 'some' && events.length === 0 ? 'Choose at least one event' : null,
}))

/** Adds a webhook, or edits `webhook`. */
export default function WebhookDialog(props: {
  webhook?: Webhook
  onClose: () => void
  onCreated?: (created: NewSecret) => void
}) {
  const { webhook } = props
  const listed = webhook?.events.filter((name) => name !== '*') ?? []
  const form = useForm<Values>({
    resolver,
    defaultValues: {
      url: webhook?.url ?? '',
      all: webhook && !webhook.events.includes('*') ? 'some' : 'all',
      events: listed,
    },
  })
  const { errors } = form.formState

  async function send({ url, all, events: chosen }: Values) {
    const body = { url: url.trim(), events: all === 'all' ? (['*'] as const).slice() : chosen }
    if (!webhook) {
      const created = await createWebhook(body)
      props.onCreated?.({ webhook: created, secret: created.secret, isNew: true })
      return
    }
    const saved = await editWebhook(webhook.id, body)
    toast.success(`The webhook at ${hostOf(saved)} is saved.`)
    props.onClose()
  }

  return (
    <FormDialog
      title={webhook ? 'Edit Webhook' : 'New Webhook'}
      subject={webhook?.id ?? null}
      description="Bursar sends each event as a signed POST request."
      form={form}
      onClose={props.onClose}
      submit={[webhook ? 'Save Changes' : 'Create Webhook', 'Saving...']}
      fallback="Failed to save the webhook. Please try again."
      send={send}
    >
      <TextField
        form={form}
        name="url"
        label="Address"
        hint="https on port 443, reachable from the internet."
        type="url"
        placeholder="https://example.com/webhooks"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      <fieldset>
        <legend className="mb-1 font-medium text-small">Events</legend>
        <Checkbox
          type="radio"
          value="all"
          {...form.register('all')}
          label="Every event"
          hint="Includes event types added later."
        />
        <Checkbox type="radio" value="some" {...form.register('all')} label="Only these" />
        {form.watch('all') === 'some' && (
          <fieldset aria-label="Events to send" className="mt-1 ml-7 border-hairline border-l pl-4">
            {choices.map((name) => (
              <Checkbox
                key={name}
                value={name}
                {...form.register('events')}
                label={
                  <span translate="no" className="font-mono text-small">
                    {name}
                  </span>
                }
                hint={events[name].text}
              />
            ))}
          </fieldset>
        )}
        {errors.events?.message && (
          <p role="alert" className="mt-1 text-red text-small">
            {errors.events.message}
          </p>
        )}
      </fieldset>
    </FormDialog>
  )
}

export type NewSecret = { webhook: Webhook; secret: string; isNew: boolean; oldSecretUntil?: string }

/** Shows a webhook's secret, which is possible only once. */
export function SecretDialog(props: { created: NewSecret; onClose: () => void }) {
  const { webhook, secret, isNew, oldSecretUntil } = props.created
  return (
    <Dialog
      title={isNew ? 'Your webhook is ready' : 'The new secret'}
      description="The secret is shown only once. Store it where only your receiver can read it."
      onClose={props.onClose}
      closable={false}
      footer={<Button onClick={props.onClose}>I have stored it</Button>}
    >
      <div className="space-y-4">
        <CopyBox name={`Signing secret of ${hostOf(webhook)}`} what="secret" value={secret} testId="webhook-secret" />
        <p>
          Use it to check the signature of each request, with any library for Standard Webhooks.
          {oldSecretUntil && <span> The old secret also signs until {formatMoment(oldSecretUntil)}.</span>}
        </p>
      </div>
    </Dialog>
  )
}
