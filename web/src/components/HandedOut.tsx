import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { namesText } from '#domain/namesText.ts'
import { dollars, microOf } from '../lib/amounts.ts'
import { messageOf } from '../lib/apiError.ts'
import { formatMoment, plural } from '../lib/format.ts'
import { endHandedOut, type HandedOut, handedOutQuery } from '../queries/handedOut.ts'
import { useMay } from '../queries/people.ts'
import { walletName, walletsQuery } from '../queries/wallets.ts'
import { Checkbox } from './Checkbox.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { Notice } from './Notice.tsx'

/**
 * Confirms what stops agents. Sellers can still take purchases that were handed out; the dialog names those for which `endsFor` is
 * true, with the choice to end them too.
 */
export function StopDialog({
  endsFor,
  act,
  children,
  ...dialog
}: ComponentProps<typeof ConfirmDialog> & { endsFor: (purchases: HandedOut) => boolean }) {
  const handedOut = useHandedOut(endsFor)
  return (
    <ConfirmDialog
      {...dialog}
      act={async () => {
        await act()
        await handedOut.end()
      }}
    >
      {children}
      {handedOut.notice}
    </ConfirmDialog>
  )
}

/** `notice` is false if there is nothing. Call `end` once the stop has taken effect: it does what was chosen, and never throws. */
function useHandedOut(isMeant: (purchases: HandedOut) => boolean) {
  const mayAsk = useMay('policies.handedOut')
  const open = useQuery({ ...handedOutQuery, enabled: mayAsk }).data?.filter(isMeant) ?? []
  const wallets = useQuery(walletsQuery).data ?? []
  const [isChosen, setChosen] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  const from = wallets.filter(({ id }) => open.some(({ walletId }) => walletId === id))
  const renewable = from.filter(({ walletType, exposure }) => walletType === 'smart' && exposure?.canRenew === true)
  const names = (of: typeof wallets) => namesText(of.map(walletName))
  const byOwner = from.filter((wallet) => wallet.walletType === 'smart' && !renewable.includes(wallet))
  const imported = from.filter(({ walletType }) => walletType === 'imported')

  const end = async () => {
    if (!isChosen) return
    try {
      // One after the other: the password may be asked for.
      for (const { id } of renewable) await endHandedOut(id, `${key}:${id}`)
    } catch (error) {
      toast.error(messageOf(error, 'What was handed out could not be stopped. Rotate the session key under Wallets.'))
    }
  }
  const sum = open.reduce((total, { amount }) => total + microOf(amount), 0n)
  const until = Math.max(...open.map((each) => Date.parse(each.until)))
  const count = open.reduce((total, each) => total + each.count, 0)
  const notice = open.length > 0 && (
    <Notice tone="warning">
      <p>
        Sellers can still take {dollars(sum)} for {plural(count, 'purchase')} that {count === 1 ? 'was' : 'were'} handed
        out, until {formatMoment(until)}.
      </p>
      {renewable.length > 0 && (
        <Checkbox
          checked={isChosen}
          onChange={(event) => setChosen(event.target.checked)}
          label={count === 1 ? 'Stop that one too' : 'Stop those too'}
          hint={`Rotates the session key of ${names(renewable)}. Within seconds, that ends all purchases handed out from there, those of other agents too.`}
        />
      )}
      {byOwner.length > 0 && (
        <p>
          Bursar cannot rotate the session key of {names(byOwner)}. To stop those, revoke it with your owner key under
          Wallets.
        </p>
      )}
      {imported.length > 0 && (
        <p>Those from {names(imported)} cannot be stopped before that: it is an imported wallet.</p>
      )}
    </Notice>
  )
  return { notice, end }
}
