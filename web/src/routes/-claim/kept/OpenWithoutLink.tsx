import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Address } from '#chain/types.ts'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Spinner } from '#web/components/Spinner.tsx'
import { isOfferedHere } from '#web/keptMoney/isOfferedHere.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { configQuery } from '#web/queries/config.ts'
import { Frame, Heading } from '../Frame.tsx'
import Door from './Door.tsx'
import KeptMoney from './KeptMoney.tsx'

/** For recipients who have lost the link: their passkey alone opens the account. */
export default function OpenWithoutLink() {
  useTitle('Open your money')
  const { data: config, isError, refetch } = useQuery(configQuery)
  const [address, setAddress] = useState<Address | null>(null)
  if (!config && !isError) return <Spinner />
  const chain = config?.primaryChain ?? 'base'
  const rpId = config?.passkeyDomain ?? null
  if (address && rpId) return <KeptMoney {...{ address, rpId, chain }} payout={null} onClose={() => setAddress(null)} />
  return (
    <Frame chain={chain}>
      <Heading>Open your money</Heading>
      {!config ? (
        <div className="mt-4 flex flex-col gap-3">
          <ErrorBox>This page could not be loaded completely.</ErrorBox>
          <Button onClick={() => refetch()}>Try again</Button>
        </div>
      ) : isOfferedHere(rpId) ? (
        <>
          <p className="my-3 text-muted">
            If you kept a payout here, your passkey opens it: by your face, fingerprint or phone code. To claim a new
            payout, open its own link.
          </p>
          <div className="flex flex-col gap-3">
            <Door rpId={rpId} expected={null} label="Open" onOpened={(money) => setAddress(money.address)} />
          </div>
        </>
      ) : (
        <p className="my-3 text-muted">To claim a payout, open the link that you were sent.</p>
      )}
    </Frame>
  )
}
