import { useQuery } from '@tanstack/react-query'
import { checksumAddress } from '../../../../../worker/domain/validators.ts'
import { FullAddress } from '../../../components/Address.tsx'
import { Button } from '../../../components/Button.tsx'
import { Fact } from '../../../components/Card.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox } from '../../../components/Field.tsx'
import { formatAmount } from '../../../lib/format.ts'
import { contactsQuery } from '../../../queries/contacts.ts'
import { type Wallet, walletName, walletsQuery } from '../../../queries/wallets.ts'
import type { SendValues } from './SendForm.tsx'

/** Everything once more before money moves, and what can be undone afterwards. */
export function SendReview(props: {
  wallet: Wallet
  values: SendValues
  busy: boolean
  error: string | undefined
  unknown: boolean
  onBack: () => void
  onSend: () => void
  onClose: () => void
}) {
  const { values, busy, unknown } = props
  const amount = formatAmount(values.amount)
  const byEmail = values.to === 'email'
  return (
    <Dialog
      title="Review payment"
      onClose={props.onClose}
      locked={busy}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack} disabled={busy || unknown}>
            Back
          </Button>
          <Button onClick={props.onSend} busy={busy}>
            {unknown ? 'Try again' : busy ? 'Sending...' : `Send ${amount} USDC`}
          </Button>
        </>
      }
    >
      {props.error && (
        <div className="mb-3">
          <ErrorBox>
            {props.error}
            {unknown &&
              ' It is not known whether the payment was accepted. Trying again is safe: it is paid once at most.'}
          </ErrorBox>
        </div>
      )}
      <p className="mb-1 text-muted text-small">To</p>
      {byEmail ? (
        <p className="break-all rounded-control bg-sunken px-4 py-3 font-medium">{values.email}</p>
      ) : (
        <div className="rounded-control bg-sunken py-3 pr-4 pl-8">
          <FullAddress address={checksumAddress(values.address)} />
          <KnownAddress address={values.address} />
        </div>
      )}
      <dl className="mt-3 divide-y divide-hairline">
        <Fact name="Amount">
          <span className="font-semibold">{amount} USDC</span>
        </Fact>
        <Fact name="From">{walletName(props.wallet)}</Fact>
        <Fact name="Network">
          {props.wallet.chain === 'base' ? 'Base' : 'Base Sepolia (test network, no real money)'}
        </Fact>
        <Fact name="Network fee">Covered</Fact>
        {values.memo.trim() && <Fact name="Memo">{values.memo.trim()}</Fact>}
        <Fact name="Can it be undone?">
          {byEmail ? 'Yes: reclaim it any time until it is claimed' : 'No. Compare the address group by group.'}
        </Fact>
      </dl>
    </Dialog>
  )
}

/** Whose address this is, if it is known here; a warning when it only looks like a known one. */
function KnownAddress(props: { address: string }) {
  const contacts = useQuery(contactsQuery).data ?? []
  const wallets = useQuery(walletsQuery).data ?? []
  const address = props.address.toLowerCase()
  const known = [
    ...contacts.flatMap((contact) => (contact.address ? [{ name: contact.name, address: contact.address }] : [])),
    ...wallets.map((wallet) => ({ name: `your wallet ${walletName(wallet)}`, address: wallet.address })),
  ].map((one) => ({ ...one, address: one.address.toLowerCase() }))

  const match = known.find((one) => one.address === address)
  if (match) return <p className="mt-2 text-green text-small">This is {match.name}.</p>
  const twin = known.find(
    (one) => one.address.slice(0, 6) === address.slice(0, 6) && one.address.slice(-4) === address.slice(-4),
  )
  if (!twin) return null
  return (
    <p role="alert" className="mt-2 text-red text-small">
      Careful: this looks like {twin.name} but is a different address.
    </p>
  )
}
