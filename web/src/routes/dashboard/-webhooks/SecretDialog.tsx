import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { formatMoment } from '#web/lib/format.ts'
import type { Webhook } from '#web/queries/webhooks.ts'
import { hostOf } from './words.ts'

export type NewSecret = { webhook: Webhook; secret: string; isNew: boolean; oldSecretUntil?: string }

/** Shows a webhook's secret, which is possible only once. */
export default function SecretDialog(props: { created: NewSecret; onClose: () => void }) {
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
        <div>
          <p className="mb-1 text-muted text-small">Signing secret of {hostOf(webhook)}</p>
          <div className="flex items-center justify-between gap-2 rounded-control bg-sunken py-1.5 pr-2 pl-4">
            <span data-testid="webhook-secret" className="break-all font-mono text-small">
              {secret}
            </span>
            <CopyButton text={secret} what="secret" />
          </div>
        </div>
        <p>
          Use it to check the signature of each request, with any library for Standard Webhooks.{' '}
          {oldSecretUntil && `The old secret also signs until ${formatMoment(oldSecretUntil)}.`}
        </p>
      </div>
    </Dialog>
  )
}
