import { useState } from 'react'
import type { Address } from '#chain/types.ts'
import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { idOf, knownPasskey, rememberPasskey } from '#web/keptMoney/known.ts'
import { OpenMoney } from '#web/keptMoney/money.ts'
import { isOfBrowser, otherPasskey, passkeyText } from '#web/keptMoney/passkeyTexts.ts'

class OtherPasskey extends Error {}

/** A button that opens the account with a touch. `expected`: the account that it must be; null for any. */
export default function Door(props: {
  rpId: string
  expected: Address | null
  label: string
  onOpened: (money: OpenMoney) => Promise<void> | void
  disabled?: boolean
}) {
  const [failure, setFailure] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)

  async function open() {
    setFailure(null)
    setBusy(true)
    try {
      const known = knownPasskey()
      // After a failure the person may choose another passkey: the known one may be gone.
      const isKnown = known && failure === null && (props.expected === null || known.address === props.expected)
      const money = await OpenMoney.open(props.rpId, isKnown ? idOf(known) : undefined)
      try {
        // Before anything of the account is shown.
        if (props.expected && money.address !== props.expected) throw new OtherPasskey()
        rememberPasskey(money.id, money.address)
        await props.onOpened(money)
      } finally {
        money.close()
      }
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      {failure !== null && (
        <>
          <ErrorBox>{failure instanceof OtherPasskey ? otherPasskey : passkeyText(failure)}</ErrorBox>
          {isOfBrowser(failure) && <CopyButton wide text={location.href} what="link to this page" />}
        </>
      )}
      <Button busy={busy} disabled={props.disabled} onClick={open}>
        {props.label}
      </Button>
    </>
  )
}
