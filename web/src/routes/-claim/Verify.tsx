import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Field, Input } from '../../components/Field.tsx'
import { messageOf } from '../../lib/api.ts'
import { type ClaimPayout, verifyPasscode } from '../../queries/claim.ts'
import { Frame } from './Frame.tsx'
import { Summary } from './Summary.tsx'

type Opened = { passcode: string; sessionToken: string; balance: string }

/** The six digits that came by e-mail or SMS. */
export function Verify(props: { payout: ClaimPayout; accessToken: string; onVerified: (opened: Opened) => void }) {
  const { payout } = props
  const [passcode, setPasscode] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const onItsWay = payout.status === 'CREATING'

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (onItsWay) return
    if (passcode.length !== 6) return setError('Passcode must be 6 digits')
    setBusy(true)
    setError(undefined)
    try {
      const reply = await verifyPasscode(props.accessToken, passcode)
      props.onVerified({ passcode, sessionToken: reply.sessionToken, balance: reply.balance })
    } catch (problem) {
      setError(messageOf(problem, 'Invalid passcode'))
      setBusy(false)
      // The field is enabled again only after this render.
      setTimeout(() => input.current?.select())
    }
  }

  return (
    <Frame>
      <Summary payout={payout} />
      <form noValidate onSubmit={submit} className="mt-6 space-y-4 border-hairline border-t pt-5">
        <h1 className="font-semibold text-title">Verify your identity</h1>
        {onItsWay && (
          <p role="status" className="rounded-control bg-amber-tint px-3 py-2 text-amber text-small">
            The payment is on its way. You can continue as soon as it has arrived, usually within a minute.
          </p>
        )}
        <Field label="6-digit code" error={error} hint={<CodeNote payout={payout} />}>
          {(control) => (
            <Input
              {...control}
              ref={input}
              name="passcode"
              inputMode="numeric"
              autoComplete="one-time-code"
              placeholder="000000"
              className="h-14! text-center font-mono text-[24px]! tracking-[0.35em]"
              disabled={busy}
              value={passcode}
              onChange={(event) => {
                setPasscode(event.target.value.replace(/\D/g, '').slice(0, 6))
                setError(undefined)
              }}
            />
          )}
        </Field>
        <Button type="submit" busy={busy} disabled={passcode.length !== 6 || onItsWay} className="w-full">
          Continue
        </Button>
      </form>
    </Frame>
  )
}

function CodeNote(props: { payout: ClaimPayout }) {
  const { recipientEmail, recipientPhone } = props.payout
  if (recipientPhone && !recipientEmail) return <>The code was sent by SMS to {recipientPhone}.</>
  return <>The code was sent by email{recipientEmail ? ` to ${recipientEmail}` : ''}.</>
}
