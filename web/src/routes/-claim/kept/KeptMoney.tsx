import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Address } from '#chain/types.ts'
import { AddressBox } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { QrCode } from '#web/components/QrCode.tsx'
import { Spinner } from '#web/components/Spinner.tsx'
import { keptBalanceQuery } from '#web/keptMoney/balance.ts'
import { storedSendOn } from '#web/keptMoney/sendOns.ts'
import { microOf } from '#web/lib/amounts.ts'
import { formatAmount } from '#web/lib/format.ts'
import { type Chain, networkName, unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { configQuery } from '#web/queries/config.ts'
import { Frame, Heading } from '../Frame.tsx'
import Door from './Door.tsx'
import { SendOn } from './SendOn.tsx'
import { WordList } from './WordList.tsx'

/** From here on the page asks for the words to be saved. */
const askForWordsFrom = 50_000_000n // 50 USDC

type Screen = 'account' | 'send' | 'address' | 'words'

/** An account that was opened: its balance, sending, its address and its words. The key is not here: each use asks for a touch. */
export default function KeptMoney(props: {
  address: Address
  rpId: string
  chain: Chain
  /** The payout that pays for sending on; null without a link. */
  payout: (ClaimPayout & { accessToken: string }) | null
  onClose: () => void
}) {
  const { address, rpId, chain, payout } = props
  const [screen, setScreen] = useState<Screen>(payout && storedSendOn(payout.id) ? 'send' : 'account')
  const [words, setWords] = useState<string | null>(null)
  const { data: config } = useQuery(configQuery)
  const balance = useQuery({
    ...keptBalanceQuery({ address, chain, accessToken: payout?.accessToken ?? null }, config!),
    enabled: config !== undefined,
  })
  const held = balance.data?.balance
  const leave = () => {
    setWords(null)
    setScreen('account')
    void balance.refetch()
  }
  const back = (
    <Button look="quiet" onClick={leave}>
      Back
    </Button>
  )

  switch (screen) {
    case 'send':
      return (
        <SendOn
          {...{ address, rpId, chain }}
          payout={payout!}
          usdc={config?.chains[chain === 'base' ? '8453' : '84532'].contracts.usdc as Address | undefined}
          balance={held}
          clockAheadMinutes={balance.data?.clockAheadMinutes ?? 0}
          onBack={leave}
        />
      )
    case 'address':
      return (
        <Frame key={screen} chain={chain}>
          <Heading focused>Your address</Heading>
          <p className="my-3 text-muted">
            Anyone can send you {unitOf(chain)} on {networkName(chain)} here. An address on another network may lose the
            money.
          </p>
          <div className="mb-4 flex justify-center">
            <QrCode text={address} label="Your address as a QR code" />
          </div>
          <AddressBox address={address} />
          <div className="mt-4 flex flex-col gap-3">
            <CopyButton wide text={address} what="address" />
            {back}
          </div>
        </Frame>
      )
    case 'words':
      return (
        <Frame key={screen} chain={chain}>
          <Heading focused>Your 12 words</Heading>
          {words ? (
            <div className="mt-4">
              <WordList words={words} />
              <div className="flex flex-col">{back}</div>
            </div>
          ) : (
            <>
              <p className="my-3 text-muted">
                They open your money in any wallet app, also if your passkey is deleted or this site is gone. Make sure
                that nobody sees your screen.
              </p>
              <div className="flex flex-col gap-3">
                <Door
                  rpId={rpId}
                  expected={address}
                  label="Show my 12 words"
                  onOpened={async (money) => setWords(await money.words())}
                />
                {back}
              </div>
            </>
          )}
        </Frame>
      )
    default:
      return (
        <Frame key={screen} chain={chain}>
          <div className="text-center">
            <Heading focused>Your money</Heading>
            {held !== undefined ? (
              <p className="mt-1 font-semibold text-figure" data-testid="kept-balance">
                {formatAmount(held)} <span className="font-normal text-muted text-title">{unitOf(chain)}</span>
              </p>
            ) : balance.isError ? (
              <div className="my-3">
                <ErrorBox>The balance could not be read. Your money is still there.</ErrorBox>
              </div>
            ) : (
              <Spinner />
            )}
          </div>
          {held !== undefined && microOf(held) >= askForWordsFrom && (
            <p className="mt-4 rounded-control bg-sunken p-4">
              Save your 12 words. If your passkey is deleted, they are the only way to this money.
            </p>
          )}
          <div className="mt-6 flex flex-col gap-3">
            {payout && (
              <Button disabled={held === undefined || microOf(held) === 0n} onClick={() => setScreen('send')}>
                Send
              </Button>
            )}
            <Button look="secondary" onClick={() => setScreen('address')}>
              Show my address
            </Button>
            <Button look="secondary" onClick={() => setScreen('words')}>
              Save my 12 words
            </Button>
            <Button look="quiet" onClick={props.onClose}>
              Close
            </Button>
          </div>
          {payout && held !== undefined && microOf(held) === 0n && (
            <p className="mt-4 text-muted text-small">There is nothing to send.</p>
          )}
          {!payout && (
            <p className="mt-4 text-muted text-small">
              To send money from here, open the link of a payout that you kept. Or use your 12 words in any wallet app.
            </p>
          )}
        </Frame>
      )
  }
}
