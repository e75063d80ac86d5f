import { useState } from 'react'
import type { Address } from '#chain/types.ts'
import { Button } from '#web/components/Button.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { idOf, knownPasskey, rememberPasskey } from '#web/keptMoney/known.ts'
import { checkCanReceive, createMoney, type NewPasskey, OpenMoney } from '#web/keptMoney/money.ts'
import { isOfBrowser, passkeyText } from '#web/keptMoney/passkeyTexts.ts'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { Frame, Heading } from '../Frame.tsx'
import { WordList } from './WordList.tsx'

type Step =
  | { name: 'begin' }
  /** `earlier`: the account of this passkey's last value, which the next one must equal; null if there was none yet. */
  | { name: 'check'; created: NewPasskey; earlier: Address | null }
  | { name: 'words'; address: Address; words: string }
  | { name: 'ready'; address: Address }

/**
 * Opens an account for the money with a passkey. Each ceremony has a tap of its own, since browsers refuse another one. The
 * money is only sent to an account whose passkey has given the same value twice.
 */
export default function KeepHere(props: {
  payout: ClaimPayout
  balance: string
  rpId: string
  /** Withdraws to the account. */
  onKeep: (address: Address) => void
  busy: boolean
  /** Why the withdrawal failed. */
  problem: string | undefined
  /** Whether the withdrawal may have been accepted, although it failed. */
  isUnknown: boolean
  onBack: () => void
}) {
  const { payout, rpId } = props
  const amount = `${formatAmount(props.balance)} ${unitOf(payout.chain)}`
  const [step, setStep] = useState<Step>({ name: 'begin' })
  const [failure, setFailure] = useState<unknown>(null)
  const [isAsking, setAsking] = useState(false)
  const [hasSaved, setSaved] = useState(false)
  const known = knownPasskey()
  const busy = props.busy || isAsking

  async function ask(ceremony: () => Promise<Step>) {
    setFailure(null)
    setAsking(true)
    try {
      const next = await ceremony()
      setStep(next)
      if (next.name === 'ready') props.onKeep(next.address)
    } catch (error) {
      setFailure(error)
    } finally {
      setAsking(false)
    }
  }

  const create = () =>
    ask(async () => {
      const created = await createMoney(rpId, new Date())
      return { name: 'check', created, earlier: created.address }
    })

  const check = (created: NewPasskey, earlier: Address | null) =>
    ask(async () => {
      const money = await OpenMoney.open(rpId, created.id)
      try {
        return earlier ? await receiveAt(money, earlier) : firstValue(created, money)
      } finally {
        money.close()
      }
    })

  /** Opens the passkey of an earlier payout, which has shown before that its value does not change. */
  const openEarlier = (id?: Uint8Array<ArrayBuffer>) =>
    ask(async () => {
      const money = await OpenMoney.open(rpId, id)
      try {
        return await receiveAt(money, id && known ? known.address : null)
      } finally {
        money.close()
      }
    })

  const problems = (
    <>
      {failure !== null && (
        <div className="mb-4 space-y-3">
          <ErrorBox>{passkeyText(failure)}</ErrorBox>
          {isOfBrowser(failure) && <CopyButton wide className="w-full" text={location.href} what="link to this page" />}
        </div>
      )}
      {props.problem && <ErrorBox className="mb-4">{props.problem}</ErrorBox>}
    </>
  )
  const back = (
    <Button look="quiet" disabled={busy || props.isUnknown} onClick={props.onBack}>
      Back
    </Button>
  )

  switch (step.name) {
    case 'begin':
      return (
        <Frame key="begin" chain={payout.chain}>
          <Heading focused>Keep {amount} here</Heading>
          <ul className="my-4 list-disc space-y-2 pl-5">
            <li>Your phone or computer makes a passkey. It opens with your face, fingerprint or phone code.</li>
            <li>
              Only this passkey opens the money. If you delete it and have not saved your 12 words, nobody can bring the
              money back.
            </li>
            <li>What this account holds is public: whoever paid you can look it up.</li>
          </ul>
          {problems}
          <div className="flex flex-col gap-3">
            {known && (
              <Button busy={busy} onClick={() => openEarlier(idOf(known))}>
                Add it to my money here
              </Button>
            )}
            <Button look={known ? 'secondary' : 'primary'} busy={busy && !known} disabled={busy} onClick={create}>
              Create a passkey
            </Button>
            <Button look="secondary" disabled={busy} onClick={() => openEarlier()}>
              I have done this before
            </Button>
            {back}
          </div>
        </Frame>
      )
    case 'check':
      return (
        <Frame key={`check ${step.earlier}`} chain={payout.chain}>
          <Heading focused>{step.created.address === step.earlier ? 'Open it once' : 'Open it once more'}</Heading>
          <p className="my-4 text-muted">
            Your passkey is made. Open it to see that it works: then the money comes to you.
          </p>
          {problems}
          <div className="flex flex-col gap-3">
            <Button busy={busy} onClick={() => check(step.created, step.earlier)}>
              Open
            </Button>
            {back}
          </div>
        </Frame>
      )
    case 'words':
      return (
        <Frame key="words" chain={payout.chain}>
          <Heading focused>Save your 12 words first</Heading>
          <p className="my-4 text-muted">
            This passkey is on this device alone, with no copy. Without it, these words are the only way to your money.
          </p>
          <WordList words={step.words} />
          <Checkbox
            label="I have saved the 12 words"
            hint={hasSaved ? undefined : 'Tick this to go on.'}
            checked={hasSaved}
            onChange={(event) => setSaved(event.target.checked)}
          />
          {problems}
          <div className="mt-3 flex flex-col gap-3">
            <Button disabled={!hasSaved} busy={busy} onClick={() => props.onKeep(step.address)}>
              Keep {amount} here
            </Button>
            {back}
          </div>
        </Frame>
      )
    case 'ready':
      return (
        <Frame key="ready" chain={payout.chain}>
          <Heading focused>Keep {amount} here</Heading>
          <p className="my-4 text-muted">Your account is open. The money is sent to it.</p>
          {problems}
          <div className="flex flex-col gap-3">
            <Button busy={busy} onClick={() => props.onKeep(step.address)}>
              {props.problem ? 'Try again' : `Keep ${amount} here`}
            </Button>
            {back}
          </div>
        </Frame>
      )
  }
}

/** The value must come a second time: there was none at creation. Throws PasskeyError. */
function firstValue(created: NewPasskey, money: OpenMoney): Step {
  checkCanReceive(money, null)
  return { name: 'check', created, earlier: money.address }
}

/** The step after a passkey that may receive money was opened: a passkey of one device first shows its words. Throws PasskeyError. */
async function receiveAt(money: OpenMoney, earlier: Address | null): Promise<Step> {
  checkCanReceive(money, earlier)
  rememberPasskey(money.id, money.address)
  const { address, isSynced } = money
  return isSynced ? { name: 'ready', address } : { name: 'words', address, words: await money.words() }
}
