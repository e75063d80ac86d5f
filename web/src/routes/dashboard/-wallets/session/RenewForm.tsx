import { Button } from '../../../../components/Button.tsx'
import { Dialog } from '../../../../components/Dialog.tsx'
import { ErrorBox } from '../../../../components/Field.tsx'
import { useIdempotencyKey } from '../../../../lib/hooks.ts'
import { type Grant, offerSession } from '../../../../queries/sessionKeys.ts'
import type { SessionKeyInfo, Wallet } from '../../../../queries/wallets.ts'
import { Exposure } from './Exposure.tsx'
import { GrantFields, useGrant } from './GrantForm.tsx'
import { OwnerKey } from './OwnerKey.tsx'
import { useOwnerAction } from './useOwnerAction.ts'

/** The owner signs: we make a fresh key and offer its address, only the owner's signature puts it in force. */
export function RenewForm(props: {
  wallet: Wallet
  info: SessionKeyInfo
  onBack: () => void
  onStarted: (actionId: string) => void
  onClose: () => void
}) {
  const { wallet } = props
  const grant = useGrant()
  const idempotencyKey = useIdempotencyKey()
  let asked: Grant | null = null
  const owner = useOwnerAction({
    wallet,
    kind: 'setSession',
    failed: 'Failed to rotate session key',
    onStarted: props.onStarted,
    async prepare() {
      // Another grant is another offer.
      const key = `${idempotencyKey.current()}:${asked!.spendingLimit}:${asked!.ttlHours}`
      const offer = await offerSession(wallet.id, asked!, key)
      const { actionId, sessionKeyAddress: sessionKey, validUntil } = offer
      const message = { sessionKey, limit: BigInt(offer.spendingLimit), validUntil }
      return { turn: offer, message, input: { actionId } }
    },
  })

  return (
    <Dialog
      title="Renew with your owner key"
      description="You sign for a fresh session key. We bring it on chain; the network fee is covered."
      onClose={props.onClose}
      locked={owner.busy}
      onSubmit={(event) => {
        event.preventDefault()
        asked = grant.check()
        if (asked) void owner.run()
      }}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack} disabled={owner.busy}>
            Back
          </Button>
          <Button type="submit" busy={owner.busy} disabled={!owner.ready}>
            Sign and renew
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {owner.general && <ErrorBox>{owner.general}</ErrorBox>}
        <GrantFields {...grant.props} disabled={owner.busy} />
        <Exposure wallet={wallet} info={props.info} nextLimit={grant.limit} />
        <OwnerKey {...owner.keyProps} />
      </div>
    </Dialog>
  )
}
