import { toast } from 'react-hot-toast/headless'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { deleteWebhook, editWebhook, refreshWebhooks, rotateSecret, type Webhook } from '#web/queries/webhooks.ts'
import type { NewSecret } from './WebhookDialog.tsx'
import { hostOf } from './words.ts'

type Props = { webhook: Webhook; onClose: () => void }

export function DeleteWebhookDialog({ webhook, onClose }: Props) {
  return (
    <ConfirmDialog
      title="Delete Webhook"
      danger
      confirm={['Delete Webhook', 'Deleting...']}
      fallback="Failed to delete the webhook. Please try again."
      act={async () => {
        await deleteWebhook(webhook.id)
        await refreshWebhooks()
        toast.success(`The webhook at ${hostOf(webhook)} was deleted.`)
      }}
      onClose={onClose}
    >
      <p>
        Nothing more is sent to <strong className="wrap-anywhere font-semibold">{webhook.url}</strong>, and its
        deliveries are deleted. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}

export function SwitchWebhookDialog({ webhook, onClose }: Props) {
  const { enabled } = webhook
  return (
    <ConfirmDialog
      title={enabled ? 'Switch Off Webhook' : 'Switch On Webhook'}
      confirm={enabled ? ['Switch Off', 'Switching off...'] : ['Switch On', 'Switching on...']}
      fallback="Failed to change the webhook. Please try again."
      act={async () => {
        await editWebhook(webhook.id, { enabled: !enabled })
        await refreshWebhooks()
        toast.success(`The webhook at ${hostOf(webhook)} is ${enabled ? 'off' : 'on'}.`)
      }}
      onClose={onClose}
    >
      {enabled ? (
        <p>
          Nothing is sent to <strong className="wrap-anywhere font-semibold">{webhook.url}</strong> until you switch it
          on again. Events that occur in the meantime are not sent later.
        </p>
      ) : (
        <p>
          Events are sent to <strong className="wrap-anywhere font-semibold">{webhook.url}</strong> from now on. Events
          missed before it was switched off are in its deliveries, where you can send them again.
        </p>
      )}
    </ConfirmDialog>
  )
}

export function RotateSecretDialog({
  webhook,
  onClose,
  onRotated,
}: Props & { onRotated: (secret: NewSecret) => void }) {
  return (
    <ConfirmDialog
      title="Rotate Secret"
      confirm={['Rotate Secret', 'Rotating...']}
      fallback="Failed to rotate the secret. Please try again."
      act={async () => {
        const rotated = await rotateSecret(webhook.id)
        await refreshWebhooks()
        onRotated({ webhook, isNew: false, ...rotated })
      }}
      onDone={() => {}}
      onClose={onClose}
    >
      <p>
        {hostOf(webhook)} gets a new secret, shown once. The old one also signs every event for 24 hours, so that
        nothing is lost while you replace it.
      </p>
    </ConfirmDialog>
  )
}
