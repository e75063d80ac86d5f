import { Eye, EyeOff } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Field, Input } from '#web/components/Field.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { SecretCopyButton } from '#web/components/SecretCopyButton.tsx'

const generatingMs = 2_000 // 2 seconds
const confirmation = 'I have saved my private key'

type Keypair = { phrase: string; ownerAddress: string }

/** A new 12-word phrase and the address of its first account. Only the address leaves this browser. */
async function makeKeypair(): Promise<Keypair> {
  const { english, generateMnemonic, mnemonicToAccount } = await import('viem/accounts')
  const phrase = generateMnemonic(english, 128)
  return { phrase, ownerAddress: mnemonicToAccount(phrase).address }
}

/** The owner key: a disclaimer, its twelve words, and the confirmation that they are saved. */
export function KeypairStep(props: {
  keypair: Keypair | null
  error: ReactNode
  onKeypair: (keypair: Keypair) => void
  onDone: (keypair: Keypair) => void
  onClose: () => void
}) {
  const [understood, setUnderstood] = useState(false)
  const [generating, setGenerating] = useState(false)
  const onKeypair = useEffectEvent(props.onKeypair)

  useEffect(() => {
    if (!generating) return
    let current = true
    const wait = new Promise((resolve) => setTimeout(resolve, generatingMs))
    Promise.all([makeKeypair(), wait])
      .then(([keypair]) => current && onKeypair(keypair))
      .catch(() => {
        if (!current) return
        setGenerating(false)
        toast.error('The key could not be generated. Please try again.')
      })
    return () => {
      current = false
    }
  }, [generating])

  if (props.keypair) return <PhraseForm {...props} keypair={props.keypair} />
  return (
    <Dialog
      title="Wallet Security Setup"
      description="Your wallet gets an owner key, generated in this browser and shown to you once."
      onClose={props.onClose}
      locked={generating}
      cancel="Cancel"
      footer={
        <GatedButton
          missing={understood ? null : 'Tick the box above first.'}
          busy={generating}
          onClick={() => setGenerating(true)}
        >
          {generating ? 'Generating...' : 'Generate Recovery Phrase'}
        </GatedButton>
      }
    >
      <ul className="mb-4 list-disc space-y-2 pl-5 marker:text-faint">
        <li>Only this key can withdraw everything, end our access permanently, or reclaim payouts without us.</li>
        <li>It is never sent to us, so we can’t restore it. Anyone who has the words owns the wallet.</li>
        <li>We hold a session key: it can only send USDC, up to a limit and until a date, and you can revoke it.</li>
      </ul>
      <Checkbox
        checked={understood}
        disabled={generating}
        onChange={(event) => setUnderstood(event.target.checked)}
        label="I understand that only I can keep this key, and that no one can restore it."
      />
    </Dialog>
  )
}

function PhraseForm(props: {
  keypair: Keypair
  error: ReactNode
  onDone: (keypair: Keypair) => void
  onClose: () => void
}) {
  const { keypair } = props
  const [revealed, setRevealed] = useState(false)
  // After a failed deployment the user has already confirmed this phrase.
  const again = Boolean(props.error)
  const [saved, setSaved] = useState(again)
  const [typed, setTyped] = useState(again ? confirmation : '')
  const confirmed = typed.trim().toLowerCase() === confirmation.toLowerCase()

  // Hides the words when the user switches to another window, where others may see the screen.
  useEffect(() => {
    const hide = () => setRevealed(false)
    addEventListener('blur', hide)
    return () => removeEventListener('blur', hide)
  }, [])

  return (
    <Dialog
      title="Save your recovery phrase"
      description="Write these 12 words down in order and keep them offline. You won’t see them again."
      onClose={props.onClose}
      // Escape would discard words that may have been written down already.
      closable={false}
      onSubmit={() => saved && confirmed && props.onDone(keypair)}
      cancel="Cancel"
      footer={
        <GatedButton
          type="submit"
          missing={
            !saved ? 'Save the phrase and tick the box first.' : confirmed ? null : `Type “${confirmation}” first.`
          }
        >
          Deploy Wallet
        </GatedButton>
      }
    >
      <div className="space-y-4">
        {props.error}
        <Words phrase={keypair.phrase} revealed={revealed} />
        <div className="flex flex-wrap gap-3">
          <Button look="secondary" aria-pressed={revealed} onClick={() => setRevealed(!revealed)}>
            {revealed ? (
              <EyeOff aria-hidden="true" className="size-4" />
            ) : (
              <Eye aria-hidden="true" className="size-4" />
            )}
            {revealed ? 'Hide phrase' : 'Reveal phrase'}
          </Button>
          {revealed && <SecretCopyButton text={keypair.phrase} what="recovery phrase" />}
        </div>
        <Checkbox
          checked={saved}
          onChange={(event) => setSaved(event.target.checked)}
          label="I have securely saved my recovery phrase"
        />
        <Field label={`Type “${confirmation}” to continue`}>
          {(control) => (
            <Input
              {...control}
              name="confirmation"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}

function Words(props: { phrase: string; revealed: boolean }) {
  return (
    <ol aria-label="Recovery phrase" data-testid="recovery-phrase" className="grid grid-cols-2 gap-2 sm:grid-cols-3">
      {props.phrase.split(' ').map((word, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a word is identified by its position
        <li key={i} className="flex items-center gap-2 rounded-control bg-sunken px-3 py-1.5">
          <span aria-hidden="true" className="w-5 text-right text-muted text-small">
            {i + 1}
          </span>
          <span translate="no" className="font-mono">
            {props.revealed ? word : '••••••'}
          </span>
        </li>
      ))}
    </ol>
  )
}
