import { type FormEvent, useRef, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { CodeInput, Resend } from '#web/components/Code.tsx'
import { Field } from '#web/components/Field.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { useAction } from '#web/lib/useAction.ts'
import { type ClaimPayout, resendPasscode, verifyPasscode } from '#web/queries/claim.ts'
import type { Verified } from './claimProgress.ts'
import { Frame, Heading, Summary } from './Frame.tsx'

const tooShort = 'Passcode must be 6 digits'

/** Asks for the six-digit code that was sent by email or SMS. */
export function Verify(props: {
  payout: ClaimPayout
  accessToken: string
  /** Why the code has to be entered again. */
  problem: string | undefined
  /** The payout has ended, as its status tells. */
  onEnded: () => void
  onVerified: (verified: Verified) => void
}) {
  const { payout } = props
  const [passcode, setPasscode] = useState('')
  const input = useRef<HTMLInputElement>(null)
  /** The last wrong code. It is not sent again: a late tap would cost another attempt. */
  const wrong = useRef<string>(null)
  const isFunding = payout.status === 'CREATING'
  const { start, busy, problem, setProblem } = useAction(
    async (passcode: string) => {
      const { verified, sessionToken, balance } = await verifyPasscode(props.accessToken, passcode)
      if (!verified) throw new Error('not verified')
      return { passcode, sessionToken, balance }
    },
    {
      initialProblem: props.problem,
      fallback: 'Invalid passcode',
      onDone: props.onVerified,
      onFailed(error, _, passcode) {
        if (error instanceof ApiError && error.code === 'wrong_passcode') wrong.current = passcode
        if (error instanceof ApiError && error.status === 410) props.onEnded()
        input.current?.focus()
        input.current?.select()
      },
      leaves: true,
    },
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isFunding || busy) return
    if (passcode.length !== 6) setProblem(tooShort)
    if (passcode.length !== 6 || passcode === wrong.current) return input.current?.focus()
    start(passcode)
  }

  return (
    <Frame chain={payout.chain}>
      <Summary payout={payout} />
      <form noValidate onSubmit={submit} className="mt-6 space-y-4 border-hairline border-t pt-5">
        <Heading>Verify your identity</Heading>
        {isFunding && (
          <p role="status" className="rounded-control bg-amber-tint px-3 py-2 text-amber text-small">
            The payment is on its way. You can continue as soon as it has arrived, usually within a minute.
          </p>
        )}
        <Field label="6-digit code" error={problem} hint={<CodeNote payout={payout} />}>
          {(control) => (
            <CodeInput
              {...control}
              ref={input}
              name="passcode"
              autoFocus
              readOnly={busy}
              value={passcode}
              onChange={(event) => {
                const typed = event.target.value
                setPasscode(typed)
                setProblem(undefined)
                // The sixth digit submits the code, whether it was typed, pasted or filled in by the phone.
                if (typed.length === 6 && typed !== passcode && !isFunding) start(typed)
              }}
            />
          )}
        </Field>
        {/* A press says what is missing, so the button is not `disabled`. */}
        <Button
          type="submit"
          busy={busy}
          disabled={isFunding}
          aria-disabled={passcode.length !== 6 || undefined}
          className="w-full aria-disabled:bg-sunken! aria-disabled:text-muted!"
        >
          Continue
        </Button>
      </form>
      <div className="mt-3">
        <Resend
          missing={isFunding && 'A code is sent once the payment has arrived.'}
          onSend={async () => {
            await resendPasscode(props.accessToken)
            wrong.current = null
            setPasscode('')
            setProblem(undefined)
          }}
          sent="A new code is on its way. The old one no longer works."
        />
      </div>
    </Frame>
  )
}

function CodeNote(props: { payout: ClaimPayout }) {
  const { recipientEmail, recipientPhone, status } = props.payout
  const by = recipientPhone && !recipientEmail ? 'SMS' : 'email'
  const recipient = recipientEmail ?? recipientPhone
  const to = recipient ? ` to ${recipient}` : ''
  if (status === 'CREATING') return <>{`The code will be sent by ${by}${to} once the payment has arrived.`}</>
  return <>{`The code was sent by ${by}${to}.`}</>
}
